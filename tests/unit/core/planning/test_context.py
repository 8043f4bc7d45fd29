from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.planning.context import PlanningContext
from stratawatch.core.planning.expected_rates import prior_rates, updated_rates
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS, RandomSampleGoal
from tests.support.planned_cells import MADE, PAST, so_far

BUDGET = SurveySpec(budget=300)
LABELS = so_far(2, np.minimum(10, MADE.stratum_sizes).astype(np.int64))


def test_everything_is_computed_once():
    context = PlanningContext(MADE, BUDGET, PAST)
    assert context.rates is context.rates
    assert context.variances is context.variances
    assert context.expected is context.expected


def test_rates_are_those_of_scores_before_the_first_label_and_follow_labels_then():
    before = PlanningContext(MADE, BUDGET)
    assert before.after(so_far(1)) is before
    assert before.rates.rate == pytest.approx(prior_rates(MADE).rate)
    followed = updated_rates(MADE, LABELS.positives, LABELS.labelled)
    assert before.after(LABELS).rates.rate == pytest.approx(followed.rate)


def test_a_history_says_more_than_the_labels_of_a_first_round():
    before = PlanningContext(MADE, BUDGET, PAST)
    assert before.after(LABELS) is before


@pytest.mark.parametrize("goals", [(), DEFAULT_GOALS])
def test_a_budget_without_goals_of_its_own_has_the_default_ones_and_weakly_what_is_missed(goals):
    planned = PlanningContext(MADE, replace(BUDGET, goals=goals), NO_HISTORY).goals
    assert planned == (*DEFAULT_GOALS, RandomSampleGoal("false_omission_rate", 225, budget=300))


def test_labels_until_goals_hold_are_for_those_goals_alone():
    assert PlanningContext(MADE, SurveySpec(DEFAULT_GOALS, stop_at_goals=True)).goals == DEFAULT_GOALS
