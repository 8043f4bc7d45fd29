"""Allocations: how many labels each stratum deserves, before floors, caps and whole numbers."""

from typing import Final, Protocol

from stratawatch.core.allocations.proportional import proportional
from stratawatch.core.allocations.sum_of_squares import sum_of_squares
from stratawatch.core.population import Floats


class Allocation(Protocol):
    """(sizes N_h, needs sum_j lambda_j A_jh, costs of a label) -> relative numbers of labels."""

    def __call__(self, sizes: Floats, needs: Floats, costs: Floats | None = None) -> Floats:
        """As many labels as the stratum deserves, up to a common factor."""
        ...


ALLOCATIONS: Final[dict[str, Allocation]] = {
    "sum_of_squares": sum_of_squares,
    "proportional": proportional,
}
