"""The item column: one id a row, no id twice, and the permanent random number of each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.population import Counts
from stratawatch.core.random_numbers import digest_prefixes
from stratawatch.errors import StratawatchError
from stratawatch.study.frames import Column

# Ids that are plain Python text at one time; a million of them would weigh more than the numbers do.
_PART: Final = 50_000

Prefixes = NDArray[np.uint64]


@dataclass(frozen=True)
class FrameItemIds:
    """The ids of a frame. `prefixes` are the leading 64 bits of each id's digest: they order the draw."""

    name: str
    column: Column
    prefixes: Prefixes
    whole: bool
    """Whether ids are whole numbers; the design knows all of them as text."""

    def texts(self, rows: Counts) -> list[str]:
        """The ids of some rows, as the design knows them."""
        return [str(value) for value in self.column.at(rows)]

    def given(self, text: str) -> Any:
        """An id as the frame has it."""
        return int(text) if self.whole else text

    @cached_property
    def order(self) -> Counts:
        """Rows by their random numbers."""
        return np.argsort(self.prefixes, kind="stable")

    def rows_of(self, seed: str, items: Sequence[str]) -> Counts:
        """The row of each of these ids; -1 where the frame does not hold it."""
        place = np.searchsorted(self.prefixes, digest_prefixes(seed, items), sorter=self.order)
        rows = self.order[np.minimum(place, len(self.prefixes) - 1)]
        same = [there == item for there, item in zip(self.texts(rows), items, strict=True)]
        return np.where(np.array(same, dtype=np.bool_), rows, -1)


def read_item_ids(name: str, column: Column, seed: str) -> FrameItemIds:
    """Hash every id. Raises where an id is missing, is neither text nor a whole number, or comes twice."""
    parts, kinds = [], set()
    for start in range(0, len(column), _PART):
        values = column.part(start, min(start + _PART, len(column)))
        kinds |= set(map(type, values))
        _check(name, kinds, values, start)
        parts.append(digest_prefixes(seed, values if str in kinds else map(str, values)))
    items = FrameItemIds(name, column, np.concatenate(parts), whole=int in kinds)
    _refuse_repeated(items)
    return items


def _check(name: str, kinds: set[type], values: Sequence[Any], start: int) -> None:
    if kinds in ({str}, {int}):
        return
    if type(None) in kinds:
        first = next(row for row, value in enumerate(values, start) if value is None)
        raise StratawatchError(
            f"item column {name!r} holds nulls", expected="an id in every row", got=f"none in row {first}"
        )
    raise StratawatchError(
        f"item column {name!r} cannot name items",
        expected="text or whole numbers",
        got=" and ".join(sorted(kind.__name__ for kind in kinds)),
        hint="turn it into text first",
    )


def _refuse_repeated(items: FrameItemIds) -> None:
    sorted_heads = items.prefixes[items.order]
    twice = np.flatnonzero(sorted_heads[1:] == sorted_heads[:-1])
    repeated = list(_same(items, twice))
    if repeated:
        raise StratawatchError(
            f"item column {items.name!r} repeats {len(repeated):,} of its ids",
            expected="every item once",
            got=f"{repeated[0]!r:.60}",
            hint="drop the duplicates first",
        )


def _same(items: FrameItemIds, places: Counts) -> Iterable[str]:
    """Ids that are the same where their numbers are; two different ids may share 64 bits, once in a long life."""
    before, after = items.texts(items.order[places]), items.texts(items.order[places + 1])
    return dict.fromkeys(a for a, b in zip(before, after, strict=True) if a == b)
