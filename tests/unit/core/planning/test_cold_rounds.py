"""Rounds for goals that have no history to go by: a pilot, a part of what its labels say is needed, and the rest."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.planning.allocation import AllocationBounds
from stratawatch.core.planning.context import PlanningContext
from stratawatch.core.planning.expected_precision import expected_half_widths
from stratawatch.core.planning.expected_rates import updated_rates
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.planning.margin_allocator import MarginAllocator
from stratawatch.core.planning.round_planner import RoundPlanner
from stratawatch.core.tuning import PLANNER
from tests.support.planned_cells import MADE, WHOLE, goals, so_far, until

SURVEY = until(0.05)
PILOT = np.array(RoundPlanner(MADE, SURVEY).plan(so_far(1), WHOLE).totals)
ROOM = AllocationBounds(PILOT, WHOLE)


def expected(labels, survey=SURVEY):
    """The half-widths that the plan after these labels expects of them."""
    context = PlanningContext(MADE, survey).after(labels)
    return expected_half_widths(context.expected, labels.drawn, 0.95, context.variances.metrics)


def planned(ordinal, by=1.0, survey=SURVEY, labels=None):
    """Labels in all of a round where intervals came out `by` times as wide as expected."""
    labels = so_far(ordinal, PILOT) if labels is None else replace(labels, ordinal=ordinal)
    widths = {name: by * width for name, width in expected(labels, survey).items()}
    return int(RoundPlanner(MADE, survey).totals(replace(labels, half_widths=widths), WHOLE).sum())


class TestRounds:
    def test_the_second_of_three_asks_for_a_part_and_the_last_for_what_is_left(self):
        ratio = planned(2) / planned(3)
        assert ratio == pytest.approx(PLANNER.cold_middle_factor / PLANNER.cold_last_factor, rel=0.1)

    def test_the_second_of_two_is_the_last(self):
        two = replace(SURVEY, rounds=2)
        assert planned(2, survey=two) == planned(3)
        assert planned(3, survey=two) == PILOT.sum()

    def test_there_is_no_fourth(self):
        assert planned(4) == PILOT.sum()

    def test_intervals_that_came_out_narrower_save_labels(self):
        assert planned(3, by=0.9) < 0.95 * planned(3)


class TestSurprises:
    """A half-width other than expected moves a plan by the labels behind it."""

    def ratio(self, labels, by):
        widths = {name: by * width for name, width in expected(labels).items()}
        return MarginAllocator(PlanningContext(MADE, SURVEY).after(labels))._width_ratio(
            replace(labels, half_widths=widths)
        )

    def test_of_many_mistaken_labels_are_believed(self):
        many = so_far(2, np.minimum(3 * PILOT, WHOLE))
        assert self.ratio(many, 1.3) == pytest.approx(1.3, rel=0.02)

    def test_of_few_are_believed_in_part(self):
        few = so_far(2, PILOT)
        few = replace(few, positives=np.where(np.arange(len(PILOT)) == 3, 1.0, np.where(MADE.votes > 0, PILOT, 0.0)))
        assert bool(((self.ratio(few, 1.5) > 1.2) & (self.ratio(few, 1.5) < 1.45))[2:].all())

    def test_of_no_mistake_are_not_believed(self):
        none = so_far(2, PILOT)
        none = replace(none, positives=np.where(MADE.votes > 0, none.labelled, 0.0))
        assert self.ratio(none, 2.0) == pytest.approx(1.0)

    def test_have_bounds(self):
        many = so_far(2, np.minimum(3 * PILOT, WHOLE))
        assert self.ratio(many, 50.0) == pytest.approx(PLANNER.cold_width_ratio[1], rel=0.05)

    def test_a_metric_that_is_not_told_is_as_far_off_as_any(self):
        context = PlanningContext(MADE, SURVEY).after(so_far(2, PILOT))
        assert MarginAllocator(context)._width_ratio(so_far(2, PILOT)) == pytest.approx(PLANNER.max_width_ratio)


class TestCalls:
    """Scores that say nothing: two thirds of what is called are positives, and one in a hundred of the rest."""

    made = Cells.of(
        ("a",), ["0", "0", "0", "1", "1", "1"], np.full(6, 3000.0), np.array([0.1, 0.5, 0.9, 0.1, 0.5, 0.9])
    )
    answered = np.full(6, 60.0)
    yes = np.array([1, 0, 1, 40, 40, 40.0])

    def test_what_labels_say_of_calls_is_heard_where_goals_decide(self):
        by_votes = updated_rates(self.made, self.yes, self.answered, by_votes=True).rate
        by_scores = updated_rates(self.made, self.yes, self.answered).rate
        assert by_votes[:3].mean() < 0.05
        assert by_scores[:3].mean() > 2 * by_votes[:3].mean()
        context = PlanningContext(self.made, SURVEY).after(
            replace(so_far(2, np.zeros(17)), labelled=self.answered, positives=self.yes)
        )
        assert context.rates.rate == pytest.approx(by_votes)

    def test_no_miss_among_few_labels_is_luck_in_part(self):
        made = Cells.of(("a",), ["0", "1"], np.array([9000.0, 1000.0]), np.array([0.02, 0.8]))
        found = updated_rates(made, np.array([0.0, 80.0]), np.array([100.0, 100.0]), by_votes=True)
        assert 0.2 * 0.02 < found.rate[0] < 0.02


def test_a_stratum_may_have_two_labels():
    wide = until(0.5)
    totals = MarginAllocator(PlanningContext(MADE, wide)).totals(AllocationBounds(np.zeros_like(WHOLE), WHOLE))
    assert min(totals[:-1]) >= PLANNER.cold_min_labels
    assert min(totals[:-1]) < PLANNER.min_labels_for_margins


def test_pools_suffice_where_scores_turn_out_to_say_nothing():
    """Then labels go by size, as many as a large first round has."""
    most = RoundPlanner(MADE, until(0.2)).max_totals()
    by_size = PLANNER.pilot_labels[1] * WHOLE[:-1] / WHOLE[:-1].sum()
    assert bool((most[:-1] >= np.minimum(by_size, WHOLE[:-1]) - 1).all())


class TestAGoalJustMissed:
    """The second of three rounds plans with less than is needed: where that is nothing, no third would follow it."""

    def plan(self, ordinal, rounds=3, wider=1.04):
        labels = so_far(2, np.minimum(4 * PILOT, WHOLE))
        widths = expected(labels)
        survey = replace(SURVEY, goals=goals(max(widths.values()) / wider), rounds=rounds)
        now = replace(labels, ordinal=ordinal, half_widths=widths)
        return RoundPlanner(MADE, survey).totals(now, WHOLE), labels.drawn

    def test_is_planned_for_as_in_the_last_round(self):
        second, drawn = self.plan(2)
        third, _ = self.plan(3)
        assert second.sum() > drawn.sum()
        assert second.tolist() == third.tolist()

    def test_and_one_that_holds_gets_nothing(self):
        second, drawn = self.plan(2, wider=0.99)
        assert second.tolist() == drawn.tolist()


def test_a_precision_that_does_not_exist_keeps_nobody_asking():
    """A classifier that calls nothing positive: all else holds."""
    cells = Cells.of(("a", "b"), ["00", "10", "00"], np.array([5000.0, 500, 500]), np.array([0.01, 0.8, 0.3]))
    drawn = np.array([100, 60, 60])
    widths = {("a", "precision"): 0.05, ("a", "recall"): 0.05, ("b", "recall"): 0.05}
    survey = SurveySpec((Goal("precision", 0.1), Goal("recall", 0.1)), stop_at_goals=True)
    labels = LabelsSoFar(2, drawn, drawn * 1.0, np.array([1.0, 48, 18]), widths)
    totals = RoundPlanner(cells, survey).totals(labels, np.array([5000, 500, 500]))
    assert totals.tolist() == drawn.tolist()
