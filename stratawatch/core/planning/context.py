"""What all plans of one round rest on: expected rates, what the goals need, and whether the model is trusted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from stratawatch.core.cells import Cells
from stratawatch.core.goals import DEFAULT_VARIANCE, SurveySpec
from stratawatch.core.history.model import has_enough_labels
from stratawatch.core.history.model_trust import model_is_trusted
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.history.vanished_calls import vanished_part
from stratawatch.core.history.variance_priors import BORROWING, VariancePrior, variance_priors
from stratawatch.core.planning.allocation import drawable_items
from stratawatch.core.planning.expected_precision import ExpectedTotals
from stratawatch.core.planning.expected_rates import (
    ExpectedRates,
    model_rates,
    prior_rates,
    shrunk_prior_rates,
    updated_rates,
)
from stratawatch.core.planning.focus import planning_goals
from stratawatch.core.planning.goal_variances import (
    DEFAULT_GOALS,
    GoalVariances,
    PlannedGoal,
    goal_variances,
    goals_beside,
)
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.population import Counts
from stratawatch.core.tuning import BORROWED


def borrowed_priors(survey: SurveySpec, history: History, classifiers: Sequence[str]) -> tuple[VariancePrior, ...]:
    """What earlier periods say of variances; none where a survey's intervals rest on its own labels alone.

    Intervals borrow where goals about precision and recall decide how many labels there are, up to the confidence that
    it was measured for: further out, borrowed intervals are too short. How far the model of history is off is part of
    what is borrowed, so that only one that is far off is not trusted.
    """
    may_borrow = survey.stop_at_goals and survey.variance == DEFAULT_VARIANCE
    may_borrow = may_borrow and all(goal.metric in BORROWING for goal in survey.goals)
    if not may_borrow or survey.confidence > BORROWED.most_confidence or not has_enough_labels(history):
        return ()
    return variance_priors(history, classifiers) if model_is_trusted(history, BORROWED) else ()


@dataclass(frozen=True)
class PlanningContext:
    """One population, one survey, one history, and the labels that rates are updated by (None: before any).

    `assumed_rates` take the place of those that scores, history or labels say. Everything is computed when it is first
    asked for, and once.
    """

    cells: Cells
    survey: SurveySpec
    history: History = NO_HISTORY
    labels: LabelsSoFar | None = None
    assumed_rates: ExpectedRates | None = None

    def after(self, labels: LabelsSoFar) -> "PlanningContext":
        """The context of a later round. A history says more than the few labels of a first round: rates stay."""
        if labels.ordinal == 1 or self.has_history:
            return self
        return replace(self, labels=labels)

    @cached_property
    def goals(self) -> tuple[PlannedGoal, ...]:
        """What plans are made for: the survey's goals, or the default ones."""
        return planning_goals(self.survey)

    @cached_property
    def drawable(self) -> Counts:
        """Items of each stratum that may be drawn."""
        return drawable_items(self.cells)

    @cached_property
    def has_history(self) -> bool:
        """Whether there are enough earlier labels to plan by."""
        return has_enough_labels(self.history)

    @cached_property
    def model_is_trusted(self) -> bool:
        """Whether plans may take the rates of the model of earlier labels as they are."""
        return bool(self.variance_priors) or model_is_trusted(self.history)

    @cached_property
    def variance_priors(self) -> tuple[VariancePrior, ...]:
        """What earlier periods say of variances, where this survey's intervals borrow from it."""
        if self.cells.prior_rate is None:
            return ()
        return borrowed_priors(self.survey, self.history, self.cells.classifiers)

    @cached_property
    def vanished_calls(self) -> float:
        """How many more of these items would be called, had the part that is called not suddenly fallen of late."""
        judged = float(self.cells.sizes @ self.cells.has_call)
        return judged * vanished_part(self.cells, self.history)

    @cached_property
    def rates(self) -> ExpectedRates:
        """What the next labels are expected to say."""
        if self.assumed_rates is not None:
            return self.assumed_rates
        if self.labels is not None:
            labels = self.labels
            return updated_rates(self.cells, labels.positives, labels.labelled, by_votes=self.survey.stop_at_goals)
        if not self.has_history or not self.survey.stop_at_goals:
            return prior_rates(self.cells, self.history)
        return (model_rates if self.model_is_trusted else shrunk_prior_rates)(self.cells, self.history)

    @cached_property
    def variances(self) -> GoalVariances:
        """What each goal needs of every stratum, by these rates."""
        return goal_variances(self.cells, self.goals, self.rates)

    def usual_variances(self, labels: int) -> GoalVariances:
        """What so many labels without goals need of every stratum, by these rates."""
        return goal_variances(self.cells, (*DEFAULT_GOALS, *goals_beside(labels)), self.rates)

    @cached_property
    def expected(self) -> ExpectedTotals:
        """What labels are expected to say of every classifier, by these rates."""
        return ExpectedTotals.of(self.cells, self.rates)
