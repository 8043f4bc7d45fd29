"""What a study is asked to find out: goals and budget, checked as people write them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, Final, Literal, cast, get_args
from warnings import warn

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.designs import design_named
from stratawatch.core.estimation.variance_methods import variance_named
from stratawatch.core.goals import Goal, Option, SurveySpec
from stratawatch.core.metrics import metric_named
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS
from stratawatch.core.population import Census
from stratawatch.core.second_votes import NO_SECOND_VOTES, SecondVotes
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.study.estimate_rows import goal_margins

StopRule = Literal["budget", "goals", "sequential"]
"""Ask until the budget is spent; as few labels as the goals need; round after round, until the goals hold."""

FEWEST_ROUNDS: Final = 2
MOST_ROUNDS: Final = 3
"""Of a study whose goals decide how many labels there are."""
FEWEST_LABELS: Final = 4
"""Two among the items that are called positive and two among the others: one label has no variance."""
_WIDEST: Final = 0.5
# Beyond it, the tails of intervals are guesses, and of sequential studies no numbers.
_SUREST: Final = 0.999999


def read_stop_rule(rule: str | None, budget: object, sequential: object = None) -> StopRule:
    """When a study stops asking; without a rule a budget is spent, and goals are met where there is no budget."""
    if sequential is not None:
        if rule is not None:
            raise TypeError("Study() got `stop_rule` and its old name `sequential`")
        message = 'Study(sequential=True) is called stop_rule="sequential" now'
        warn(message, DeprecationWarning, stacklevel=3)
        rule = "sequential" if sequential else None
    if rule is None:
        return "goals" if budget is None else "budget"
    if rule not in get_args(StopRule):
        rules = ", ".join(get_args(StopRule))
        raise StratawatchError("there is no such stop rule", expected=f"one of {rules}", got=f"{rule!r:.40}")
    if rule == "budget" and budget is None:
        raise StratawatchError('stop_rule="budget" needs to know when to stop', expected="a budget", got="none")
    return cast("StopRule", rule)


def read_survey(
    goals: Iterable[Goal],
    budget: int | None,
    confidence: float,
    classifiers: Sequence[str],
    *,
    stop_rule: StopRule,
    design: str = "joint",
    options: Mapping[str, Option] | None = None,
    seed: str = "",
    variance: str = "default",
    second_votes: str = NO_SECOND_VOTES,
    rounds: int = MOST_ROUNDS,
) -> SurveySpec:
    """Check what a study is asked for and put it together; without goals the default ones stand."""
    given = (goals,) if isinstance(goals, Goal) else tuple(goals)
    checked = tuple(_goal(goal, classifiers) for goal in given)
    return SurveySpec(
        goals=checked or DEFAULT_GOALS,
        budget=_budget(budget),
        stop_at_goals=stop_rule != "budget",
        confidence=_confidence(confidence),
        design=str(design),
        options=_options(str(design), options, classifiers),
        seed=seed,
        variance=variance_named(variance).name,
        second_votes=_second_votes(second_votes),
        rounds=_rounds(rounds, stop_rule),
    )


def metric_names(metrics: Iterable[str]) -> tuple[str, ...]:
    """The names of metrics by their names or other ones, one or several."""
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    return tuple(metric_named(name).name for name in names)


def check_reachable(survey: SurveySpec, census: Census) -> None:
    """Raise for a budget that is too small for any interval, and for a goal that no labels reach.

    Default goals are exempt: nobody asked for them.
    """
    fewest = min(FEWEST_LABELS, census.size)
    if survey.budget is not None and survey.budget < fewest:
        raise PlanImpossible(
            f"a budget of {survey.budget} is below what any interval needs", expected=f"at least {fewest} labels"
        )
    unreachable = [] if survey.goals == DEFAULT_GOALS else _unreachable(survey, census)
    for goal, name, calls in unreachable:
        raise PlanImpossible(
            f"{metric_named(goal.metric).title} of {name!r} cannot be known to plus-minus {goal.margin:g}",
            got=f"a classifier that calls {calls}",
            hint="with all items labelled the best possible is still no information; leave the goal out",
        )


def capped_budget(survey: SurveySpec, census: Census) -> SurveySpec:
    """The survey with a budget of at most as many labels as there are items."""
    if survey.budget is None:
        return survey
    return replace(survey, budget=min(survey.budget, census.size))


def reachable_margins(survey: SurveySpec, census: Census) -> dict[tuple[str, str], float]:
    """The margins of all goals that enough labels reach, by (classifier, metric)."""
    margins = goal_margins(survey.goals, census.classifiers)
    for goal, name, _ in _unreachable(survey, census):
        margins.pop((name, goal.metric), None)
    return margins


def _unreachable(survey: SurveySpec, census: Census) -> list[tuple[Goal, str, str]]:
    """Goals and classifiers without an item that the metric could be a share of, and what those call."""
    cells, found = Cells.of_census(census), []
    for goal in survey.goals:
        for column, name in enumerate(census.classifiers):
            positive, negative = (float(side[:, column] @ cells.sizes) for side in (cells.positive, cells.negative))
            domain = metric_named(goal.metric).denominator_size(positive, negative)
            if goal.is_for(name) and domain is not None and domain.size == 0:
                found.append((goal, name, _calls(positive, negative)))
    return found


def _calls(positive: float, negative: float) -> str:
    if positive + negative == 0:
        return "nothing at all"
    return "no item negative" if positive else "no item positive"


def _goal(goal: Any, classifiers: Sequence[str]) -> Goal:
    if not isinstance(goal, Goal):
        raise StratawatchError("a goal cannot be read", expected='Goal("precision", margin=0.03)', got=f"{goal!r:.60}")
    metric_named(goal.metric)
    if not isinstance(goal.classifiers, tuple) and not goal.classifiers:
        raise StratawatchError(
            f"the goal for {goal.metric} is for no classifier",
            expected=f"some of {', '.join(classifiers)}",
            hint="without `classifiers` it is for all of them",
        )
    margin, names = _number(goal.margin), goal.classifiers
    names = (names,) if isinstance(names, str) else tuple(names)
    if margin is None or not 0 < margin <= _WIDEST:
        raise PlanImpossible(
            f"the goal for {goal.metric} is impossible",
            expected="a margin above 0, at most 0.5; 0.03 is plus-minus three points",
            got=f"{goal.margin!r:.20}",
            hint="the best possible is an exact value, with every item labelled",
        )
    for name in names:
        if name not in classifiers:
            raise StratawatchError(
                f"a goal for {goal.metric} names the unknown classifier {name!r}",
                expected=f"one of {', '.join(classifiers)}",
            )
    return Goal(goal.metric, margin, names)


def _options(design: str, options: Any, classifiers: Sequence[str]) -> dict[str, Option]:
    """The options of a design, if it has them; the classifiers that they name are those of the study."""
    if options is not None and not isinstance(options, Mapping):
        raise StratawatchError(
            "the options of the design cannot be read", expected='{"name": value}', got=f"{options!r:.60}"
        )
    given = {name: value.item() if isinstance(value, np.generic) else value for name, value in (options or {}).items()}
    for name in design_named(design, given).classifiers_named:
        if name not in classifiers:
            raise StratawatchError(
                f"the options of the design name the unknown classifier {name!r}",
                expected=f"one of {', '.join(classifiers)}",
            )
    return given


def _second_votes(rule: str) -> SecondVotes:
    if rule not in get_args(SecondVotes):
        rules = ", ".join(get_args(SecondVotes))
        raise StratawatchError("there is no such rule of second votes", expected=f"one of {rules}", got=f"{rule!r:.40}")
    return cast("SecondVotes", rule)


def _rounds(rounds: Any, stop_rule: StopRule) -> int:
    number = _number(rounds)
    if number is None or number not in (FEWEST_ROUNDS, MOST_ROUNDS):
        raise StratawatchError(
            "the number of rounds cannot be used",
            expected=f"{FEWEST_ROUNDS} or {MOST_ROUNDS}",
            got=f"{rounds!r:.40}",
            hint='stop_rule="sequential" asks round after round',
        )
    if number != MOST_ROUNDS and stop_rule != "goals":
        raise StratawatchError(
            f"rounds={rounds} is about labels that goals ask for",
            expected='stop_rule="goals"',
            got=f'stop_rule="{stop_rule}"',
            hint="leave `rounds` out",
        )
    return int(number)


def _budget(budget: Any) -> int | None:
    if budget is None:
        return None
    if isinstance(budget, bool) or not isinstance(budget, Integral):
        raise StratawatchError("the budget is no whole number", expected="labels, or None", got=f"{budget!r:.40}")
    return int(budget)


def _confidence(confidence: Any) -> float:
    number = _number(confidence)
    if number is None or not 0 < number <= _SUREST:
        raise StratawatchError(
            "the confidence cannot be used",
            expected=f"a number between 0 and 1, at most {_SUREST}, such as 0.95",
            got=f"{confidence!r:.40}",
        )
    return number


def _number(value: Any) -> float | None:
    """A number of any library's kind; None for what is none."""
    return float(value) if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) else None
