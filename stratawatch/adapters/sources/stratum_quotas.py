"""What is asked of every stratum: how many items, and how small a hash must be for its item to be looked at."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.adapters.sources.packed_codes import coded
from stratawatch.core.population import Atom

EVERYTHING: Final = "g"
"""Above every hex text."""


@dataclass(frozen=True)
class Wanted:
    """The table of what is wanted, by column: said_1, ..., bin, atom, stratum, number, and the hashes' ceiling.

    Whole numbers of 32 bits but for the last one, which is text.
    """

    columns: Mapping[str, NDArray[Any]]
    ceilings: frozenset[str]


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


def wanted_of(atoms: Sequence[Atom], wanted: Sequence[int], which: Iterable[int], factor: float | None) -> Wanted:
    """One row for every bin of the strata in question; `wanted` is by stratum, factor None asks for everything."""
    sizes, asked = stratum_sizes(atoms), set(which)
    limits = {one: EVERYTHING if factor is None else ceiling(wanted[one], sizes[one], factor) for one in asked}
    chosen = [(index, atom) for index, atom in enumerate(atoms) if atom.stratum in asked]
    first = np.array([atom.first_bin for _, atom in chosen], dtype=np.int32)
    bins = np.array([atom.last_bin + 1 for _, atom in chosen], dtype=np.int32) - first
    of = np.repeat(np.arange(len(chosen)), bins)
    said = coded([atom.pattern for _, atom in chosen], len(atoms[0].pattern)).astype(np.int32)
    columns: dict[str, NDArray[Any]] = {f"said_{i}": word[of] for i, word in enumerate(said.T, 1)}
    columns["bin"] = (first[of] + np.arange(len(of)) - np.repeat(bins.cumsum() - bins, bins)).astype(np.int32)
    columns["atom"] = np.array([index for index, _ in chosen], dtype=np.int32)[of]
    columns["stratum"] = np.array([atom.stratum for _, atom in chosen], dtype=np.int32)[of]
    columns["number"] = np.array([wanted[atom.stratum] for _, atom in chosen], dtype=np.int32)[of]
    columns["ceiling"] = np.array([limits[atom.stratum] for _, atom in chosen], dtype=np.object_)[of]
    return Wanted(columns, frozenset(limits.values()))
