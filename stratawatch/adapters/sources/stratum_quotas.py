"""The table that the candidates query joins: every stratum's quota, and the digest below which its items are ranked."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.adapters.sources.packed_codes import pack_patterns
from stratawatch.core.population import Atom

ABOVE_ALL_DIGESTS: Final = "g"
"""Greater than every hexadecimal text."""


@dataclass(frozen=True)
class StratumQuotas:
    """The rows of the table by column: calls_1, ..., bin, atom, stratum, quota, max_digest.

    Whole numbers of 32 bits but for the last one, which is text.
    """

    columns: Mapping[str, NDArray[Any]]
    max_digests: frozenset[str]


def max_digest(quota: int, size: int, factor: float = 1.0) -> str:
    """The digest below which about factor x (n + 6 sqrt n + 10) of `size` items lie, where n is the quota.

    Six standard deviations and ten items more than the quota: fewer than n lie there only by very bad luck.

    >>> max_digest(100, 10_000), max_digest(100, 150)
    ('045a1cac08312', 'g')
    """
    expected = (quota + 6 * math.sqrt(quota) + 10) * factor
    return ABOVE_ALL_DIGESTS if expected >= size else f"{int(expected / size * 2**52):013x}"


def stratum_sizes(atoms: Sequence[Atom]) -> Counter[int]:
    """The number of items in every stratum."""
    sizes: Counter[int] = Counter()
    for atom in atoms:
        sizes[atom.stratum] += atom.size
    return sizes


def quotas_of(
    atoms: Sequence[Atom], quotas: Sequence[int], strata: Iterable[int], factor: float | None
) -> StratumQuotas:
    """The table for these strata, with a row for every bin of an atom.

    `quotas` has a number for every stratum. `factor` multiplies how many items are ranked; None ranks all of them.
    """
    sizes, chosen = stratum_sizes(atoms), set(strata)
    limits = {
        stratum: ABOVE_ALL_DIGESTS if factor is None else max_digest(quotas[stratum], sizes[stratum], factor)
        for stratum in chosen
    }
    drawn = [(index, atom) for index, atom in enumerate(atoms) if atom.stratum in chosen]
    first = np.array([atom.first_bin for _, atom in drawn], dtype=np.int32)
    bins = np.array([atom.last_bin + 1 for _, atom in drawn], dtype=np.int32) - first
    of = np.repeat(np.arange(len(drawn)), bins)
    calls = pack_patterns([atom.pattern for _, atom in drawn], len(atoms[0].pattern)).astype(np.int32)
    columns: dict[str, NDArray[Any]] = {f"calls_{i}": word[of] for i, word in enumerate(calls.T, 1)}
    # Counts up from the first bin of every atom: the position among all rows less the rows of the atoms before.
    columns["bin"] = (first[of] + np.arange(len(of)) - np.repeat(bins.cumsum() - bins, bins)).astype(np.int32)
    columns["atom"] = np.array([index for index, _ in drawn], dtype=np.int32)[of]
    columns["stratum"] = np.array([atom.stratum for _, atom in drawn], dtype=np.int32)[of]
    columns["quota"] = np.array([quotas[atom.stratum] for _, atom in drawn], dtype=np.int32)[of]
    columns["max_digest"] = np.array([limits[atom.stratum] for _, atom in drawn], dtype=np.object_)[of]
    return StratumQuotas(columns, frozenset(limits.values()))
