from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.planning.allocation import AllocationBounds
from stratawatch.core.planning.budget_allocator import BudgetAllocator, affordable_totals
from stratawatch.core.planning.context import PlanningContext
from stratawatch.core.planning.expected_precision import expected_half_widths
from stratawatch.core.planning.integer_allocation import clip_and_round
from stratawatch.core.planning.labels_so_far import LabelsSoFar, UnlabelledCandidates

NOTHING = np.zeros(2, dtype=np.int64)


def so_far(known: set[tuple[int, int]], sizes: Sequence[int] = (100, 100)) -> LabelsSoFar:
    """Known candidates as (stratum, place in the order of its draw)."""
    strata = np.repeat(np.arange(2), sizes)
    unlabelled = [(stratum, place) not in known for stratum in range(2) for place in range(sizes[stratum])]
    return LabelsSoFar(
        1, NOTHING, NOTHING, NOTHING, costs=UnlabelledCandidates(0, strata, np.array(unlabelled, dtype=np.bool_))
    )


def halves(labels: int):
    return np.array([labels // 2, labels - labels // 2])


def test_without_known_labels_it_is_the_budget():
    assert affordable_totals(halves, so_far(set()), 10, 100).tolist() == [5, 5]


def test_known_labels_make_room_for_more_that_may_be_known_too():
    """10 labels, 3 of them known; 3 more, of which 1 is known; 1 more."""
    known = {(0, 0), (0, 1), (1, 2), (1, 6)}
    assert affordable_totals(halves, so_far(known), 10, 100).tolist() == [7, 7]


def test_there_are_no_more_than_there_are():
    assert affordable_totals(halves, so_far({(0, place) for place in range(9)}), 10, 12).sum() == 12


@given(
    sizes=st.lists(st.integers(1, 40), min_size=2, max_size=2),
    known=st.sets(st.tuples(st.integers(0, 1), st.integers(0, 39))),
    budget=st.integers(0, 90),
)
def test_the_budget_is_spent_to_the_last_label_but_for_rounding(sizes, known, budget):
    caps = np.array(sizes)
    told = so_far({(stratum, place) for stratum, place in known if place < sizes[stratum]}, sizes)
    found = affordable_totals(lambda n: clip_and_round(caps, NOTHING, caps, n), told, budget, int(caps.sum()))
    assert told.new_label_cost(found) <= budget
    assert told.new_label_cost(found) >= min(budget - 1, told.new_label_cost(caps))


def test_a_label_that_rounding_makes_dear_is_left():
    """The third label would move the free one to where it costs."""
    totals = {2: np.array([1, 1]), 3: np.array([0, 3])}
    assert affordable_totals(totals.__getitem__, so_far({(0, 0)}), 2, 3).tolist() == [1, 1]


@pytest.mark.parametrize("budget", [0, 5])
def test_without_anything_to_ask_nothing_is_asked(budget):
    assert affordable_totals(halves, so_far(set()), budget, 0).sum() == 0


class TestRecallAlone:
    """A rare classifier that is nearly always right, and misses some: variances leave its flags two labels."""

    cells = Cells.of(("a",), ["1", "0", "0"], np.array([400.0, 2000, 47_600]), np.array([0.99, 0.03, 0.0005]))

    def half_width(self, goals):
        context = PlanningContext(self.cells, SurveySpec(goals, budget=600))
        bounds = AllocationBounds(np.zeros(3, dtype=np.int64), context.drawable)
        totals = BudgetAllocator(context).best(600, bounds)
        return expected_half_widths(context.expected, totals, 0.95, ("recall",))["a", "recall"], totals

    def test_is_not_wider_than_beside_precision(self):
        alone, totals = self.half_width((Goal("recall", 0.05),))
        beside, _ = self.half_width(())
        assert alone <= beside
        assert totals[0] > 10
