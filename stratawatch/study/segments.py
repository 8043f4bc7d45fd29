"""Segment columns: which named slice of the population every item lies in."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.population import Counts, Segment
from stratawatch.errors import StratawatchError
from stratawatch.study.frames import Column

MOST_VALUES: Final = 1000
"""More values than this make a column an identifier, not a segment."""
_PART: Final = 50_000
_OUTSIDE: Final = -1


@dataclass(frozen=True)
class SegmentColumn:
    """One segment column: its values as text, sorted, and each item's place among them (-1: no value)."""

    column: str
    texts: tuple[str, ...]
    place: NDArray[np.int16]

    def counts(self, cell: NDArray[np.int32], cells: int) -> Iterator[tuple[Segment, Counts]]:
        """Items per cell inside every segment."""
        inside = self.place != _OUTSIDE
        flat = cell[inside].astype(np.int64) * len(self.texts) + self.place[inside]
        table = np.bincount(flat, minlength=cells * len(self.texts)).reshape(cells, len(self.texts))
        for number, value in enumerate(self.texts):
            yield Segment(self.column, value), table[:, number].astype(np.int64)

    def at(self, rows: Counts) -> tuple[str | None, ...]:
        """The values of some rows."""
        return tuple(None if place < 0 else self.texts[place] for place in self.place[rows].tolist())


def read_segment_column(name: str, column: Column) -> SegmentColumn:
    """Number the values of a segment column."""
    places: dict[Any, int] = {None: _OUTSIDE}
    place = np.empty(len(column), dtype=np.int16)
    for start in range(0, len(column), _PART):
        stop = min(start + _PART, len(column))
        values = column.part(start, stop)
        for value in set(values) - places.keys():
            places[value] = len(places) - 1
        if len(places) - 1 > MOST_VALUES:
            raise StratawatchError(
                f"segment column {name!r} has too many values to report on",
                expected=f"at most {MOST_VALUES}",
                hint="name a column of few values, such as a language or a country",
            )
        place[start:stop] = [places[value] for value in values]
    del places[None]
    texts = sorted({_text(value) for value in places})
    final = np.array([texts.index(_text(value)) for value in places] + [_OUTSIDE], dtype=np.int16)
    return SegmentColumn(name, tuple(texts), final[place])


def as_text(value: Any) -> str | None:
    """A value as databases cast it to text; none stays none."""
    return None if value is None else _text(value)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
