"""How small a hash must be for its item to be looked at."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from stratawatch.core.population import Atom

EVERYTHING: Final = "g"
"""Above every hex text."""

WantedRow = tuple[str, int, int, int, str]
"""A row of the table `wanted`: pattern, bin, atom, number, ceiling."""


def ceiling(number: int, size: int, factor: float = 1.0) -> str:
    """Hex text below which about factor x (n + 6 sqrt n + 10) of `size` items hash, more than n for all but bad luck.

    >>> ceiling(100, 10_000), ceiling(100, 150)
    ('045a1cac08312', 'g')
    """
    expected = (number + 6 * math.sqrt(number) + 10) * factor
    return EVERYTHING if expected >= size else f"{int(expected / size * 2**52):013x}"


def wanted_rows(
    atoms: Sequence[Atom], wanted: Sequence[int], which: Iterable[int], factor: float | None
) -> list[WantedRow]:
    """One row for every bin of the atoms in question; factor None asks for everything."""
    rows: list[WantedRow] = []
    for index in which:
        atom, number = atoms[index], wanted[index]
        limit = EVERYTHING if factor is None else ceiling(number, atom.size, factor)
        rows += [(atom.pattern, one, index, number, limit) for one in range(atom.first_bin, atom.last_bin + 1)]
    return rows
