"""What labels count when a later round followed the first one's labels: expectations by hand, variances, all readers."""

from dataclasses import replace
from math import comb

import numpy as np
import pytest

from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.designs.missing_bounds import missing_bounds
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.pooled_windows import PooledWindows
from stratawatch.core.estimation.round_weights import BESIDE, MOST_GROWTH, round_weights, weights_of_counts
from stratawatch.core.goals import SurveySpec
from stratawatch.core.population import Atom, Candidates
from stratawatch.core.verdicts import VerdictsByItem

SHARE = 0.1
"""The share of positives in the stratum whose second round follows the first one's labels."""
FIRST = 12
"""Labels of its first round."""
NEAR, FAR = (11, 16), (2, 60)
"""Labels of its second round without and with a positive in the first: shares move by little, or by much."""


SCORES = np.array([0.1, 0.2])
"""Mean scores of two strata."""


def binomial(yes, labels):
    return comb(labels, yes) * SHARE**yes * (1 - SHARE) ** (labels - yes)


def outcomes(second_labels):
    """(probability, labels by round, positives by round) of all that may come."""
    for first in range(FIRST + 1):
        labels = second_labels[min(first, 1)]
        for second in range(labels + 1):
            yield binomial(first, FIRST) * binomial(second, labels), (FIRST, labels), (first, second)


def mean_of(labels, yes, *, is_weighted):
    """The stratum's mean; another stratum has the rest of 80 labels of the first round, and of 100 of the second."""
    counts = [*labels, 80 - FIRST, 100 - labels[1]]
    strata, rounds = np.repeat([0, 0, 1, 1], counts), np.repeat([0, 1, 0, 1], counts)
    weights = round_weights(strata, rounds, np.array([1e9, 1e9]), SCORES) if is_weighted else np.ones(len(strata))
    said = np.concatenate([np.arange(n) < k for n, k in zip(labels, yes, strict=True)])
    mine = strata == 0
    return float(weights[mine] @ said / weights[mine].sum())


def expected_mean(second_labels, *, is_weighted):
    """Over all that may come."""
    return sum(chance * mean_of(n, k, is_weighted=is_weighted) for chance, n, k in outcomes(second_labels))


class TestTheMeanOfAStratum:
    def test_whose_later_labels_followed_the_first_is_too_small_without_weights(self):
        assert expected_mean(NEAR, is_weighted=False) < 0.98 * SHARE
        assert expected_mean(FAR, is_weighted=False) < 0.85 * SHARE

    def test_is_right_with_them(self):
        assert expected_mean(NEAR, is_weighted=True) == pytest.approx(SHARE, rel=1e-6)

    def test_that_would_be_much_less_sure_is_mended_in_part(self):
        """Its variance grows by a twentieth at most: 2 labels of 14 cannot stand for five ninths of the stratum."""
        assert expected_mean(FAR, is_weighted=False) < expected_mean(FAR, is_weighted=True) < SHARE
        weights = weights_of_counts(np.array([[12.0, 2.0], [68.0, 98.0]]), np.array([1e9, 1e9]), SCORES)
        assert weights[0] @ [12, 2] == pytest.approx(14 / (1 + MOST_GROWTH), rel=1e-6)

    def test_is_the_rounds_means_in_the_shares_that_rounds_have_of_the_strata_around_it(self):
        """40 of 100 labels are of the first round: .4 x 1/3 + .6 x 3/7, say."""
        strata, rounds = np.repeat([0, 1], [10, 90]), np.repeat([0, 1, 0, 1], [3, 7, 37, 53])
        weights = round_weights(strata, rounds, np.array([1e9, 1e9]), SCORES)[:10]
        assert weights[:3].sum() / weights.sum() == pytest.approx(0.4)

    def test_is_not_moved_by_strata_that_are_far_away_in_score(self):
        """Twenty strata of which all but the last have 4 of 10 labels from the first round."""
        counts, scores = np.tile([4.0, 6.0], (20, 1)), np.linspace(0, 1, 20)
        moved = counts.copy()
        moved[-1] = [1.0, 99.0]
        sizes = np.full(20, 1e9)
        before, after = (weights_of_counts(one, sizes, scores) for one in (counts, moved))
        assert (after[: -BESIDE - 1] == before[: -BESIDE - 1]).all()
        assert after[-2, 0] < before[-2, 0]
        turned = weights_of_counts(moved[::-1], sizes, scores[::-1])
        assert turned[::-1] == pytest.approx(after)


ITEMS, POSITIVES = 40, 6
"""Of a stratum of which the first round labels a quarter, and the second 11 items, or 14 where the first met any."""
SMALL_FIRST, SMALL_SECOND = 10, (11, 14)
BESIDE_IT = 280
"""Items of the stratum beside it, which has the rest of 80 labels of the first round, and of 100 of the second."""


def expected_total(*, is_weighted):
    """Over all that two draws without replacement may bring."""
    found = 0.0
    for first in range(POSITIVES + 1):
        labels = SMALL_SECOND[min(first, 1)]
        for second in range(POSITIVES - first + 1):
            chance = drawn_chance(first, SMALL_FIRST, POSITIVES, ITEMS)
            chance *= drawn_chance(second, labels, POSITIVES - first, ITEMS - SMALL_FIRST)
            counts = np.array([[SMALL_FIRST, labels], [80 - SMALL_FIRST, 100 - labels]], dtype=np.float64)
            weights = weights_of_counts(counts, np.array([ITEMS, BESIDE_IT], dtype=np.float64), SCORES)[0]
            weights = weights if is_weighted else np.ones(2)
            found += chance * ITEMS * float(weights @ [first, second]) / float(weights @ counts[0])
    return found


def drawn_chance(yes, labels, positives, items):
    return comb(positives, yes) * comb(items - positives, labels - yes) / comb(items, labels)


class TestTheTotalOfAStratumThatIsLabelledInLargePart:
    """What the second round leaves unlabelled is what it drew from, and not the whole stratum."""

    def test_is_too_small_without_weights(self):
        assert expected_total(is_weighted=False) < 0.99 * POSITIVES

    def test_is_right_with_them(self):
        assert expected_total(is_weighted=True) == pytest.approx(POSITIVES, rel=1e-9)


class TestWhatLabelsCount:
    def test_is_one_each_of_a_single_round_and_of_a_stratum_that_is_labelled_wholly(self):
        strata = np.repeat([0, 1], [6, 4])
        single = round_weights(strata, np.zeros(10, dtype=np.int64), np.array([50.0, 40.0]), SCORES)
        assert single == pytest.approx(1)
        rounds = np.repeat([0, 1, 0, 1], [1, 5, 3, 1])
        weights = round_weights(strata, rounds, np.array([6.0, 40.0]), SCORES)
        assert weights[:6] == pytest.approx(1)
        assert weights[6] < 1 < weights[9]

    def test_of_a_stratum_that_one_round_alone_drew_from_is_one_each(self):
        strata, rounds = np.repeat([0, 1], 5), np.repeat([0, 1, 0], [5, 2, 3])
        assert round_weights(strata, rounds, np.array([100.0, 100.0]), SCORES)[:5] == pytest.approx(1)

    @pytest.mark.parametrize("items", [40, 300])
    @pytest.mark.parametrize("by_round", [(24, 6), (6, 24), (5, 15, 10)])
    def test_sums_to_the_labels_of_a_single_sample_of_the_same_variance(self, by_round, items):
        """30 labels of rounds that have other parts beside it: the total is drawn again and again."""
        rng, labels, draws = np.random.default_rng(3), 30, 6000
        counts = np.array([by_round, by_round[::-1]], dtype=np.float64)
        per_label = weights_of_counts(counts, np.array([float(items), 1e9]), SCORES)[0]
        weights = np.repeat(per_label, by_round)
        values = rng.normal(size=items)
        drawn = np.array([rng.permutation(items)[:labels] for _ in range(draws)])
        totals = items * (values[drawn] @ weights) / weights.sum()
        as_many = float(weights.sum())
        assert as_many < labels
        expected = items**2 * (1 - as_many / items) / as_many * values.var(ddof=1)
        assert totals.var() == pytest.approx(expected, rel=4 * (2 / draws) ** 0.5)


OWN_PART = 0.1 * 3900 / 3990
FIRST_PART = OWN_PART + (MOST_GROWTH * OWN_PART * (1 - OWN_PART)) ** 0.5
"""Of the first round, among those called negative: from that of 10 of 100 labels of 4,000 items towards that of 60 of
200 labels of 4,400, as far as may be."""


class TestADesign:
    ATOMS = (Atom("1", 600, 700, 400, 0.8, {}), Atom("0", 0, 400, 4000, 0.1, {}, stratum=1))

    def design(self, name):
        items = tuple(f"i{n}" for n in range(4400))
        digests = tuple(f"{n:032x}" for n in range(4400))
        pool = Candidates(items, np.repeat([0, 1], [400, 4000]), digests)
        return FrozenDesign(("lr",), self.ATOMS, pool, SurveySpec(budget=300, design=name))

    def labelled(self):
        """100 called positive and 100 called negative: two negatives of the first ten, and one of the next 90."""
        rounds = [[*(f"i{n}" for n in range(50)), *(f"i{400 + n}" for n in range(10))]]
        rounds.append([*(f"i{n}" for n in range(50, 100)), *(f"i{410 + n}" for n in range(90))])
        yes = {*(f"i{n}" for n in range(80)), "i400", "i401", "i410"}
        verdicts = {item: "yes" if item in yes else "no" for one in rounds for item in one}
        return DrawnItems.of_rounds(rounds), VerdictsByItem(verdicts)

    def shares(self, design, *, by_round):
        drawn, ledger = self.labelled()
        metrics = ["precision", "false_omission_rate"]
        found = design.estimate(ledger, drawn if by_round else set(drawn), metrics=metrics)
        assert [one.labels_used for one in found] == [100, 100]
        return [one.result for one in found]

    def test_weighs_the_labels_of_rounds(self):
        """Of those called negative: the first ten stand for all, the others for all but the first ten."""
        (_, plain), (_, apart) = (self.shares(self.design("joint"), by_round=rounds) for rounds in (False, True))
        assert plain.value == pytest.approx(0.03)
        total = FIRST_PART * 4000 * 2 / 10 + (1 - FIRST_PART) * (2 + 3990 / 90)
        assert apart.value == pytest.approx(total / 4000)
        assert apart.high - apart.low > plain.high - plain.low

    def test_that_estimates_plain_shares_does_not(self):
        design = self.design("srs")
        assert self.shares(design, by_round=True) == self.shares(design, by_round=False)

    def test_whose_plan_followed_a_history_does_not(self):
        design = self.design("joint")
        atoms = tuple(replace(atom, prior_rate=rate) for atom, rate in zip(self.ATOMS, (0.8, 0.02), strict=True))
        warm = replace(design, atoms=atoms)
        assert self.shares(warm, by_round=True) == self.shares(warm, by_round=False)

    def test_of_a_single_round_is_to_the_last_digit_what_it_is_without_rounds(self):
        """All that reads the labels: estimates, differences, pooled windows, and what labels stand for."""
        drawn, ledger = self.labelled()
        one, design = DrawnItems.of_rounds([[*drawn]]), self.design("joint")
        assert design.estimate(ledger, one) == design.estimate(ledger, set(drawn))
        assert design.sample(ledger, one).weighted is None
        assert design.items_stood_for(ledger, one)["i0"] == 4.0
        alone, again = (PooledWindows((design.window_labels(ledger, each),) * 2) for each in (one, set(drawn)))
        assert (alone.covariance([(0, 1)]) == again.covariance([(0, 1)])).all()

    def test_without_any_answer_is_a_gap_though_two_rounds_asked(self):
        (drawn, _), design = self.labelled(), self.design("joint")
        nobody = VerdictsByItem({})
        assert design.window_labels(nobody, drawn).is_gap
        assert design.estimate(nobody, drawn) == design.estimate(nobody, set(drawn))
        assert set(design.items_stood_for(nobody, drawn).values()) <= {None}

    def test_says_how_many_items_each_label_stands_for(self):
        """All 4,000 that are called negative, and more of them for a label of the first round there."""
        (drawn, ledger), design = self.labelled(), self.design("joint")
        weights = design.items_stood_for(ledger, drawn)
        negative = {item: weight for item, weight in weights.items() if int(item[1:]) >= 400}
        assert sum(negative.values()) == pytest.approx(4000)
        assert negative["i400"] == pytest.approx(1 - FIRST_PART + FIRST_PART * 4000 / 10)
        assert negative["i410"] == pytest.approx((1 - FIRST_PART) * 3990 / 90)
        yes = sum(weight for item, weight in negative.items() if ledger.verdicts[item] == "yes")
        (_, share) = self.shares(design, by_round=True)
        assert yes / 4000 == pytest.approx(share.value)

    def test_pools_windows_and_bounds_missing_answers_by_the_same_weights(self):
        (drawn, ledger), design = self.labelled(), self.design("joint")
        found = design.estimate(ledger, drawn, metrics=["false_omission_rate"])
        request = EstimationRequest(0.95, ("false_omission_rate",), (None,))
        pooled = PooledWindows((design.window_labels(ledger, drawn),)).estimates(range(1), ("lr",), request)
        assert pooled == found
        known = VerdictsByItem({item: said for item, said in ledger.verdicts.items() if item != "i400"})
        (bounds,) = missing_bounds(design, known, drawn, design.estimate(known, drawn, metrics=["false_omission_rate"]))
        assert bounds.highest == pytest.approx(found[0].result.value)
