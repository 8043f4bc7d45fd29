"""In how many rounds labels are asked for, and how many in the first."""

from math import ceil

from stratawatch.core.goals import SurveySpec
from stratawatch.core.tuning import PLANNER


def most_rounds(survey: SurveySpec) -> int:
    """Rounds of a cycle, at most; the last ones may have nothing left to ask.

    >>> most_rounds(SurveySpec(budget=900)), most_rounds(SurveySpec(budget=39))
    (2, 1)
    >>> most_rounds(SurveySpec(stop_at_goals=True))
    3
    """
    if survey.budget is not None and survey.budget < PLANNER.one_round_below:
        return 1
    return survey.rounds if survey.stop_at_goals else 2


def first_round_labels(budget: int) -> int:
    """Labels of a first round that has no history.

    >>> first_round_labels(900), first_round_labels(39)
    (360, 39)
    """
    return budget if budget < PLANNER.one_round_below else ceil(PLANNER.first_share * budget)
