"""The base class of variance methods, which is the default one."""

from collections.abc import Sequence
from typing import ClassVar

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.metric_estimates import EstimationRequest, Estimator
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.population import Atom


class VarianceMethod:
    """A way from labels to intervals, for labels that were drawn at random inside strata.

    The base class keeps the intervals that the design's own estimates have.
    """

    name: ClassVar[str] = "default"
    warnings: ClassVar[tuple[str, ...]] = ()
    """What its users should know, because it was measured: whole sentences, shown wherever it is chosen."""
    estimators: ClassVar[tuple[Estimator, ...]] = ()
    """The estimators that it is the variance of; none: of all."""

    def apply(
        self,
        found: Sequence[Estimate],
        cells: Cells,
        atoms: Sequence[Atom],
        sample: LabelledSample,
        request: EstimationRequest,
    ) -> tuple[Estimate, ...]:
        """The design's own estimates, with these intervals; estimates without a value stay Undefined."""
        return tuple(found)
