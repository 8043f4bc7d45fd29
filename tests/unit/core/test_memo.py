from dataclasses import replace

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.memo import IdentityMemo
from stratawatch.core.planning.round_planner import RoundPlanner

MADE = Cells.of(("a",), ["1", "0"], np.array([1e4, 9e4]), np.array([0.8, 0.1]))


def test_a_thing_is_made_once_for_each_name_and_companion():
    one, first, second, made = IdentityMemo(), object(), object(), []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    asked = [("rates", first), ("rates", first), ("rates", second), ("sums", second), ("rates", second)]
    assert [one.memoised(what, beside, make) for what, beside in asked] == [0, 0, 1, 2, 1]


def test_a_copy_that_differs_remembers_nothing():
    made = replace(MADE)
    assert made.memoised("number", made, lambda: 1) == 1
    assert replace(made, scores=np.array([0.5, 0.5])).memoised("number", made, lambda: 2) == 2


def test_planners_of_the_same_cells_share_what_they_foresee():
    """Whatever the budget and the goals, rates are those of the cells."""
    made = replace(MADE)
    goals = (Goal("precision", 0.03),)
    planners = [RoundPlanner(made, SurveySpec(budget=100)), RoundPlanner(made, SurveySpec(budget=300, goals=goals))]
    assert planners[0].rates is planners[1].rates
    assert RoundPlanner(replace(MADE), SurveySpec(budget=100)).rates is not planners[0].rates
