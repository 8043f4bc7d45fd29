"""Runs of score bins: atoms from a grouping of a census' rows."""

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.population import NO_BIN, Atom, Census, Counts
from stratawatch.core.stratification.agglomerate import renumbered_groups


def nonempty_rows(census: Census) -> Counts:
    """The rows that hold items, by (pattern, bin)."""
    row = np.lexsort((census.bins, np.array(census.patterns, dtype=np.str_)))
    return np.asarray(row[census.counts[row] > 0], dtype=np.int64)


def atoms_of_groups(census: Census, group: Counts) -> tuple[Atom, ...]:
    """The fewest atoms that keep groups apart, sorted by (pattern, bin); each group is a stratum.

    `group` is by row of the census; within a pattern, a group holds a run of bins.
    """
    row = nonempty_rows(census)
    if row.size == 0:
        return ()
    kind = np.unique(np.array(census.patterns, dtype=np.str_)[row], return_inverse=True)[1]
    first = np.flatnonzero(np.r_[True, (np.diff(kind) != 0) | (np.diff(group[row]) != 0)])
    strata = renumbered_groups(group[row][first]).tolist()
    return tuple(
        atom.in_stratum(stratum) for atom, stratum in zip(atoms_of_runs(census, row, first), strata, strict=True)
    )


def atoms_of_runs(census: Census, row: Counts, first: Counts) -> tuple[Atom, ...]:
    """One atom for each run of rows, which begin at the places `first` of `row`."""
    bins, counts = census.bins[row], census.counts[row]
    scored = np.where(bins != NO_BIN, counts, 0).astype(np.float64)
    last = np.r_[first[1:], len(row)] - 1
    sizes = np.add.reduceat(counts, first)
    scores = np.where(bins != NO_BIN, Cells.of_census(census).scores[row], 0.0)
    weight = np.add.reduceat(scored, first)
    means = np.add.reduceat(counts * scores, first) / np.maximum(weight, 1)
    inside = {segment: np.add.reduceat(within[row], first) for segment, within in census.segments.items()}
    return tuple(
        Atom(
            pattern=census.patterns[row[first[i]]],
            first_bin=int(bins[first[i]]),
            last_bin=int(bins[last[i]]),
            size=int(sizes[i]),
            mean_score=float(means[i]) if weight[i] else None,
            segments={segment: int(within[i]) for segment, within in inside.items() if within[i]},
        )
        for i in range(len(first))
    )
