"""Tripathi, Jagannathan and Dhamodharaswamy: precisions from one recycled sample, and recall of every classifier."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.designs.design_options import classifier_index
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.estimation.metric_estimates import EstimationRequest, Estimator
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import metric_named
from stratawatch.core.plan import Plan
from stratawatch.core.planning.expected_rates import prior_rates
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.population import Atom, Census, Counts
from stratawatch.core.stratification.initial_atoms import initial_atoms
from stratawatch.errors import PlanImpossible
from stratawatch.literature.paper_design import EstimateOne, PaperDesign, limit_to_pools
from stratawatch.literature.tripathi.mixing import UNIFORM_SAMPLE
from stratawatch.literature.tripathi.pattern_strata import stratum_numbers
from stratawatch.literature.tripathi.recycled_estimates import SUPPORTED_METRICS, RecycledEstimates
from stratawatch.literature.tripathi.recycling_options import RecyclingOptions
from stratawatch.literature.tripathi.sequences import ClassifierSequences

# Measured; see docs/methods/tripathi.md.
_WIDER: Final = (
    "From the same labels design = 'tripathi' knows less than design = 'joint': half-widths came out 1.4 times as "
    "large for precision, 1.1 to 1.2 times for recall (four classifiers, 500 and 2,000 labels)"
)
_AGAIN: Final = (
    "Mixing 'uniform_sample' of design = 'tripathi' makes precision 16 to 17% wider than 'uniform_shuffle' does, as it "
    "draws again from what is recycled"
)


@dataclass(frozen=True)
class TripathiDesign(RecyclingOptions, PaperDesign):
    """One round: a sequence for every precision, recycled from the parent's, and the parent's false-omission rate."""

    name: ClassVar[str] = "tripathi"
    paper: ClassVar[str] = "Tripathi, Jagannathan and Dhamodharaswamy"
    estimator: ClassVar[Estimator] = "side_mean"
    estimates_segments: ClassVar[bool] = False
    method: ClassVar[str] = "recycled samples"
    paper_metrics: ClassVar[tuple[str, ...]] = SUPPORTED_METRICS

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was measured of it, and of the mixing."""
        return (_WIDER, _AGAIN) if self.mixing == UNIFORM_SAMPLE else (_WIDER,)

    @property
    def classifiers_named(self) -> tuple[str, ...]:
        """The parent, if one is named."""
        return (self.parent,) if self.parent else ()

    def classifiers_drawn_for(self, classifiers: Sequence[str]) -> tuple[str, ...]:
        """The parent: without a name the panel's first."""
        return (classifiers[classifier_index(self.parent, classifiers)],)

    def unsupported_reason(self, metric: str, classifier: str, classifiers: Sequence[str]) -> str:
        """A reason for everything but precision, recall, false-omission rate, and one minus one of them."""
        if self.paper_metric(metric):
            return ""
        return (
            f"design = 'tripathi' does not tell {metric_named(metric).title}: only precision and what follows from it"
        )

    def validate(self, survey: SurveySpec, scored: Mapping[str, bool]) -> None:
        """Refuse a budget that leaves precisions less than a label each."""
        budget = survey.budget or 0
        left = budget - round(budget * self.omission_share)
        if left < len(scored):
            raise PlanImpossible(
                f"'omission_share' of {self.omission_share:g} leaves {left} of {budget} labels to precisions",
                expected=f"at least one for each of {len(scored)} classifiers",
                hint="raise the budget or keep a smaller share",
            )

    def least_budget(self, classifiers: int) -> int:
        """Two labels for every stratum that the parent calls negative: a pattern of the other classifiers each."""
        least = 2**classifiers / self.omission_share if self.omission_share else 0
        return max(int(np.ceil(least)), classifiers)

    def drawable(self, cells: Cells) -> Flags:
        """All cells with a call, if any classifier calls an item positive."""
        return cells.has_call & bool(cells.called_by_any.any())

    def stratify(self, census: Census, survey: SurveySpec, history: History) -> tuple[Atom, ...]:
        """Initial cells: each pattern with a positive call is a stratum, the rest is cut by expected rates."""
        atoms = initial_atoms(census)
        cells = Cells.of_atoms(census.classifiers, atoms)
        sequences = self._sequences(cells, survey)
        rates, labels = prior_rates(cells, history), sequences.omission_budget
        strata = stratum_numbers(cells, sequences.parent, rates, labels).tolist()
        stratified = tuple(replace(atom, stratum=stratum) for atom, stratum in zip(atoms, strata, strict=True))
        # A budget that does not reach all strata is refused now, before the design is frozen.
        self.max_totals(Cells.of_atoms(census.classifiers, stratified), survey, history)
        return stratified

    def max_totals(self, cells: Cells, survey: SurveySpec, history: History) -> Counts:
        """The totals of the only round, which do not depend on labels."""
        return self._sequences(cells, survey).totals

    def plan(self, cells: Cells, survey: SurveySpec, history: History, so_far: LabelsSoFar, pools: Counts) -> Plan:
        """Everything in the first round. Labels that exist already count too: the draw must not depend on them."""
        if so_far.ordinal > 1:
            return Plan(tuple(so_far.drawn.tolist()), {}, self.method)
        metrics = dict.fromkeys((*SUPPORTED_METRICS, *(goal.metric for goal in survey.goals)))
        return limit_to_pools(self.plan_all_rounds(cells, survey, history, tuple(metrics)), so_far.drawn, pools)

    def plan_all_rounds(self, cells: Cells, survey: SurveySpec, history: History, metrics: Sequence[str]) -> Plan:
        """The only round, with the half-widths to expect if every stratum has its expected share of positives."""
        sequences = self._sequences(cells, survey)
        expected = RecycledEstimates.expected(sequences, prior_rates(cells, history).rate, survey.confidence)
        widths = {
            (name, metric): found.half_width
            for place, name in enumerate(cells.classifiers)
            for metric in metrics
            if (source := self.paper_metric(metric))
            and isinstance(found := expected.estimate(source, place)[0], IntervalEstimate)
        }
        return Plan(tuple(sequences.totals.tolist()), widths, self.method)

    def estimator_for(
        self, cells: Cells, atoms: Sequence[Atom], sample: LabelledSample, request: EstimationRequest
    ) -> EstimateOne:
        """Precision, recall and false-omission rate over everything."""
        found = RecycledEstimates.of_labels(self._sequences(cells, request.survey), sample, request.confidence)
        return lambda metric, place, _segment: found.estimate(metric, place)

    def _sequences(self, cells: Cells, survey: SurveySpec) -> ClassifierSequences:
        return ClassifierSequences(cells, survey, self)
