"""The first and the last time in a window, and the smallest and the largest score of every classifier."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from stratawatch.adapters.sources import packed_codes
from stratawatch.core.population import Counts
from stratawatch.engine.model.panel_spec import PanelSpec

Ends = Sequence[float | None]
"""The smallest and the largest score of the first classifier that has any, then those of the second, and so on."""


@dataclass
class Extremes:
    """Those of all groups that were added. Scores that can be read are told apart from those that cannot."""

    panel: PanelSpec
    first: datetime | None = None
    last: datetime | None = None
    _ends: dict[tuple[str, bool], tuple[float, float]] = field(default_factory=dict)

    def add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add groups: the words of their marks, first time, last time, smallest and largest scores."""
        if not rows:
            return
        marks = packed_codes.count(packed_codes.ROW_MARKS + len(self.panel.classifiers))
        self._see([time for row in rows for time in row[marks : marks + 2] if time is not None])
        marked = np.array([row[:marks] for row in rows], dtype=np.int64)
        plain = packed_codes.sound(marked)
        ends = [row[marks + 2 :] for row in rows]
        if plain.any():
            self._reach(marked[plain][:1], _outermost([ends[row] for row in np.flatnonzero(plain).tolist()]))
        for row in np.flatnonzero(~plain).tolist():
            self._reach(marked[[row]], ends[row])

    def ranges(self, *, readable: bool) -> Mapping[str, tuple[float, ...]]:
        """By classifier; nothing is told of one without such scores, or with NaN or an infinity among them."""
        found = {one.name: self._ends.get((one.name, readable), (math.nan,)) for one in self.panel.classifiers}
        return {name: ends for name, ends in found.items() if all(map(math.isfinite, ends))}

    def _see(self, times: Sequence[datetime]) -> None:
        seen = [time.replace(tzinfo=UTC) for time in times]
        self.first = min((one for one in (self.first, *seen) if one is not None), default=None)
        self.last = max((one for one in (self.last, *seen) if one is not None), default=None)

    def _reach(self, marked: Counts, ends: Ends) -> None:
        """Widen the range of every classifier's scores by those of one row of marks."""
        place = 0
        for i, one in enumerate(self.panel.classifiers):
            if one.score is None:
                continue
            key = one.name, packed_codes.code(marked, packed_codes.ROW_MARKS + i).item() != packed_codes.BAD
            found = [end for end in ends[place : place + 2] if end is not None]
            if found:
                self._ends[key] = _widened(self._ends.get(key, ()), found)
            place += 2


def _outermost(many: Sequence[Ends]) -> list[float | None]:
    """The extremes of all groups, of scores that are finite or not there: hundreds of thousands, column by column."""
    table = np.array(many, dtype=np.float64)
    found = np.empty(table.shape[1])
    found[::2], found[1::2] = np.fmin.reduce(table[:, ::2]), np.fmax.reduce(table[:, 1::2])
    return [None if math.isnan(one) else float(one) for one in found]


def _widened(ends: Sequence[float], found: Sequence[float]) -> tuple[float, float]:
    every = [*ends, *found]
    return (min(every), max(every)) if all(map(math.isfinite, every)) else (math.nan, math.nan)
