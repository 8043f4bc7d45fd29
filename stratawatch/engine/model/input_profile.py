"""The input of a window in one row."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class InputProfile:
    """One row about the whole window: exact counts at any size. `bad_rows` are left out of the census.

    `columns` holds per classifier {"nulls", "invalid", "positives", "score_nulls", "score_invalid"}. `ranges` are the
    smallest and the largest score of each, `unreadable` those of the scores that could not be used, `kinds` what kind
    of value each column holds, `fingerprint` stands for the whole census. None: it was not looked at.
    """

    rows: int
    bad_rows: int
    null_items: int
    first_time: datetime | None
    last_time: datetime | None
    columns: Mapping[str, Mapping[str, int]]
    null_times: int | None = None
    late: int | None = None  # by their time they belong to an earlier window; they arrived in this one
    early: int | None = None  # by their time they belong to a later window: some clock is wrong
    missed: int | None = None  # of the window before, arrived after it was read: no window counts them
    repeated: int | None = None  # ids of several rows, of which the newest counts
    ranges: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    unreadable: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    fingerprint: str = ""
    warnings: tuple[str, ...] = ()
