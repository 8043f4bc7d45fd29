"""Tripathi, Jagannathan and Dhamodharaswamy: precisions from one recycled sample, everybody's recall beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.designs.base import SamplingDesign
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.estimates import EstimationRequest, Estimator
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import metric_named
from stratawatch.core.plan import Plan
from stratawatch.core.planning.expected_rates import prior_rates
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.population import Atom, Census, Counts, Segment
from stratawatch.core.stratification.initial_cells import initial_cells
from stratawatch.errors import PlanImpossible
from stratawatch.literature.tripathi.mixing import UNIFORM_SAMPLE
from stratawatch.literature.tripathi.pattern_strata import stratum_numbers
from stratawatch.literature.tripathi.recycled_estimates import SUPPORTED_METRICS, RecycledEstimates
from stratawatch.literature.tripathi.recycling_options import RecyclingOptions
from stratawatch.literature.tripathi.sequences import ClassifierSequences

METHOD: Final = "recycled samples"
_SEGMENTS: Final = "design = 'tripathi' tells nothing of segments"


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
class Tripathi(RecyclingOptions, SamplingDesign):
    """One round: a sequence for every precision, recycled from the parent's, and the parent's false-omission rate."""

    name: ClassVar[str] = "tripathi"
    paper: ClassVar[str] = "Tripathi, Jagannathan and Dhamodharaswamy"
    estimator: ClassVar[Estimator] = "side_mean"
    estimates_segments: ClassVar[bool] = False

    @property
    def warnings(self) -> tuple[str, ...]:
        """By the mixing."""
        return (_WIDER, _AGAIN) if self.mixing == UNIFORM_SAMPLE else (_WIDER,)

    @property
    def classifiers_named(self) -> tuple[str, ...]:
        """The parent, if one is named."""
        return (self.parent,) if self.parent else ()

    def unsupported_reason(self, metric: str, classifier: str, classifiers: Sequence[str]) -> str:
        """Everything but precision, recall and false-omission rate."""
        if metric in SUPPORTED_METRICS:
            return ""
        return (
            f"design = 'tripathi' does not tell {metric_named(metric).title}: only precision and what follows from it"
        )

    def validate(self, survey: SurveySpec, scored: Mapping[str, bool]) -> None:
        """A budget that leaves precisions less than a label each."""
        budget = survey.budget or 0
        left = budget - round(budget * self.omission_share)
        if left < len(scored):
            raise PlanImpossible(
                f"'omission_share' of {self.omission_share:g} leaves {left} of {budget} labels to precisions",
                expected=f"at least one for each of {len(scored)} classifiers",
                hint="raise the budget or keep a smaller share",
            )

    def least_budget(self, classifiers: int) -> int:
        """Two labels for every stratum of the parent's negatives: a pattern of the others each."""
        least = 2**classifiers / self.omission_share if self.omission_share else 0
        return max(int(np.ceil(least)), classifiers)

    def drawable(self, cells: Cells) -> Flags:
        """All that some classifier judged, if any calls an item positive."""
        return cells.has_call & bool(cells.called_by_any.any())

    def stratify(self, census: Census, survey: SurveySpec, history: History) -> tuple[Atom, ...]:
        """Fine cells; every pattern that someone calls positive is a stratum, the rest is cut by what is expected."""
        atoms = initial_cells(census)
        cells = Cells.of_atoms(census.classifiers, atoms)
        planned = self._sequences(cells, survey)
        strata = stratum_numbers(cells, planned.parent, prior_rates(cells, history), planned.omission_budget).tolist()
        made = tuple(replace(atom, stratum=stratum) for atom, stratum in zip(atoms, strata, strict=True))
        # What the budget cannot buy is said now.
        self.max_totals(Cells.of_atoms(census.classifiers, made), survey, history)
        return made

    def max_totals(self, cells: Cells, survey: SurveySpec, history: History) -> Counts:
        """What is drawn: it does not depend on answers."""
        return self._sequences(cells, survey).totals

    def plan(self, cells: Cells, survey: SurveySpec, history: History, so_far: LabelsSoFar, pools: Counts) -> Plan:
        """Everything in the first round. Labels that are known count too: the draw must not depend on them."""
        if so_far.ordinal > 1:
            return Plan(tuple(so_far.drawn.tolist()), {}, METHOD)
        whole = self.plan_all_rounds(cells, survey, history, SUPPORTED_METRICS)
        wanted = np.array(whole.totals, dtype=np.int64)
        return replace(
            whole,
            totals=tuple(np.minimum(wanted, pools).tolist()),
            exhausted=tuple(np.flatnonzero(wanted > pools).tolist()),
        )

    def plan_all_rounds(self, cells: Cells, survey: SurveySpec, history: History, metrics: Sequence[str]) -> Plan:
        """With the half-widths of answers that come as scores or history foretell."""
        sequences = self._sequences(cells, survey)
        told = RecycledEstimates.expected(sequences, prior_rates(cells, history).rate, survey.confidence)
        found = {
            (name, metric): told.estimate(metric, place).result
            for place, name in enumerate(cells.classifiers)
            for metric in SUPPORTED_METRICS
            if metric in metrics
        }
        widths = {key: outcome.half_width for key, outcome in found.items() if isinstance(outcome, IntervalEstimate)}
        return Plan(tuple(sequences.totals.tolist()), widths, METHOD)

    def estimate(
        self, cells: Cells, atoms: Sequence[Atom], known: LabelledSample, request: EstimationRequest
    ) -> tuple[Estimate, ...]:
        """Precision, recall and false-omission rate, over everything."""
        told = RecycledEstimates.of_labels(self._sequences(cells, request.survey), known, request.confidence)
        return tuple(
            self._estimate(told, place, metric, segment)
            for segment in request.segments
            for place in range(len(cells.classifiers))
            for metric in request.metrics
        )

    def _estimate(self, told: RecycledEstimates, place: int, metric: str, segment: Segment | None) -> Estimate:
        classifiers = told.sequences.cells.classifiers
        name = classifiers[place]
        why = self.unsupported_reason(metric, name, classifiers) or (_SEGMENTS if segment else "")
        if why:
            return Estimate(name, metric, segment, Undefined(why), 0, METHOD, told.confidence)
        found = told.estimate(metric, place)
        return Estimate(name, metric, None, found.result, found.labels, found.method, told.confidence)

    def _sequences(self, cells: Cells, survey: SurveySpec) -> ClassifierSequences:
        return ClassifierSequences(cells, survey, self)
