"""The default: one design for the whole panel, in which every label serves every classifier and metric."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from stratawatch.core.cells import Cells
from stratawatch.core.designs.base import SamplingDesign
from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.metric_estimates import EstimationRequest, estimate_metrics
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.plan import Plan
from stratawatch.core.planning.allocation import AllocationBounds
from stratawatch.core.planning.borrowed_allocator import borrowed_half_widths
from stratawatch.core.planning.expected_precision import ExpectedTotals, expected_half_widths
from stratawatch.core.planning.half_width_ranges import forecast_rates, half_width_ranges
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.planning.round_planner import RoundPlanner
from stratawatch.core.planning.round_sizes import most_rounds
from stratawatch.core.population import Atom, Census, Counts
from stratawatch.core.stratification.stratify import stratify


@dataclass(frozen=True)
class JointDesign(SamplingDesign):
    """Strata that mix patterns, planned for all goals together, read by difference estimates."""

    name: ClassVar[str] = "joint"
    plans_for_goals: ClassVar[bool] = True
    spends_budget: ClassVar[bool] = True
    forecasts_ranges: ClassVar[bool] = True

    def max_rounds(self, survey: SurveySpec) -> int:
        """One for small budgets, else two, or as many as goals may take."""
        return most_rounds(survey)

    def stratify(self, census: Census, survey: SurveySpec, history: History) -> tuple[Atom, ...]:
        """Atoms, merged to strata where the goals lose least."""
        return stratify(census, survey, history)

    def max_totals(self, cells: Cells, survey: SurveySpec, history: History) -> Counts:
        """What any of the planner's plans would draw."""
        return RoundPlanner(cells, survey, history).max_totals()

    def plan(self, cells: Cells, survey: SurveySpec, history: History, so_far: LabelsSoFar, pools: Counts) -> Plan:
        """The planner's next round."""
        return RoundPlanner(cells, survey, history).plan(so_far, pools)

    def plan_all_rounds(self, cells: Cells, survey: SurveySpec, history: History, metrics: Sequence[str]) -> Plan:
        """All rounds at once, by the rates that scores or history predict."""
        planner = RoundPlanner(cells, survey, history)
        return _forecast(planner, planner.total_plan(), metrics)

    def plan_between(
        self, cells: Cells, survey: SurveySpec, history: History, metrics: Sequence[str], bounds: AllocationBounds
    ) -> Plan:
        """All rounds of a budget at once, with no less and no more of any stratum than the bounds say."""
        planner = RoundPlanner(cells, survey, history)
        return _forecast(planner, planner.total_plan_within(bounds), metrics)

    def goals_without_scores(self, cells: Cells, survey: SurveySpec, history: History) -> int | None:
        """The planner's guess; with a history its model says more than scores."""
        planner = RoundPlanner(cells, survey, history)
        return None if planner.context.has_history else int(planner.goals_without_scores().sum())

    def estimate(
        self, cells: Cells, atoms: Sequence[Atom], sample: LabelledSample, request: EstimationRequest
    ) -> tuple[Estimate, ...]:
        """Difference estimates."""
        return estimate_metrics(cells, atoms, sample, request)


def _forecast(planner: RoundPlanner, totals: Counts, metrics: Sequence[str]) -> Plan:
    context, whole = planner.context, int(totals.sum())
    expected = ExpectedTotals.of(context.cells, forecast_rates(context))
    widths = expected_half_widths(expected, totals, planner.survey.confidence, metrics)
    ranges = half_width_ranges(context, totals, metrics)
    borrowed = borrowed_half_widths(context, totals)
    for name in [name for name in borrowed.keys() & ranges.keys() if widths[name] > 0]:
        # As much narrower as the half-width that was expected: the guesses are of rates, which are the same.
        ranges[name] = ranges[name].scaled(borrowed[name] / widths[name])
    return Plan(
        totals=tuple(totals.tolist()),
        half_widths=widths | {name: width for name, width in borrowed.items() if name in widths},
        method="all rounds at once",
        looks_harder=planner.looks_harder(totals),
        known_labels=whole - planner.before_any_label.new_label_cost(totals),
        ranges=ranges,
    )
