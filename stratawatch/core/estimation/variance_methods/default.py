"""The interval that the design gives by itself."""

from collections.abc import Sequence
from typing import ClassVar

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.estimates import Request
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.population import Atom


class Default:
    """Nothing to be done."""

    name: ClassVar = "default"
    warnings: ClassVar[tuple[str, ...]] = ()
    designs: ClassVar[tuple[str, ...]] = ()

    def read(
        self,
        found: Sequence[Estimate],
        cells: Cells,  # noqa: ARG002 - one shape for all
        atoms: Sequence[Atom],  # noqa: ARG002
        known: LabelledSample,  # noqa: ARG002
        request: Request,  # noqa: ARG002
    ) -> tuple[Estimate, ...]:
        """As they are."""
        return tuple(found)
