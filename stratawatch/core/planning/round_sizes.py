"""In how many rounds labels are asked for, and how many in the first."""

from math import ceil
from typing import Final

from stratawatch.core.goals import SurveySpec

FIRST_SHARE: Final = 0.4
"""Share of the budget, or of what goals need, for a first round without history; the second reads its labels."""
ONE_ROUND_BELOW: Final = 40
"""Budgets too small to be split."""
SMALLEST_PILOT, LARGEST_PILOT = 200, 1000
"""Labels of a first round for goals that has no history to go by."""


def most_rounds(survey: SurveySpec) -> int:
    """Rounds of a cycle, at most; the last ones may have nothing left to ask.

    >>> most_rounds(SurveySpec(budget=900)), most_rounds(SurveySpec(budget=39))
    (2, 1)
    """
    return 1 if survey.budget is not None and survey.budget < ONE_ROUND_BELOW else 2


def first_labels(budget: int) -> int:
    """Labels of a first round that has no history.

    >>> first_labels(900), first_labels(39)
    (360, 39)
    """
    return budget if budget < ONE_ROUND_BELOW else ceil(FIRST_SHARE * budget)
