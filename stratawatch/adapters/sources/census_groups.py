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
class CensusGroups:
    """Columns of equal length; `calls` and `flags` have a column for each word of packed codes.

    A group's segment number is 0 for a group of the whole window, i for one of those rows that have a value in segment
    column i.
    """

    calls: Counts
    flags: Counts
    bins: Counts
    segment_numbers: Counts
    segment_values: NDArray[np.object_]
    items: Counts

    @classmethod
    def from_columns(cls, columns: Sequence[Column], call_words: int, flag_words: int) -> "CensusGroups":
        """Groups from the columns of a query's result, which begin with so many words of calls and of flags."""
        words = call_words + flag_words
        bins, segment_numbers, segment_values, items = columns[words : words + 4]
        return cls(
            calls=np.array(columns[:call_words], dtype=np.int64).T,
            flags=np.array(columns[call_words:words], dtype=np.int64).T,
            bins=np.array(bins, dtype=np.int64),
            segment_numbers=np.array(segment_numbers, dtype=np.int64),
            segment_values=np.array(segment_values, dtype=np.object_),
            items=np.array(items, dtype=np.int64),
        )

    @classmethod
    def joined(cls, parts: Sequence["CensusGroups"]) -> "CensusGroups":
        """The groups of all parts, one after the other."""
        return cls(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(cls)))

    def where(self, rows: Flags) -> "CensusGroups":
        """The groups at which `rows` is true."""
        return CensusGroups(*(getattr(self, one.name)[rows] for one in fields(self)))

    @property
    def is_valid(self) -> Flags:
        """Whether all codes of a group can be read."""
        return packed_codes.is_valid(self.calls) & packed_codes.is_valid(self.flags)
