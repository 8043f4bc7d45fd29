"""The interval that the design gives by itself."""

from collections.abc import Sequence
from typing import ClassVar

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.estimates import EstimationRequest, Estimator
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.population import Atom


class DesignVariance:
    """Nothing to be done."""

    name: ClassVar = "default"
    warnings: ClassVar[tuple[str, ...]] = ()
    estimators: ClassVar[tuple[Estimator, ...]] = ()

    def apply(
        self,
        found: Sequence[Estimate],
        cells: Cells,
        atoms: Sequence[Atom],
        sample: LabelledSample,
        request: EstimationRequest,
    ) -> tuple[Estimate, ...]:
        """As they are."""
        return tuple(found)
