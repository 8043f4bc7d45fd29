"""The population of a study: the frame as cells, random numbers and slices, and the pools drawn from it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from math import inf
from typing import Any, Final

import numpy as np

from stratawatch.core.population import Atom, Candidates, Census, Counts, Floats
from stratawatch.core.random_numbers import digest
from stratawatch.errors import StratawatchError
from stratawatch.study.call_patterns import CallPatterns, read_call_patterns
from stratawatch.study.frames import Column, open_frame
from stratawatch.study.item_ids import FrameItemIds, Prefixes, read_item_ids
from stratawatch.study.segments import SegmentColumn, as_text, read_segment_column
from stratawatch.study.study_columns import StudyColumns

# How often a stratum is looked through, and how many more numbers than expected each time.
_FACTORS: Final = (1.0, 8.0, inf)
_PART: Final = 50_000


@dataclass(frozen=True)
class StudyPopulation:
    """The items of a frame by pattern, score bin and segment, in twenty bytes an item.

    Of the frame itself only the columns of items and of clusters are kept.
    """

    panel: StudyColumns
    seed: str
    items: FrameItemIds
    patterns: CallPatterns
    segments: tuple[SegmentColumn, ...]
    clusters: Column | None = None

    def __len__(self) -> int:
        return len(self.items.prefixes)

    @cached_property
    def census(self) -> Census:
        """Counts per (pattern, bin), whole and within every segment."""
        cells = len(self.patterns.patterns)
        return Census(
            classifiers=self.panel.names,
            patterns=self.patterns.patterns,
            bins=self.patterns.bins,
            counts=np.bincount(self.patterns.cell, minlength=cells).astype(np.int64),
            segments={
                segment: counts for one in self.segments for segment, counts in one.counts(self.patterns.cell, cells)
            },
            auxiliary=self.panel.auxiliary_names,
        )

    def candidates(self, atoms: Sequence[Atom], quotas: Sequence[int]) -> Candidates:
        """The candidates of a design: of every stratum h the `quotas[h]` items with the smallest random numbers."""
        home = self._homes(atoms)
        strata = np.array([atom.stratum for atom in atoms], dtype=np.int64)
        rows = self._smallest(strata[home], np.array(quotas, dtype=np.int64))
        items = self.items.texts(rows)
        return Candidates(
            items=tuple(items),
            atoms=home[self.patterns.cell[rows]],
            digests=tuple(digest(self.seed, item) for item in items),
            segments={one.column: one.at(rows) for one in self.segments},
            clusters=None if self.clusters is None else tuple(map(as_text, self.clusters.at(rows))),
        )

    @cached_property
    def fingerprint(self) -> str:
        """A text that is equal for equal items with equal calls, binned scores, segments and clusters, in any order."""
        order, found = self.items.order, sha256()
        found.update(repr((self.patterns.patterns, self.patterns.bins.tolist())).encode())
        found.update(self.items.prefixes[order].tobytes())
        found.update(self.patterns.cell[order].tobytes())
        for one in self.segments:
            found.update(repr((one.column, one.texts)).encode())
            found.update(one.place[order].tobytes())
        for start in range(0, 0 if self.clusters is None else len(self), _PART):
            found.update(repr(list(map(as_text, self._cluster_values(order[start : start + _PART])))).encode())
        return found.hexdigest()

    def with_segments(self, atoms: Sequence[Atom]) -> tuple[Atom, ...]:
        """The atoms with their items counted inside every segment. Raises ValueError for another population's atoms."""
        home, found = self._homes(atoms), []
        if (home < 0).any():
            raise ValueError("atoms that do not hold every item")
        for number, atom in enumerate(atoms):
            inside = {segment: int(counts[home == number].sum()) for segment, counts in self.census.segments.items()}
            found.append(replace(atom, segments={segment: size for segment, size in inside.items() if size}))
        return tuple(found)

    def _cluster_values(self, rows: Counts) -> list[Any]:
        return [] if self.clusters is None else self.clusters.at(rows)

    def _homes(self, atoms: Sequence[Atom]) -> Counts:
        """The atom of every cell."""
        cells = zip(self.patterns.patterns, self.patterns.bins.tolist(), strict=True)
        where = {cell: number for number, cell in enumerate(cells)}
        home = np.full(len(where), -1, dtype=np.int64)
        for number, atom in enumerate(atoms):
            for bin_ in range(atom.first_bin, atom.last_bin + 1):
                if (atom.pattern, bin_) in where:
                    home[where[atom.pattern, bin_]] = number
        return home

    def _smallest(self, strata: Counts, quotas: Counts) -> Counts:
        """Rows of the `quotas[h]` smallest numbers of every stratum h, by (stratum, number); `strata` is by cell."""
        sizes = np.bincount(strata, weights=self.census.counts, minlength=len(quotas)).astype(np.float64)
        quotas = np.minimum(quotas, sizes.astype(np.int64))
        rows = np.zeros(0, dtype=np.int64)
        # Sorting all items would take most of the time: a ceiling that leaves a few too many leaves little to sort. It
        # next to never leaves too few (six standard deviations); then a higher one is tried, at last none.
        for factor in _FACTORS:
            ceilings = _ceilings(quotas, sizes, factor)
            rows = np.flatnonzero(self.items.prefixes <= ceilings[strata][self.patterns.cell])
            if (np.bincount(strata[self.patterns.cell[rows]], minlength=len(quotas)) >= quotas).all():
                break
        of_row = strata[self.patterns.cell[rows]]
        order = np.lexsort((self.items.prefixes[rows], of_row))
        starts = np.r_[0, np.cumsum(np.bincount(of_row, minlength=len(quotas)))]
        kept = [order[start:stop][:number] for (start, stop), number in zip(pairwise(starts), quotas, strict=True)]
        return np.asarray(rows[np.concatenate(kept)], dtype=np.int64)


def _ceilings(quotas: Counts, sizes: Floats, factor: float) -> Prefixes:
    """Numbers below which about factor x (n + 6 sqrt n + 10) items of a stratum lie."""
    expected = factor * (quotas + 6 * np.sqrt(quotas) + 10)
    share = np.minimum(expected / np.maximum(sizes, 1), 1)
    whole = np.iinfo(np.uint64).max
    few = (np.minimum(share, 0.5) * 2.0**64).astype(np.uint64)
    return np.where(quotas == 0, np.uint64(0), np.where(share > 0.5, whole, few))


def read_population(frame: object, panel: StudyColumns, seed: str) -> StudyPopulation:
    """Read a frame: its items, what the panel says about them, and its slices."""
    opened = open_frame(frame)
    if opened.rows == 0:
        raise StratawatchError("the frame has no rows", expected="the items to be studied")
    column = opened.column(panel.item, "the items")
    return StudyPopulation(
        panel=panel,
        seed=seed,
        patterns=read_call_patterns(opened, panel),
        items=read_item_ids(panel.item, column, seed),
        segments=tuple(read_segment_column(name, opened.column(name, "a segment")) for name in panel.segments),
        clusters=None if panel.cluster is None else opened.column(panel.cluster, "the clusters"),
    )
