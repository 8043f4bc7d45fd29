"""Refuse goals that a design cannot meet before any label is asked for; the default goals are exempt."""

from collections.abc import Sequence

from stratawatch.core.designs import DESIGNS, design_class
from stratawatch.core.designs.base import SamplingDesign
from stratawatch.core.estimation.variance_methods import variance_named
from stratawatch.core.goals import Goal, Limit, SurveySpec
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS
from stratawatch.errors import PlanImpossible


def reject_unreachable_goals(kind: SamplingDesign, survey: SurveySpec, classifiers: Sequence[str]) -> None:
    """Raise for the first goal of a classifier that the design does not serve."""
    if survey.goals in ((), DEFAULT_GOALS):
        return
    for goal in survey.goals:
        for why in unreachable_reasons(kind, goal, classifiers):
            raise PlanImpossible(
                why, got=f"a goal for {goal.metric}", hint="leave the goal out, or choose another design"
            )


def unreachable_reasons(kind: SamplingDesign, goal: Goal | Limit, classifiers: Sequence[str]) -> list[str]:
    """Why a design cannot estimate the metric of a goal or a limit: a sentence for each classifier concerned."""
    names = [name for name in classifiers if not goal.classifiers or name in goal.classifiers]
    return [why for name in names if (why := kind.unsupported_reason(goal.metric, name, classifiers))]


def check_variance_method(variance: str, design: str) -> None:
    """Raise for a variance method that does not fit the estimator of the design."""
    fitting = variance_named(variance).estimators
    if fitting and design_class(design).estimator not in fitting:
        designs = [name for name in DESIGNS if design_class(name).estimator in fitting]
        raise PlanImpossible(
            f"variance = '{variance}' is not one of the estimates of design = '{design}'",
            expected=" or ".join(f"design = '{name}'" for name in designs),
            hint="leave the variance out",
        )
