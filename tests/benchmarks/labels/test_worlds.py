"""Worlds: the same weeks again, cut-offs and calibration as promised, a posterior that is one."""

import numpy as np
import pytest

from benchmarks.labels.kinds import FOUR, HEAVY, TEN, TWENTY
from benchmarks.labels.worlds import World

ITEMS = 40_000


@pytest.fixture(scope="module")
def world():
    return World(FOUR, 3, items=ITEMS)


class TestKinds:
    def test_copies_spread_from_1_6_to_2_8_and_from_70_to_85(self):
        for kind, number in ((TEN, 10), (TWENTY, 20)):
            assert len(kind.classifiers) == number
            assert (kind.separations[0], kind.separations[-1]) == (1.6, 2.8)
            assert (kind.precisions[0], kind.precisions[-1]) == (0.7, 0.85)

    def test_four_are_a_vote_and_its_three_models(self):
        assert FOUR.classifiers == ("vote", "model1", "model2", "model3")


class TestWorld:
    def test_a_week_is_the_same_whenever_it_is_asked_for(self, world):
        again = World(FOUR, 3, items=ITEMS)
        again.week(9)
        first, second = world.week(5), again.week(5)
        assert (first.truth == second.truth).all()
        assert (first.z == second.z).all()

    def test_weeks_and_worlds_differ(self, world):
        assert (world.week(1).z != world.week(2).z).all()
        assert (world.week(1).z != World(FOUR, 4, items=ITEMS).week(1).z).all()

    def test_cut_offs_reach_their_precision_in_the_pilot(self, world):
        pilot = world.week(0)
        found = [pilot.truth[calls].mean() for calls in pilot.calls.T[1:]]
        assert found == pytest.approx(FOUR.precisions, abs=0.001)

    def test_the_vote_is_the_majority(self, world):
        calls = world.week(1).calls
        assert (calls[:, 0] == (calls[:, 1:].sum(axis=1) >= 2)).all()

    def test_scores_are_calibrated_in_the_pilot(self, world):
        """The mean of calibrated scores adds up to the positives, and ranks them."""
        pilot = world.week(0)
        assert pilot.z.mean() == pytest.approx(pilot.truth.mean(), abs=1e-6)
        assert pilot.z[pilot.truth].mean() > 5 * pilot.z[~pilot.truth].mean()

    def test_the_posterior_is_right_in_every_tenth(self, world):
        items = world.week(20)
        for tenth in np.array_split(np.argsort(items.posterior), 10):
            p, n = items.posterior[tenth], len(tenth)
            error = np.sqrt((p * (1 - p)).sum()) / n
            assert items.truth[tenth].mean() == pytest.approx(p.mean(), abs=4 * error + 1e-4)

    def test_prevalence_follows_a_season_around_eight_per_cent(self, world):
        year = [world.prevalence(week) for week in range(52)]
        assert np.mean(year) == pytest.approx(0.08)
        assert max(year) == pytest.approx(0.1, abs=0.0002)
        assert world.week(7).truth.mean() == pytest.approx(world.prevalence(7), abs=0.007)


class TestHeavy:
    def test_has_no_formula_for_its_posterior(self):
        assert np.isnan(World(HEAVY, 1, items=5_000).week(1).posterior).all()

    def test_its_positives_are_harder_and_its_noise_has_longer_tails(self):
        (heavy, yes), (plain, other) = (World(kind, 2, items=ITEMS)._raw(1, ITEMS) for kind in (HEAVY, FOUR))
        assert heavy[yes].mean() == pytest.approx(plain[other].mean() * (1 - 0.25 * 0.4), rel=0.05)
        assert _kurtosis(heavy[~yes, 0]) > 3.5
        assert _kurtosis(plain[~other, 0]) == pytest.approx(3, abs=0.15)


def _kurtosis(x):
    return ((x - x.mean()) ** 4).mean() / x.var() ** 2


class TestItems:
    def test_newcomers_take_the_place_of_those_who_leave(self, world):
        items, rows = world.week(1), np.array([3, 5, 8])
        newcomers = world.week(2, 3)
        mixed = items.replaced(rows, newcomers)
        assert (mixed.z[rows] == newcomers.z).all()
        assert (np.delete(mixed.z, rows) == np.delete(items.z, rows)).all()
        assert items.z[3] != mixed.z[3]

    def test_the_first_classifier_is_the_highest_bit(self, world):
        items = world.week(1)
        row = int(np.flatnonzero((items.calls == [True, True, False, True]).all(axis=1))[0])
        assert items.patterns[row] == 0b1101
