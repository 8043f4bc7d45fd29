"""How small a hash must be for its item to be looked at."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from stratawatch.core.population import Atom

EVERYTHING: Final = "g"
"""Above every hex text."""

WantedRow = tuple[str, int, int, int, int, str]
"""A row of the table `wanted`: pattern, bin, atom, stratum, number, ceiling."""


def ceiling(number: int, size: int, factor: float = 1.0) -> str:
    """Hex text below which about factor x (n + 6 sqrt n + 10) of `size` items hash, more than n for all but bad luck.

    >>> ceiling(100, 10_000), ceiling(100, 150)
    ('045a1cac08312', 'g')
    """
    expected = (number + 6 * math.sqrt(number) + 10) * factor
    return EVERYTHING if expected >= size else f"{int(expected / size * 2**52):013x}"


def stratum_sizes(atoms: Sequence[Atom]) -> Counter[int]:
    """The items of every stratum."""
    sizes: Counter[int] = Counter()
    for atom in atoms:
        sizes[atom.stratum] += atom.size
    return sizes


def wanted_rows(
    atoms: Sequence[Atom], wanted: Sequence[int], which: Iterable[int], factor: float | None
) -> list[WantedRow]:
    """One row for every bin of the strata in question; `wanted` is by stratum, factor None asks for everything."""
    sizes, asked = stratum_sizes(atoms), set(which)
    rows: list[WantedRow] = []
    for index, atom in enumerate(atoms):
        if atom.stratum in asked:
            number = wanted[atom.stratum]
            limit = EVERYTHING if factor is None else ceiling(number, sizes[atom.stratum], factor)
            bins = range(atom.first_bin, atom.last_bin + 1)
            rows += [(atom.pattern, one, index, atom.stratum, number, limit) for one in bins]
    return rows
