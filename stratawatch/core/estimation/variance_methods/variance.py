"""What a variance must be able to do."""

from collections.abc import Sequence
from typing import ClassVar, Protocol

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.estimates import EstimationRequest, Estimator
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.population import Atom


class VarianceMethod(Protocol):
    """A way from labels to intervals, for labels that were drawn at random inside strata."""

    name: ClassVar[str]
    warnings: ClassVar[tuple[str, ...]]
    """What its users should know, because it was measured: whole sentences, shown wherever it is chosen."""
    estimators: ClassVar[tuple[Estimator, ...]]
    """The estimators that it is the variance of; none: of all."""

    def apply(
        self,
        found: Sequence[Estimate],
        cells: Cells,
        atoms: Sequence[Atom],
        sample: LabelledSample,
        request: EstimationRequest,
    ) -> tuple[Estimate, ...]:
        """The design's own estimates, with these intervals; what the design cannot tell stays Undefined."""
        ...
