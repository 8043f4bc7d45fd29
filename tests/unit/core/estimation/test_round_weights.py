"""What labels count when a later round followed the first one's labels: expectations by hand, variances, census."""

from math import comb

import numpy as np
import pytest

from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.estimation.round_weights import round_weights
from stratawatch.core.goals import SurveySpec
from stratawatch.core.population import Atom, Candidates
from stratawatch.core.verdicts import VerdictsByItem

SHARE = 0.1
"""The share of positives in the stratum whose second round follows the first one's labels."""
FIRST, FEW, MANY = 4, 2, 12
"""Labels of its first round, and of its second one without and with a positive in the first."""


def binomial(yes, labels):
    return comb(labels, yes) * SHARE**yes * (1 - SHARE) ** (labels - yes)


def outcomes():
    """(probability, labels by round, positives by round) of all that may come."""
    for first in range(FIRST + 1):
        labels = MANY if first else FEW
        for second in range(labels + 1):
            yield binomial(first, FIRST) * binomial(second, labels), (FIRST, labels), (first, second)


def mean_of(labels, yes, *, is_weighted):
    """The stratum's mean; another stratum has the rest of 44 labels of the first round, and of 60 of the second."""
    counts = [*labels, 40, 60 - labels[1]]
    strata, rounds = np.repeat([0, 0, 1, 1], counts), np.repeat([0, 1, 0, 1], counts)
    weights = round_weights(strata, rounds, np.array([1e9, 1e9])) if is_weighted else np.ones(len(strata))
    said = np.concatenate([np.arange(n) < k for n, k in zip(labels, yes, strict=True)])
    mine = strata == 0
    return float(weights[mine] @ said / weights[mine].sum())


class TestTheMeanOfAStratum:
    def test_whose_later_labels_followed_the_first_is_too_small_without_weights(self):
        expected = sum(chance * mean_of(n, k, is_weighted=False) for chance, n, k in outcomes())
        assert expected < 0.9 * SHARE

    def test_is_right_with_them(self):
        expected = sum(chance * mean_of(n, k, is_weighted=True) for chance, n, k in outcomes())
        assert expected == pytest.approx(SHARE, rel=1e-6)

    def test_is_the_rounds_means_in_the_shares_that_rounds_have_of_all_labels(self):
        """42 of 100 labels are of the first round: .42 x 1/2 + .58 x 3/8."""
        strata, rounds = np.repeat([0, 0, 1, 1], [2, 8, 40, 50]), np.repeat([0, 1, 0, 1], [2, 8, 40, 50])
        weights = round_weights(strata, rounds, np.array([1e9, 1e9]))[:10]
        assert weights[:2].sum() / weights.sum() == pytest.approx(0.42)


class TestWhatLabelsCount:
    def test_is_one_each_of_a_single_round_and_of_a_stratum_that_is_labelled_wholly(self):
        strata = np.repeat([0, 1], [6, 4])
        assert round_weights(strata, np.zeros(10, dtype=np.int64), np.array([50.0, 40.0])) == pytest.approx(1)
        rounds = np.repeat([0, 1, 0, 1], [1, 5, 3, 1])
        weights = round_weights(strata, rounds, np.array([6.0, 40.0]))
        assert weights[:6] == pytest.approx(1)
        assert weights[6] < 1 < weights[9]

    def test_of_a_stratum_that_one_round_alone_drew_from_is_one_each(self):
        strata, rounds = np.repeat([0, 1], 5), np.repeat([0, 1, 0], [5, 2, 3])
        assert round_weights(strata, rounds, np.array([100.0, 100.0]))[:5] == pytest.approx(1)

    @pytest.mark.parametrize("items", [40, 300])
    def test_sums_to_the_labels_of_a_single_sample_of_the_same_variance(self, items):
        """24 and 6 labels of two rounds that count alike: the total is drawn again and again."""
        rng, labels, draws = np.random.default_rng(3), 30, 6000
        strata, rounds = np.repeat([0, 1], 30), np.repeat([0, 1, 0, 1], [24, 6, 6, 24])
        weights = round_weights(strata, rounds, np.array([float(items), 1e9]))[:labels]
        values = rng.normal(size=items)
        drawn = np.array([rng.permutation(items)[:labels] for _ in range(draws)])
        totals = items * (values[drawn] @ weights) / weights.sum()
        as_many = float(weights.sum())
        assert as_many < labels
        expected = items**2 * (1 - as_many / items) / as_many * values.var(ddof=1)
        assert totals.var() == pytest.approx(expected, rel=4 * (2 / draws) ** 0.5)


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
        return rounds, VerdictsByItem({item: "yes" if item in yes else "no" for one in rounds for item in one})

    def shares(self, name, *, rounds):
        design, (of_rounds, ledger) = self.design(name), self.labelled()
        metrics = ["precision", "false_omission_rate"]
        found = design.estimate(ledger, set(ledger.verdicts), metrics=metrics, rounds=of_rounds if rounds else ())
        return [one.result for one in found]

    def test_weighs_rounds_where_it_is_told_them(self):
        """.25 x 2/10 + .75 x 1/90 of those called negative, but that labelled items stand for themselves."""
        (_, plain), (_, apart) = (self.shares("joint", rounds=rounds) for rounds in (False, True))
        assert plain.value == pytest.approx(0.03)
        share = 60 / 200
        unlabelled = share * 2 / 10 + (1 - share) / 90
        assert apart.value == pytest.approx((3 + 3900 * unlabelled) / 4000)
        assert apart.high - apart.low > plain.high - plain.low

    def test_that_estimates_plain_shares_does_not(self):
        assert self.shares("srs", rounds=True) == self.shares("srs", rounds=False)
