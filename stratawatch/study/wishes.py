"""What a study is asked to find out: goals and budget, checked as people write them."""

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, Final

import numpy as np

from stratawatch.core.anticipation import DEFAULT_GOALS
from stratawatch.core.cells import Cells
from stratawatch.core.estimation.metrics import metric_named
from stratawatch.core.estimation.metrics.metric import Called
from stratawatch.core.population import Census
from stratawatch.core.results import Commission, Goal
from stratawatch.errors import PlanImpossible, StratawatchError

FEWEST_LABELS: Final = 2
"""One label has no variance, and so no interval."""
_WIDEST: Final = 0.5


def read_commission(
    goals: Iterable[Goal], budget: int | None, confidence: float, classifiers: Sequence[str], *, sequential: bool
) -> Commission:
    """Goals without a budget are met; a budget is spent where it buys the goals most, or until they hold."""
    given = (goals,) if isinstance(goals, Goal) else tuple(goals)
    checked = tuple(_goal(goal, classifiers) for goal in given)
    return Commission(
        goals=checked or DEFAULT_GOALS,
        budget=_budget(budget),
        until_goals=budget is None or sequential,
        confidence=_confidence(confidence),
    )


def refuse_impossible(commission: Commission, census: Census) -> None:
    """Raise for a goal that no number of labels can reach; labels of all items make every other value exact."""
    cells = Cells.of_census(census)
    sizes = cells.sizes
    for goal in commission.goals:
        metric = metric_named(goal.metric)
        for column, name in enumerate(census.classifiers):
            if goal.of and name not in goal.of:
                continue
            positive, negative = float(cells.positive[:, column] @ sizes), float(cells.negative[:, column] @ sizes)
            domain = metric.domain(Called(positive, negative, None))
            if domain is not None and domain.size == 0:
                calls = (
                    "nothing at all"
                    if positive + negative == 0
                    else "no item " + ("negative" if positive else "positive")
                )
                raise PlanImpossible(
                    f"{metric.words} of {name!r} cannot be known to plus-minus {goal.margin:g}",
                    got=f"a classifier that calls {calls}",
                    hint="with all items labelled the best possible is still no information; leave the goal out",
                )


def _goal(goal: Any, classifiers: Sequence[str]) -> Goal:
    if not isinstance(goal, Goal):
        raise StratawatchError("a goal cannot be read", expected='Goal("precision", margin=0.03)', got=f"{goal!r:.60}")
    metric_named(goal.metric)
    margin, of = _number(goal.margin), (goal.of,) if isinstance(goal.of, str) else tuple(goal.of)
    if margin is None or not 0 < margin <= _WIDEST:
        raise PlanImpossible(
            f"the goal for {goal.metric} is impossible",
            expected="a margin above 0, at most 0.5; 0.03 is plus-minus three points",
            got=f"{goal.margin!r:.20}",
            hint="the best possible is an exact value, with every item labelled",
        )
    for name in of:
        if name not in classifiers:
            raise StratawatchError(
                f"a goal for {goal.metric} names the unknown classifier {name!r}",
                expected=f"one of {', '.join(classifiers)}",
            )
    return Goal(goal.metric, margin, of)


def _budget(budget: Any) -> int | None:
    if budget is None:
        return None
    if isinstance(budget, bool) or not isinstance(budget, Integral):
        raise StratawatchError("the budget is no whole number", expected="labels, or None", got=f"{budget!r:.40}")
    if budget < FEWEST_LABELS:
        raise PlanImpossible(
            f"a budget of {budget} is below what any interval needs", expected=f"at least {FEWEST_LABELS} labels"
        )
    return int(budget)


def _confidence(confidence: Any) -> float:
    number = _number(confidence)
    if number is None or not 0 < number < 1:
        raise StratawatchError(
            "the confidence cannot be used",
            expected="a number between 0 and 1, such as 0.95",
            got=f"{confidence!r:.40}",
        )
    return number


def _number(value: Any) -> float | None:
    """A number of any library's kind; None for what is none."""
    return float(value) if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) else None
