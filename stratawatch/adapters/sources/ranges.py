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

ScoreEnds = Sequence[float | None]
"""The smallest and the largest score of the first classifier that has any, then those of the second, and so on."""


@dataclass
class InputRanges:
    """The ranges over all groups that were added; valid scores apart from invalid ones."""

    panel: PanelSpec
    first: datetime | None = None
    last: datetime | None = None
    _ends: dict[tuple[str, bool], tuple[float, float]] = field(default_factory=dict)

    def add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add groups: the words of their flags, first time, last time, smallest and largest scores."""
        if not rows:
            return
        words = packed_codes.word_count(packed_codes.ROW_FLAGS + len(self.panel.classifiers))
        self._widen_times([time for row in rows for time in row[words : words + 2] if time is not None])
        flags = np.array([row[:words] for row in rows], dtype=np.int64)
        valid = packed_codes.is_valid(flags)
        ends = [row[words + 2 :] for row in rows]
        if valid.any():
            self._widen_scores(flags[valid][:1], _outermost([ends[row] for row in np.flatnonzero(valid).tolist()]))
        for row in np.flatnonzero(~valid).tolist():
            self._widen_scores(flags[[row]], ends[row])

    def score_ranges(self, *, valid: bool) -> Mapping[str, tuple[float, ...]]:
        """By classifier, of its valid or of its invalid scores; without those that have none, NaN or an infinity."""
        ranges = {one.name: self._ends.get((one.name, valid), (math.nan,)) for one in self.panel.classifiers}
        return {name: ends for name, ends in ranges.items() if all(map(math.isfinite, ends))}

    def _widen_times(self, times: Sequence[datetime]) -> None:
        in_utc = [time.replace(tzinfo=UTC) for time in times]
        self.first = min((one for one in (self.first, *in_utc) if one is not None), default=None)
        self.last = max((one for one in (self.last, *in_utc) if one is not None), default=None)

    def _widen_scores(self, flags: Counts, ends: ScoreEnds) -> None:
        """Widen the range of every classifier's scores by those of one row of flags."""
        place = 0
        for i, one in enumerate(self.panel.classifiers):
            if one.score is None:
                continue
            key = one.name, packed_codes.code_at(flags, packed_codes.ROW_FLAGS + i).item() != packed_codes.INVALID
            scores = [end for end in ends[place : place + 2] if end is not None]
            if scores:
                self._ends[key] = _widened(self._ends.get(key, ()), scores)
            place += 2


def _outermost(groups: Sequence[ScoreEnds]) -> list[float | None]:
    """The ends over hundreds of thousands of groups, column by column; their scores are finite or missing."""
    table = np.array(groups, dtype=np.float64)
    ends = np.empty(table.shape[1])
    ends[::2], ends[1::2] = np.fmin.reduce(table[:, ::2]), np.fmax.reduce(table[:, 1::2])
    return [None if math.isnan(one) else float(one) for one in ends]


def _widened(ends: Sequence[float], scores: Sequence[float]) -> tuple[float, float]:
    values = [*ends, *scores]
    return (min(values), max(values)) if all(map(math.isfinite, values)) else (math.nan, math.nan)
