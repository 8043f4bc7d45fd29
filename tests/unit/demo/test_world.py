"""The issue's demands on the world, checked on true values: 6%, 25 points, half of the positives, nobody else hurt."""

import numpy as np
import pytest

from stratawatch.demo.messages import in_region
from stratawatch.demo.models import CLASSIFIERS
from stratawatch.demo.world import (
    BREAK_WEEK,
    DEGRADED_CLASSIFIER,
    HEALTHY_CLASSIFIERS,
    ITEMS,
    LIMIT_MARGIN,
    LIMITED_METRICS,
    WEEKS,
    build_world,
)

TOLERANCE = 0.025
"""About four standard errors of a precision over one week's northern calls."""


@pytest.fixture(scope="module")
def weeks(world):
    return [world.week(number) for number in range(1, WEEKS + 1)]


class TestHealthyWorld:
    def test_every_week_has_its_items_and_six_percent_scams(self, weeks):
        for week in weeks:
            assert len(week.truth) == ITEMS
            assert week.truth.mean() == pytest.approx(0.06, abs=0.004)

    def test_classifiers_are_good_but_not_separable(self, world):
        for name in CLASSIFIERS:
            assert 0.80 <= world.healthy[name, "precision"] <= 0.92
            assert 0.65 <= world.healthy[name, "recall"] <= 0.80

    def test_limits_stand_five_points_below_the_healthy_values(self, world):
        assert set(world.floors) == {(name, metric) for name in CLASSIFIERS for metric in LIMITED_METRICS}
        for key, floor in world.floors.items():
            assert floor == pytest.approx(world.healthy[key] - LIMIT_MARGIN, abs=1e-4)

    def test_healthy_weeks_stay_near_the_healthy_values(self, world, weeks):
        for week in weeks[: BREAK_WEEK - 1]:
            for key, value in week.true_values().items():
                assert value == pytest.approx(world.healthy[key], abs=TOLERANCE), (week.number, key)


class TestBreak:
    def test_the_north_holds_half_of_the_degraded_classifiers_positives(self, weeks):
        for week in weeks[: BREAK_WEEK - 1]:
            called = week.calls[:, CLASSIFIERS.index(DEGRADED_CLASSIFIER)]
            assert in_region(week.region, "north")[called].mean() == pytest.approx(0.5, abs=0.03)

    def test_precision_in_the_north_falls_by_25_points(self, weeks):
        key = (DEGRADED_CLASSIFIER, "precision")
        before = np.mean([week.true_values("north")[key] for week in weeks[: BREAK_WEEK - 1]])
        for week in weeks[BREAK_WEEK - 1 :]:
            assert before - week.true_values("north")[key] == pytest.approx(0.25, abs=TOLERANCE)

    def test_elsewhere_and_in_recall_nothing_changes(self, world, weeks):
        for week in weeks[BREAK_WEEK - 1 :]:
            assert week.true_values("south")[DEGRADED_CLASSIFIER, "precision"] == pytest.approx(
                world.healthy[DEGRADED_CLASSIFIER, "precision"], abs=2 * TOLERANCE
            )
            assert week.true_values()[DEGRADED_CLASSIFIER, "recall"] == pytest.approx(
                world.healthy[DEGRADED_CLASSIFIER, "recall"], abs=TOLERANCE
            )

    def test_the_healthy_classifiers_and_the_vote_stay_inside_their_limits(self, world, weeks):
        for week in weeks:
            for name in (*HEALTHY_CLASSIFIERS, "vote"):
                for metric in LIMITED_METRICS:
                    assert week.true_values()[name, metric] > world.floors[name, metric]

    def test_the_degraded_classifier_is_below_its_limit_from_week_7_on(self, world, weeks):
        key = (DEGRADED_CLASSIFIER, "precision")
        below = [week.true_values()[key] < world.floors[key] for week in weeks]
        assert below == [week.number >= BREAK_WEEK for week in weeks]


class TestRepetition:
    def test_the_same_seed_gives_the_same_weeks(self, world):
        again = build_world(world.seed)
        assert again.campaign == world.campaign
        assert np.array_equal(again.week(3, items=2_000).scores, world.week(3, items=2_000).scores)

    def test_weeks_differ(self, world):
        assert not np.array_equal(world.week(3, items=2_000).truth, world.week(4, items=2_000).truth)
