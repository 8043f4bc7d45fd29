"""Labels that are there before the first round: a forecast's draw takes them in for nothing."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.planning.known_labels import known_labels
from stratawatch.core.planning.round_planner import RoundPlanner
from tests.support.planned_cells import MADE, PAST, until


def with_numbers(share: float) -> History:
    """The past, of which this share may be drawn again, with random numbers as small as its draws had them."""
    rng = np.random.default_rng(3)
    stays = rng.random(len(PAST)) < share
    numbers = np.where(stays, rng.random(len(PAST)) / PAST.weights, np.nan)
    return replace(PAST, drawable=stays, numbers=numbers)


class TestKnownLabels:
    def test_are_met_by_draws_that_reach_their_numbers(self):
        past = replace(PAST, numbers=np.full(len(PAST), np.nan))
        past.numbers[:3] = 0.01, 0.02, 0.5
        known = known_labels(MADE, past)
        whole = MADE.stratum_sizes.astype(np.int64)
        assert [int(known.unlabelled_in(part * whole // 1000).sum()) for part in (5, 15, 30, 900)] == [
            int((part * whole // 1000).sum()) - met for part, met in ((5, 0), (15, 1), (30, 2), (900, 3))
        ]

    def test_of_one_item_that_several_periods_drew_are_one(self):
        past = replace(PAST, numbers=np.full(len(PAST), np.nan))
        past.numbers[:3] = 0.01
        assert len(known_labels(MADE, past).strata) == 1

    def test_are_none_where_nobody_looked_or_nothing_stays(self):
        assert known_labels(MADE, PAST) is None
        assert known_labels(MADE, NO_HISTORY) is None
        assert known_labels(MADE, with_numbers(0)) is None


class TestForecasts:
    @pytest.mark.parametrize("share", [0.5, 1.0])
    def test_of_a_budget_count_new_labels_and_draw_more(self, share):
        planner = RoundPlanner(MADE, SurveySpec(budget=300), with_numbers(share))
        totals = planner.total_plan()
        assert planner.before_any_label.new_label_cost(totals) == pytest.approx(300, abs=3)
        assert totals.sum() > 300 + 100 * share
        assert RoundPlanner(MADE, SurveySpec(budget=300), PAST).total_plan().sum() == 300

    def test_for_goals_take_what_is_there(self):
        blind = RoundPlanner(MADE, until(0.04), PAST)
        told = RoundPlanner(MADE, until(0.04), with_numbers(0.7))
        asked = told.before_any_label.new_label_cost(told.total_plan())
        assert asked < 0.8 * blind.total_plan().sum()

    def test_do_not_change_the_pools(self):
        blind, told = (RoundPlanner(MADE, until(0.04), past).max_totals() for past in (PAST, with_numbers(0.7)))
        assert blind.tolist() == told.tolist()
