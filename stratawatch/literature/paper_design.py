"""The base class of the papers' designs: estimates one by one, and plans that stay within the pools."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.designs.base import SamplingDesign
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.metrics import metric_named
from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom, Counts, Segment

EstimateResult = tuple[IntervalEstimate | Undefined, int, str]
"""An estimate's result, the labels that it rests on, and the method in a few words."""
EstimateOne = Callable[[str, int, Segment | None], EstimateResult]
"""(metric, the classifier's place, segment) -> its result."""


class PaperDesign(SamplingDesign):
    """A design of a paper, whose estimates are computed one by one."""

    method: ClassVar[str]
    """How its estimates come about, in a few words."""
    paper_metrics: ClassVar[tuple[str, ...]] = ()
    """The metrics that the paper estimates, where they are a list; one minus any of them is estimated with it."""

    def paper_metric(self, metric: str) -> str | None:
        """The one of `paper_metrics` that this metric is, or is one minus."""
        asked = metric_named(metric)
        alike = (name for name in self.paper_metrics if name == metric or asked.is_complement_of(metric_named(name)))
        return next(alike, None)

    def estimate(
        self, cells: Cells, atoms: Sequence[Atom], sample: LabelledSample, request: EstimationRequest
    ) -> tuple[Estimate, ...]:
        """An estimate for every segment x classifier x metric; Undefined where the paper has none."""
        estimate_one = self.estimator_for(cells, atoms, sample, request)
        found = []
        for segment in request.segments:
            for place, name in enumerate(cells.classifiers):
                for metric in request.metrics:
                    why = self.unsupported_reason(metric, name, cells.classifiers)
                    if not why and segment and not self.estimates_segments:
                        why = f"design = '{self.name}' tells nothing of segments"
                    source = self.paper_metric(metric) or metric
                    result, labels, method = (
                        (Undefined(why), 0, self.method) if why else estimate_one(source, place, segment)
                    )
                    if source != metric and isinstance(result, IntervalEstimate):
                        result = result.complement()
                    found.append(Estimate(name, metric, segment, result, labels, method, request.confidence))
        return tuple(found)

    @abstractmethod
    def estimator_for(
        self, cells: Cells, atoms: Sequence[Atom], sample: LabelledSample, request: EstimationRequest
    ) -> EstimateOne:
        """The function that estimates one supported metric from this sample."""


def limit_to_pools(plan: Plan, drawn: Counts, pools: Counts) -> Plan:
    """The plan with totals that the pools can give and that keep what is drawn; it lists the strata that are short."""
    planned = np.array(plan.totals, dtype=np.int64)
    totals = np.maximum(np.minimum(planned, pools), drawn)
    return replace(plan, totals=tuple(totals.tolist()), exhausted=tuple(np.flatnonzero(planned > pools).tolist()))
