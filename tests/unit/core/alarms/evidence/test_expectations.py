"""While a metric is at its limit or inside, E is at most 1 on average: exactly over every draw, and by Monte Carlo."""

from math import sqrt

import numpy as np
import pytest

from stratawatch.core.alarms.evidence.e_values import window_e_values
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Segment
from stratawatch.core.tuning import EVIDENCE
from tests.support.closed_forms import RATIOS
from tests.support.small_windows import (
    PRIOR,
    answer,
    answers,
    at_the_truth,
    ceiling,
    draws,
    draws_apart,
    floor,
    mixed,
    ratio,
    window,
)


def expectation(design, truth, tests, labels, stake=None):
    """Mean E over every draw of so many labels a stratum, by test and loss; with a stake, at this one alone."""
    sums, count, stakes = {}, 0, {}
    for drawn, times in draws_apart(design, truth, labels):
        count += times
        if not stakes:
            # They do not look at the answers: the first draw's are everyone's.
            found = window_e_values(design, [answers(truth, drawn)], tests)
            stakes = {(one.test, one.ordinal, one.loss): stake or one.stake for one in found}
        for one in window_e_values(design, [answers(truth, drawn)], tests, stakes):
            sums[one.test, one.loss] = sums.get((one.test, one.loss), 0.0) + times * np.exp(one.log_e)
    return {key: value / count for key, value in sums.items()}


def test_draws_of_one_kind_have_the_same_evidence():
    """So one of each kind stands for all of them."""
    design, truth = mixed(PRIOR)
    tests, kinds = at_the_truth(design, truth), list(draws_apart(design, truth, (2, 2, 1)))
    sums, count, stakes = {}, 0, {}
    for drawn in draws(design, (2, 2, 1)):
        count += 1
        for one in window_e_values(design, [answers(truth, drawn)], tests, stakes):
            stakes[one.test, one.ordinal, one.loss] = one.stake
            sums[one.test, one.loss] = sums.get((one.test, one.loss), 0.0) + np.exp(one.log_e)
    assert sum(times for _, times in kinds) == count > 4 * len(kinds)
    means = expectation(design, truth, tests, (2, 2, 1))
    assert means == {key: pytest.approx(value / count, rel=1e-12) for key, value in sums.items()}


class TestExpectationOverEveryDraw:
    """While a metric is at its limit or inside, E is 1 or less on average: exactly, and for any number of labels."""

    @pytest.mark.parametrize("labels", [(2, 1, 1), (3, 2, 1), (1, 3, 2)])
    @pytest.mark.parametrize("prior", [PRIOR, (0.1, 0.9, 0.5, 0.6, 0.2), None], ids=["good", "wrong", "none"])
    def test_of_every_metric_at_its_limit(self, labels, prior):
        design, truth = mixed(prior)
        means = expectation(design, truth, at_the_truth(design, truth), labels)
        assert max(means.values()) <= 1 + 1e-12
        # A small stake loses little: what makes it lose is that few items are left to draw from.
        assert min(expectation(design, truth, at_the_truth(design, truth), labels, stake=0.1).values()) > 0.9

    def test_inside_the_limit_it_is_less(self):
        design, truth = mixed(PRIOR)
        at, inside = (
            expectation(design, truth, at_the_truth(design, truth, margin), (3, 2, 1)) for margin in (0.0, 0.05)
        )
        assert all(inside[key] < at[key] for key in at)

    def test_outside_it_grows(self):
        design, truth = mixed(PRIOR)
        value = ratio(design, truth, RATIOS["precision"])
        assert min(expectation(design, truth, [floor("precision", value + 0.1)], (3, 2, 1)).values()) > 1.05

    def test_inside_a_segment(self):
        design, truth = mixed(PRIOR, segments=["xyx", "xx", "xy", "xxyy", "xy"])
        kinds = dict(zip(design.candidates.items, design.candidates.segments["kind"], strict=True))
        among = {item for item, kind in kinds.items() if kind == "x"}
        tests = [
            make(metric, ratio(design, truth, RATIOS[metric], among=among), segment=Segment("kind", "x"))
            for metric in METRICS
            for make in (floor, ceiling)
        ]
        assert max(expectation(design, truth, tests, (3, 2, 1)).values()) <= 1 + 1e-12

    def test_of_two_rounds_where_the_second_follows_the_answers_of_the_first(self):
        """Without earlier labels; a yes in the first round sends the second one's labels elsewhere."""
        design, truth = window(["1", "0", "1"], [0.7, 0.2, 0.9], [0, 0, 1], ["110", "001", "110"])
        tests = [test for test in at_the_truth(design, truth) if test.metric in ("precision", "recall", "f1")]
        sums, weight = {}, 0.0
        for first, times in draws_apart(design, truth, (2, 1)):
            second = (2, 1) if any(truth[item] for item in first[:2]) else (1, 2)
            after = list(draws_apart(design, truth, second, without=first))
            for more, of_these in after:
                share = times * of_these / sum(every for _, every in after)
                weight += share
                logs = {}
                for one in window_e_values(design, [answers(truth, first), answers(truth, more)], tests):
                    logs[one.test, one.loss] = logs.get((one.test, one.loss), 0.0) + one.log_e
                for key, log_e in logs.items():
                    sums[key] = sums.get(key, 0.0) + np.exp(log_e) * share
        means = [value / weight for value in sums.values()]
        assert max(means) <= 1 + 1e-12
        assert min(means) < 1

    def test_with_labels_that_were_known_beforehand(self):
        design, truth = mixed(PRIOR)
        known = ["0-0", "3-1"]
        before = [answer(item, "yes" if truth[item] else "no", bets=False, answered_before=True) for item in known]
        tests, sums, count = at_the_truth(design, truth), {}, 0
        for drawn, times in draws_apart(design, truth, (2, 2, 1), without=known):
            count += times
            for one in window_e_values(design, [[*before, *answers(truth, drawn)]], tests):
                sums[one.test, one.loss] = sums.get((one.test, one.loss), 0.0) + times * np.exp(one.log_e)
        assert max(value / count for value in sums.values()) <= 1 + 1e-12

    def test_where_one_stratum_answers_nothing(self):
        """Its items are counted as right as they can be, so the bets lose on average."""
        design, truth = mixed(PRIOR)
        tests, sums, count, stakes = at_the_truth(design, truth), {}, 0, {}
        for drawn, times in draws_apart(design, truth, (3, 2, 1)):
            count += times
            labels = [answer(item, None) if item.startswith("4") else answers(truth, [item])[0] for item in drawn]
            for one in window_e_values(design, [labels], tests, stakes):
                stakes[one.test, one.ordinal, one.loss] = one.stake
                sums[one.test, one.loss] = sums.get((one.test, one.loss), 0.0) + times * np.exp(one.log_e)
        assert max(value / count for value in sums.values()) <= 1 + 1e-12


class TestExpectationByMonteCarlo:
    """A stratified design with two rounds, the second by the first one's answers; the mean of E has a normal error bar."""

    RUNS = 1000

    def test_of_precision_and_recall_at_their_limits(self):
        rng = np.random.default_rng(20260105)
        letters = ["1" * yes + "0" * (n - yes) for n, yes in ((40, 34), (30, 18), (30, 9), (200, 8))]
        design, truth = window(["11", "10", "01", "00"], [0.8, 0.6, 0.4, 0.06], [0, 1, 1, 2], letters)
        homes = design.cells.strata[design.candidates.atoms]
        pools = [[i for i, h in zip(design.candidates.items, homes, strict=True) if h == s] for s in range(3)]
        tests = [floor(metric, ratio(design, truth, RATIOS[metric], k), "ab"[k]) for k in (0, 1) for metric in ("precision", "recall")]  # fmt: skip
        found = np.zeros((self.RUNS, len(tests), 3))
        for run in range(self.RUNS):
            order = [rng.permutation(pool).tolist() for pool in pools]
            first = [item for pool, n in zip(order, (8, 8, 10), strict=True) for item in pool[:n]]
            wrong = sum(not truth[item] for item in order[1][:8])
            second = (4, 4 + wrong, 16 - wrong)
            more = [i for pool, a, n in zip(order, (8, 8, 10), second, strict=True) for i in pool[a : a + n]]
            for one in window_e_values(
                design, [answers(truth, first), answers(truth, more)], tests, losses=EVIDENCE.losses
            ):
                found[run, one.test, EVIDENCE.losses.index(one.loss)] += one.log_e
        e = np.exp(found)
        bars = e.std(axis=0) / sqrt(self.RUNS)
        assert (e.mean(axis=0) <= 1 + 4 * bars).all()
        assert (e.mean(axis=0) >= 0.9 - 4 * bars).all()
