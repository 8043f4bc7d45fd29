"""What a window's answers say: by hand, item by item, and in expectation over every possible draw."""

from math import log

import numpy as np
import pytest

from stratawatch.core.alarms.evidence.e_values import window_e_values
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Segment
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import StratawatchError
from tests.support.seed import random_seed
from tests.support.small_windows import (
    PRIOR,
    answer,
    answers,
    at_the_truth,
    ceiling,
    draws,
    floor,
    mixed,
    window,
)


def total(found, test=0, loss=0.06):
    return sum(one.log_e for one in found if (one.test, one.loss) == (test, loss))


def stakes_of(found):
    return {(one.test, one.ordinal, one.loss): one.stake for one in found}


class TestByHand:
    """Four items called positive, half of them right; a floor of 50%: theta is 0, and so is e."""

    design, truth = window(["1"], [0.5], [0], ["1010"], prior=[0.5])

    def test_the_stake_and_the_factors(self):
        # w = 4/(4 x 2) = .5, so x is .25 for a yes and -.25 for a no; d = .06. After the loss (1/2 - d) of the answers
        # are a yes: (1/2 - d) log(1 - L/4) + (1/2 + d) log(1 + L/4) is largest at L/4 = 2 d, and half of L is staked.
        [_, found, _, _] = window_e_values(self.design, [answers(self.truth, ["0-0", "0-1"])], [floor()])
        assert found.stake == pytest.approx(0.24, rel=0.006)
        assert found.log_e == pytest.approx(log(1 - found.stake * 0.25) + log(1 + found.stake * 0.25))
        assert (found.loss, found.ordinal, found.labels) == (0.06, 1, 2)

    def test_two_errors_speak_against_the_floor(self):
        found = window_e_values(self.design, [answers(self.truth, ["0-1", "0-3"])], [floor()])
        assert total(found) == pytest.approx(2 * log(1 + 0.24 * 0.25), rel=0.006)

    def test_a_wide_window_bets_on_a_quarter_too(self):
        # The standard error is sqrt(.25/2) = 35 points.
        found = window_e_values(self.design, [answers(self.truth, ["0-0", "0-1"])], [floor()])
        assert [one.loss for one in found] == [0.03, 0.06, 0.12, 0.25]

    def test_a_narrow_one_does_not(self):
        design, truth = window(["1"], [0.95], [0], ["1" * 95 + "0" * 5], prior=[0.95])
        found = window_e_values(design, [answers(truth, list(truth)[:40])], [floor()])
        assert [one.loss for one in found] == [0.03, 0.06, 0.12]

    def test_no_answer_takes_more_than_nine_tenths(self):
        design, truth = window(["1"], [0.9], [0], ["1" * 9 + "0"], prior=[0.9999])
        [found] = window_e_values(design, [answers(truth, ["0-0", "0-1"])], [floor(limit=0.8)], {(0, 1, 0.05): 9.0})
        # e = .9999 - .8, w = .5: x of a yes is .09995 + .5 x .0001 = .1. Lambda = .9/.1 leaves a tenth of it.
        assert (found.stake, found.log_e) == pytest.approx((9, 2 * log(0.1)))


def by_item(design, drawn, test, loss, truth):
    """Log E and its growth after the loss, by stake, and the stake of a large loss: one round, item by item."""
    cells, candidates = design.cells, design.candidates
    place = design.classifiers.index(test.classifier)
    n, d = (getattr(METRICS[test.metric], part) for part in ("numerator", "denominator"))
    sign, N, items = (1 if test.is_floor else -1), len(candidates), []
    for row, item in enumerate(candidates.items):
        home = int(candidates.atoms[row])
        letter, m = design.atoms[home].pattern[place], min(max(design.atoms[home].prior_rate, 1e-4), 1 - 1e-4)
        kinds = candidates.segments["kind"]
        judged = letter != "-" and test.segment in (None, Segment("kind", kinds[row]))
        yes, no = (0, 1) if letter == "1" else (2, 3)
        alpha = sign * ((n[yes] - n[no]) - test.limit * (d[yes] - d[no])) * judged
        beta = sign * (n[no] - test.limit * d[no]) * judged
        den = (d[yes] * m + d[no] * (1 - m)) * judged
        items.append((item, int(cells.strata[home]), alpha, beta, m, den))
    touched = {h for _, h, alpha, *_ in items if alpha}
    size = {h: sum(one[1] == h for one in items) for h in touched}
    labels = {h: sum(one[1] == h and one[0] in drawn for one in items) for h in touched}
    count, e = sum(labels.values()), sum(alpha * m + beta for _, _, alpha, beta, m, _ in items) / N
    w = {h: size[h] / N / labels[h] for h in touched}
    best = {i: w[h] * max(al * (1 - m), -al * m) if al else 0.0 for i, h, al, _, m, _ in items if h in touched}
    fallen = loss * sum(one[5] for one in items) / N - min(e, 0.0)

    def after(step):
        return [1 / (1 + np.exp(step * al - log(m / (1 - m)))) for _, _, al, _, m, _ in items]

    def too_little(step):
        moved = zip(items, after(step), strict=True)
        return e + sum(al * (q - m) for (_, _, al, _, m, _), q in moved) / N > -fallen

    q = dict(zip([one[0] for one in items], after(halved(too_little, -30, 30)), strict=True))

    def expected(c):
        return e + sum(max(best[i] - c, 0) / w[h] for i, h, *_ in items if h in touched) / N

    def factors(stake):
        """By item that may be drawn: of a yes and of a no, each answer's worst at nine tenths or less."""
        largest, c = 0.9 / stake, np.inf
        if e / count + max(best.values()) > largest:
            c = halved(lambda c: expected(c) / count + c < largest, 0.0, max(best.values()))
        found = {}
        for i, h, al, _, m, _ in items:
            if h in touched:
                off = max(best[i] - c, 0)
                found[i] = [1 - stake * (expected(c) / count + w[h] * al * (y - m) - off) for y in (1, 0)]
        return found

    def log_e(stake):
        return sum(log(found[not truth[i]]) for i, found in factors(stake).items() if i in drawn)

    def grown(stake):
        if expected(0.0) / count > 0.9 / stake:
            return -np.inf
        chance = {i: labels[h] / size[h] for i, h, *_ in items if h in touched}
        return sum(chance[i] * (q[i] * log(yes) + (1 - q[i]) * log(no)) for i, (yes, no) in factors(stake).items())

    delta = loss * sum(one[5] for one in items) / N
    kappa = delta / (sum(al**2 * m * (1 - m) for _, _, al, _, m, _ in items) / N)
    V = 0.0
    for _, h, al, _, m, _ in items:
        if al:
            moved = 1 / (1 + np.exp(min(max(kappa * al, -4), 4) - log(m / (1 - m))))
            V += w[h] / N * al**2 * moved * (1 - moved)
    most = e / count + max(best.values())
    return log_e, grown, min(delta / (V + delta**2 / count), 0.9 / most if most > 0 else np.inf)


def halved(is_low, low, high):
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if is_low(middle) else (low, middle)
    return low


@pytest.mark.parametrize("segment", [None, Segment("kind", "x")], ids=str)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("classifier", ["a", "b"])
def test_every_metric_agrees_with_the_sum_over_items(metric, classifier, segment):
    rng = np.random.default_rng(random_seed(f"by item {metric} {classifier} {segment}"))
    letters = ["".join(rng.choice(["0", "1"], 12)) for _ in range(5)]
    kinds = ["".join(rng.choice(["x", "y"], 12)) for _ in range(5)]
    prior = rng.uniform(0.05, 0.95, 5).tolist()
    design, truth = window(["11", "10", "-1", "00", "0-"], [0.9, 0.6, 0.5, 0.1, 0.3], [0, 0, 1, 1, 2], letters, prior=prior, segments=kinds)  # fmt: skip
    drawn = next(draws(design, [0, 0, 0]))
    for h, count in enumerate((9, 8, 5)):
        pool = [
            i
            for i, home in zip(design.candidates.items, design.candidates.atoms, strict=True)
            if design.cells.strata[home] == h
        ]
        drawn += rng.choice(pool, count, replace=False).tolist()
    for test in (floor(metric, 0.7, classifier, segment), ceiling(metric, 0.2, classifier, segment)):
        for one in window_e_values(design, [answers(truth, drawn)], [test]):
            log_e, grown, steady = by_item(design, set(drawn), test, one.loss, truth)
            assert one.log_e == pytest.approx(log_e(one.stake))
            if one.loss >= 0.12:
                assert one.stake == pytest.approx(steady)
                continue
            # Of stakes nearby this part grows most, and of others it does within a little: there may be two peaks.
            fastest = one.stake / 0.5 * (1 - 1e-9)
            assert grown(fastest) > max(grown(fastest * nearby) for nearby in (0.97, 1.03)) - 1e-9
            assert grown(fastest) > 0.9 * max(grown(fastest * 2.0**octave) for octave in range(-4, 5)) - 1e-9


@pytest.mark.parametrize("metric", ["precision", "recall", "accuracy", "specificity"])
def test_evidence_adds_up_the_product_s_own_difference_estimate(metric):
    """With a stake of nearly nothing, log E is -Lambda times the estimated distance from the limit."""
    design, truth = mixed(PRIOR)
    drawn = ["0-0", "0-2", "1-1", "2-0", "3-0", "3-1", "4-1"]
    ledger = VerdictsByItem({item: "yes" if truth[item] else "no" for item in drawn})
    value = design.estimate(ledger, drawn, metrics=[metric])[0].result.value
    tiny = {(0, 1, 0.03): 1e-7, (1, 1, 0.03): 1e-7}
    here, below = window_e_values(
        design, [answers(truth, drawn)], [floor(metric, value), floor(metric, value - 0.1)], tiny
    )
    assert here.log_e == pytest.approx(0, abs=1e-13)
    assert below.log_e < -1e-9


class TestWhatDoesNotMoveIt:
    def test_the_numbers_of_strata(self):
        """Names of strata are no part of a design."""
        design, truth = mixed(PRIOR)
        other, _ = window(["11", "10", "01", "00", "11"], [0.9, 0.6, 0.5, 0.1, 0.95], [2, 2, 2, 0, 1], ["110", "10", "01", "0100", "11"], prior=PRIOR)  # fmt: skip
        drawn, tests = ["0-0", "1-0", "2-1", "3-0", "3-1", "4-0"], at_the_truth(design, truth)
        here, there = (window_e_values(one, [answers(truth, drawn)], tests) for one in (design, other))
        assert [one.log_e for one in here] == pytest.approx([one.log_e for one in there])

    def test_late_answers(self):
        design, truth = mixed(PRIOR)
        drawn, tests = ["0-0", "1-0", "2-1", "3-0", "3-1", "4-0"], at_the_truth(design, truth)
        in_time = answers(truth, drawn)
        waiting = [*in_time, answer("0-1", None)]
        came = [*in_time, answer("0-1", "yes", bets=False)]
        assert window_e_values(design, [waiting], tests) == window_e_values(design, [came], tests)

    def test_items_that_an_earlier_window_drew(self):
        design, truth = mixed(PRIOR)
        drawn, tests = ["0-0", "1-0", "2-1", "3-0", "3-1", "4-0"], at_the_truth(design, truth)
        asked_again = [*answers(truth, drawn), answer("0-1", "yes", first_use=False, bets=False)]
        assert window_e_values(design, [answers(truth, drawn)], tests) == window_e_values(design, [asked_again], tests)

    def test_an_item_that_two_rounds_name(self):
        design, truth = mixed()
        first, second = answers(truth, ["0-0", "1-0", "3-0", "4-0"]), answers(truth, ["0-1", "2-0", "3-1", "4-1"])
        assert window_e_values(design, [first, second], at_the_truth(design, truth)) == window_e_values(
            design, [first, [*first, *second]], at_the_truth(design, truth)
        )


class TestVerdictsThatChange:
    drawn = ("0-0", "0-2", "1-0", "3-0", "3-1", "4-0")

    def again(self, design, truth, tests, verdict):
        first = window_e_values(design, [answers(truth, self.drawn)], tests)
        labels = [
            answer(item, verdict, bets=True) if item == "0-2" else answers(truth, [item])[0] for item in self.drawn
        ]
        return first, window_e_values(design, [labels], tests, stakes_of(first))

    def test_a_corrected_one_replaces_its_own_factor_at_the_same_stake(self):
        design, truth = mixed(PRIOR)
        tests = at_the_truth(design, truth)
        first, corrected = self.again(design, truth, tests, "yes")
        fresh = window_e_values(design, [answers(truth | {"0-2": True}, self.drawn)], tests)
        assert stakes_of(first) == stakes_of(corrected) == stakes_of(fresh)
        assert [one.log_e for one in corrected] == [one.log_e for one in fresh]

    @pytest.mark.parametrize("verdict", [None, "unresolved"])
    def test_a_withdrawn_one_counts_the_smaller_of_its_two_factors(self, verdict):
        design, truth = mixed(PRIOR)
        tests = at_the_truth(design, truth)
        no, withdrawn = self.again(design, truth, tests, verdict)
        _, yes = self.again(design, truth, tests, "yes")
        for one, as_no, as_yes in zip(withdrawn, no, yes, strict=True):
            assert one.log_e == pytest.approx(min(as_no.log_e, as_yes.log_e))
            assert one.labels == as_no.labels

    def test_a_second_round_counts_a_withdrawn_one_as_well_for_the_limit_as_it_may_be(self):
        design, truth = mixed(PRIOR)
        first, second = answers(truth, self.drawn), answers(truth, ["0-1", "1-1", "3-2", "4-1"])
        gone = [answer(one.item, None, bets=True) if one.item == "0-2" else one for one in first]
        right = [answer(one.item, "yes") if one.item == "0-2" else one for one in first]
        withdrawn, best = (
            [one for one in window_e_values(design, [labels, second], [floor()]) if one.ordinal == 2]
            for labels in (gone, right)
        )
        assert [one.log_e for one in withdrawn] == pytest.approx([one.log_e for one in best])

    def test_a_stake_that_corrections_no_longer_allow_is_cut(self):
        design, truth = mixed(PRIOR)
        found = window_e_values(design, [answers(truth, self.drawn)], [floor()], {(0, 1, 0.03): 1e6})
        assert [(one.loss, np.isfinite(one.log_e)) for one in found] == [(0.03, True)]


class TestRoundsThatCannotBet:
    def test_one_whose_plan_leaves_a_touched_stratum_out(self):
        """Classifier a's recall needs labels of every stratum, its precision none of the third."""
        design, truth = mixed(PRIOR)
        found = window_e_values(design, [answers(truth, ["0-0", "1-0", "4-0"])], [floor("recall"), floor("precision")])
        assert {one.test for one in found} == {1}

    def test_a_second_round_that_tops_up_one_stratum(self):
        design, truth = mixed(PRIOR)
        first, second = answers(truth, ["0-0", "1-0", "3-0", "4-0"]), answers(truth, ["0-1"])
        found = window_e_values(design, [first, second], [floor("recall")])
        assert {one.ordinal for one in found} == {1}

    def test_a_stratum_that_is_fully_labelled_is_in_nobody_s_way(self):
        design, truth = mixed(PRIOR)
        first, second = answers(truth, ["0-0", "1-0", "3-0", "4-0", "4-1"]), answers(truth, ["0-1", "3-1"])
        found = window_e_values(design, [first, second], [floor("recall")])
        assert {one.ordinal for one in found} == {1, 2}

    def test_a_planned_stratum_without_an_answer_is_counted_at_its_best(self):
        """Two strata of two items, m = .5, floor 50%: e is 1/2 x (.5 - .5) + 1/2 x (1 - .5) = .25."""
        design, truth = window(["1", "1"], [0.5, 0.5], [0, 1], ["10", "10"], prior=[0.5, 0.5])
        labels = [*answers(truth, ["0-0"]), answer("1-0", None)]
        [found] = window_e_values(design, [labels], [floor()], losses=[0.06])
        # w = 2/(4 x 1) = .5, so x of this yes is .25 + .5 x .5 = .5.
        assert found.log_e == pytest.approx(log(1 - found.stake * 0.5))

    def test_a_metric_without_any_item_of_its_side(self):
        design, truth = window(["0", "0"], [0.1, 0.3], [0, 1], ["0001", "0110"], prior=[0.1, 0.4])
        drawn = ["0-0", "0-3", "1-0", "1-1"]
        tests = [floor("precision"), ceiling("precision", 0.5), floor("recall")]
        assert {one.test for one in window_e_values(design, [answers(truth, drawn)], tests)} == {2}

    @pytest.mark.parametrize("verdicts", [[None, None], []])
    def test_no_answers(self, verdicts):
        design, _ = window(["1"], [0.5], [0], ["10"], prior=[0.5])
        labels = [answer(f"0-{i}", verdict) for i, verdict in enumerate(verdicts)]
        assert window_e_values(design, [labels], [floor()]) == ()
        assert window_e_values(design, [], [floor()]) == ()


class TestExtremes:
    @pytest.mark.parametrize("letters", ["1111", "0000"])
    @pytest.mark.parametrize("limit", [0.0, 1.0])
    @pytest.mark.parametrize("prior", [0.0, 1.0])
    def test_all_yes_and_all_no_against_limits_of_0_and_1(self, letters, limit, prior):
        design, truth = window(["1"], [0.5], [0], [letters], prior=[prior])
        for test in (floor(limit=limit), ceiling("precision", limit)):
            found = window_e_values(design, [answers(truth, ["0-0", "0-1"])], [test])
            assert all(np.isfinite(one.log_e) and one.stake > 0 for one in found)
            inside = (letters == "1111") >= limit if test.is_floor else (letters == "1111") <= limit
            assert all(one.log_e <= 1e-3 for one in found) or not inside

    def test_items_of_another_design_are_refused(self):
        design, _ = mixed(PRIOR)
        with pytest.raises(StratawatchError, match="1 drawn items are not among the candidates"):
            window_e_values(design, [[answer("9-9", "yes")]], [floor()])

    def test_a_segment_column_that_the_candidates_lack_is_refused(self):
        design, truth = mixed(PRIOR)
        with pytest.raises(StratawatchError, match="no segment column 'colour'"):
            window_e_values(design, [answers(truth, ["0-0"])], [floor(segment=Segment("colour", "red"))])


class TestStakes:
    def test_those_of_an_earlier_judgement_are_used_again(self):
        design, truth = mixed(PRIOR)
        labels = [answers(truth, ["0-0", "1-0", "3-0", "4-0"])]
        found = window_e_values(design, labels, [floor(), floor("recall")], {(0, 1, 0.03): 0.2, (1, 1, 0.06): 0.3})
        assert [(one.test, one.loss, one.stake) for one in found] == [(0, 0.03, 0.2), (1, 0.06, 0.3)]
