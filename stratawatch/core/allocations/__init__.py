"""Allocations: how many labels each stratum deserves, before floors, caps and whole numbers."""

from collections.abc import Callable
from typing import Final

from stratawatch.core.allocations.proportional import proportional
from stratawatch.core.allocations.sum_of_squares import sum_of_squares
from stratawatch.core.population import Floats

Allocation = Callable[[Floats, Floats], Floats]
"""(sizes N_h, needs sum_j lambda_j A_jh) -> relative numbers of labels."""

ALLOCATIONS: Final[dict[str, Allocation]] = {
    "sum_of_squares": sum_of_squares,
    "proportional": proportional,
}
