"""What others would pay, against arithmetic by hand and against each other."""

import doctest
from itertools import pairwise
from math import ceil

import numpy as np
import pytest

from benchmarks.labels.baselines import known_variances, random_sampling, recycling
from benchmarks.labels.baselines.truth import Truth, Z
from benchmarks.labels.kinds import FOUR
from benchmarks.labels.worlds import Items, World


def truth_of(cells) -> Truth:
    """`cells`: (calls, z, items, positives) each."""
    calls = np.concatenate([np.tile(np.array(c, dtype=bool), (n, 1)) for c, _, n, _ in cells])
    z = np.concatenate([np.full(n, score) for _, score, n, _ in cells])
    truth = np.concatenate([np.arange(n) < yes for _, _, n, yes in cells])
    return Truth.of(Items(calls, z, truth, np.where(truth, 0.9, 0.1)))


@pytest.fixture
def one():
    """One classifier: 1000 calls of which 800 are right, 9000 others of which 200 are positive."""
    return truth_of([((1,), 0.8, 1000, 800), ((0,), 0.02, 9000, 200)])


@pytest.fixture
def two():
    """Two classifiers of 1000 calls each, 600 in common; precision .8 in all parts."""
    return truth_of(
        [((1, 1), 0.8, 600, 480), ((1, 0), 0.8, 400, 320), ((0, 1), 0.8, 400, 320), ((0, 0), 0.02, 8600, 100)]
    )


@pytest.fixture(scope="module")
def week():
    return Truth.of(World(FOUR, 3).week(10))


class TestTruth:
    def test_counts(self, two):
        assert two.precision.tolist() == [0.8, 0.8]
        assert two.recall == pytest.approx([800 / 1220] * 2)
        assert two.omission == pytest.approx([420 / 9000] * 2)
        assert two.overlaps[0, 1] == 600

    def test_strata_ascend_with_the_score_inside_a_pattern(self, week):
        strata, items = week.strata, week.items
        quiet = np.flatnonzero(items.patterns == 0)
        assert len(np.unique(strata[quiet])) == 8
        tops = [items.z[quiet[strata[quiet] == stratum]].max() for stratum in np.unique(strata[quiet])]
        assert all(low < high for low, high in pairwise(tops))

    def test_no_stratum_mixes_patterns(self, week):
        assert all(len(np.unique(week.items.patterns[week.strata == s])) == 1 for s in np.unique(week.strata))


class TestRandomSampling:
    def test_precision_by_hand(self, one):
        """1.96^2 x .8 x .2 / .03^2 = 682.9."""
        assert one.precision_labels.tolist() == [683]

    def test_recall_by_hand(self, one):
        """r = .8, (.05 / 1.96)^2 / (.8 x .2)^2 = .025421; less .2/(.8 x 683) = .000366: .025055.

        f = 200/9000, (1 - f)/f = 44 labels over .025055 = 1756.1.
        """
        left = (0.05 / Z) ** 2 / 0.16**2 - 0.2 / (0.8 * 683)
        assert ceil(44 / left) == 1757
        assert random_sampling.labels(one) == 683 + 1757

    def test_recall_from_everything_by_hand(self, one):
        """1.96^2 x .8 x .2 / .05^2 = 245.9 positives, a tenth of all items: 2459."""
        assert random_sampling.recall_from_everything(one) == pytest.approx(2459)


class TestRecycling:
    def test_savings_are_the_smaller_of_the_two_shares(self, two):
        """Lemma 3 with n = 683 on both sides and PIR = CIR = .6: 409.8 labels are recycled."""
        assert recycling.recycled(two, 0) == pytest.approx([683, 409.8])
        assert recycling.with_anchor(two, 0).precision == pytest.approx(683 + 683 - 409.8)

    def test_fresh_labels_outside_of_the_anchor_are_counted(self, two):
        """273.2 fresh ones, all needed to match the recycled: 409.8 x .4 / .6 = 273.2, all in A_2 - A_1."""
        labels = recycling.fresh_outside(two, 0, recycling.recycled(two, 0))
        assert labels.sum() == pytest.approx(273.2)
        beyond = np.unique(two.strata[(two.items.patterns == 0b01)])
        assert labels[beyond].sum() == pytest.approx(273.2)

    def test_the_anchor_alone_leaves_what_its_own_precision_leaves(self, one):
        """V(F)/P^2 = (.05/1.96/r)^2 - (1 - r)^2 (1 - p)/(p n) for the anchor's own recall."""
        allowed = recycling.omission_variances(one, 0, recycling.recycled(one, 0))
        by_hand = ((0.05 / Z / 0.8) ** 2 - 0.2**2 * 0.2 / (0.8 * 683)) * 1000**2
        assert allowed[0] == pytest.approx(by_hand)

    def test_everybody_costs_at_least_what_the_anchor_does(self, week):
        assert recycling.labels(week, everyone=True) >= recycling.labels(week, everyone=False)

    def test_the_cheapest_anchor_is_chosen(self, week):
        every = [recycling.with_anchor(week, anchor) for anchor in range(4)]
        assert recycling.labels(week, everyone=False) == min(one.precision + one.anchor_recall for one in every)

    def test_neyman_by_hand(self):
        """(30 x .5 + 70 x .3)^2 = 1296, over V + sum N S^2 = 10 + 7.5 + 6.3: 54.45; shares in proportion to N S."""
        n = recycling.neyman(np.array([30.0, 70.0]), np.array([0.5, 0.1]), 10.0, np.zeros(2))
        assert n == pytest.approx(1296 / 23.8)

    def test_nothing_can_be_exact_for_less_than_everything(self):
        assert recycling.neyman(np.array([30.0]), np.array([0.5]), 0.0, np.zeros(1)) == float("inf")


class TestKnownVariances:
    def test_one_stratum_is_the_closed_form(self):
        """g = z/(N margin): V <= 1 is n >= N S^2 a/(1 + S^2 a) with a = (z/margin)^2 / N: 683 of 1000 calls: 406."""
        a = (Z / 0.03) ** 2 / 1000
        gradient, sizes = np.array([[Z / 0.03 / 1000]]), np.array([1000.0])
        labels = known_variances.bethel(gradient, sizes, np.array([0.16]))
        assert labels == pytest.approx(1000 * 0.16 * a / (1 + 0.16 * a))
        assert labels == pytest.approx(405.8, abs=0.1)

    def test_order_of_all_that_is_reckoned(self, week):
        """The floor is below the atoms, these below what recycles, and this below what shares nothing."""
        floor, atoms = known_variances.unit_floor(week), known_variances.in_atoms(week)
        assert floor < atoms < recycling.labels(week, everyone=True) < random_sampling.labels(week)

    def test_allocation_keeps_every_goal(self, week):
        """The gradients are in units of the margins: variances of all goals are at most 1, and one is reached."""
        _, first, strata = np.unique(week.strata, return_index=True, return_inverse=True)
        sizes = np.bincount(strata).astype(float)
        rates = np.bincount(strata, weights=week.items.truth) / sizes
        gradient = known_variances.gradients(week, first)
        plain = ((gradient * sizes) ** 2 * rates * (1 - rates)).sum(axis=1)
        even = known_variances.in_atoms(week) * sizes / sizes.sum()
        used = ((gradient * sizes) ** 2 * (rates * (1 - rates)) * (1 / even - 1 / sizes)).sum(axis=1)
        assert (plain > 0).all()
        assert used.max() > 1, "proportional labels of the same number do not reach the goals"

    def test_worlds_without_a_posterior_have_no_floor(self, week):
        blind = Truth.of(Items(week.items.calls, week.items.z, week.items.truth, np.full(len(week.items), np.nan)))
        assert np.isnan(known_variances.unit_floor(blind))


def test_doctests():
    assert doctest.testmod(recycling).failed == 0
    assert doctest.testmod(recycling).attempted > 0
