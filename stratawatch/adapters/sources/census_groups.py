"""The groups of a census by column: a scan of many classifiers makes hundreds of thousands."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratawatch.adapters.sources import packed_codes
from stratawatch.core.cells import Flags
from stratawatch.core.population import Counts

Column = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True)
class Groups:
    """Columns of equal length; `said` and `marked` have one for each word.

    `numbers` is 0 for a group of the whole window, i for one of those rows that have a value in segment column i.
    """

    said: Counts
    marked: Counts
    bins: Counts
    numbers: Counts
    values: NDArray[np.object_]
    items: Counts

    @classmethod
    def of(cls, columns: Sequence[Column], said: int, marked: int) -> "Groups":
        """From the columns of a query's answer, of which so many are words of the pattern and of the marks."""
        bins, numbers, values, items = columns[said + marked : said + marked + 4]
        return cls(
            said=np.array(columns[:said], dtype=np.int64).T,
            marked=np.array(columns[said : said + marked], dtype=np.int64).T,
            bins=np.array(bins, dtype=np.int64),
            numbers=np.array(numbers, dtype=np.int64),
            values=np.array(values, dtype=np.object_),
            items=np.array(items, dtype=np.int64),
        )

    @classmethod
    def joined(cls, parts: Sequence["Groups"]) -> "Groups":
        """All of some."""
        return cls(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(cls)))

    def where(self, rows: Flags) -> "Groups":
        """Some of all."""
        return Groups(*(getattr(self, one.name)[rows] for one in fields(self)))

    @property
    def sound(self) -> Flags:
        """Whether all can be read."""
        return packed_codes.sound(self.said) & packed_codes.sound(self.marked)
