"""Which column is the time, and the windows that its rows are cut into."""

from datetime import UTC, timedelta
from typing import Final

from stratawatch.adapters.sources.column_summary import ColumnSummary, TableSummary, TimeRange
from stratawatch.config.proposals.column_names import NO_EVENT_TIME, TIME, TIME_PART, has_word, words_of
from stratawatch.config.proposals.proposal import Choices, Schedule, Unsure
from stratawatch.errors import StratawatchError

DAY: Final = timedelta(days=1)
WEEK: Final = timedelta(days=7)
_SOON: Final = timedelta(hours=1)
_FILLED: Final = 7
"""A window counts as filled whose last row lies in the last so manieth part of it."""
_SECONDS: Final = (3e8, 5e9)
"""Numbers that may be seconds since 1970: of the years 1979 to 2128."""


def time_column(table: TableSummary, choices: Choices) -> tuple[str, Unsure | None]:
    """The column of the time that windows go by; raises where there is none."""
    if choices.time is not None:
        _require_times(table.column(choices.time))
        return choices.time, None
    there = [column for column in table.columns if column.is_time]
    if not there:
        raise _no_time(table)
    ranked = sorted(there, key=_rank)
    best = ranked[0]
    equal = [column.name for column in ranked if _rank(column)[:2] == _rank(best)[:2]]
    if len(equal) == 1:
        return best.name, None
    names = ", ".join(f"'{name}'" for name in equal)
    return best.name, Unsure("time", f"Which column is the time of a prediction: {names}?", best.name)


def schedule_of(times: TimeRange, every: timedelta | None) -> Schedule:
    """The windows: weeks from Monday where the rows fill one, else days, unless a length is chosen.

    >>> from datetime import datetime
    >>> week = TimeRange(datetime(2026, 1, 5, 0, 5, tzinfo=UTC), datetime(2026, 1, 11, 23, tzinfo=UTC))
    >>> print(schedule_of(week, None).every, schedule_of(week, None).now)
    7 days, 0:00:00 2026-01-12 01:00:00+00:00
    """
    midnight = times.first.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    monday = midnight - midnight.weekday() * DAY
    whole_from = monday if midnight == monday else monday + WEEK
    if every is None:
        every = WEEK if times.last >= whole_from + 6 * DAY else DAY
    start = monday if every % WEEK == timedelta(0) else midnight
    ended = (times.last + every / _FILLED - start) // every
    newest = start + max(ended - 1, 0) * every
    return Schedule(start, every, newest, newest + every + _SOON)


def time_remarks(column: ColumnSummary, times: TimeRange, rows: int) -> list[str]:
    """What people should know about the time."""
    remarks = []
    if column.zoned < column.times and column.kind != "zoned":
        remarks.append(f"'{column.name}' says no offset from UTC: its times are read as UTC")
    if times.without:
        remarks.append(f"{times.without:,} of {rows:,} rows have no time in '{column.name}' and belong to no window")
    if times.far:
        between = f"{times.first:%Y-%m-%d} to {times.last:%Y-%m-%d}"
        remarks.append(
            f"{times.far:,} of {rows:,} rows have a time far from all others ({between}): windows go by the others"
        )
    return remarks


def _require_times(column: ColumnSummary) -> None:
    if not column.is_time:
        raise StratawatchError(
            f"'{column.name}' is no column of times",
            expected="a timestamp, or text such as 2026-01-05T06:00:00Z",
            got=column.type_name,
            hint="name another one: --time COLUMN",
        )


def _rank(column: ColumnSummary) -> tuple[int, int, int, int]:
    """Better times first: by the name, then those that are finer, typed, and different in most rows."""
    words = set(words_of(column.name))
    by_name = next((rank for rank, names in enumerate(TIME) if words & names), len(TIME))
    if words & NO_EVENT_TIME:
        by_name = len(TIME) + 1
    whole_days = column.type_name == "DATE" or has_word(column.name, TIME_PART)
    return by_name, int(whole_days), int(column.kind == "text"), -column.distinct


def _no_time(table: TableSummary) -> StratawatchError:
    """Why there is no time: perhaps numbers, or texts in a form of their own."""
    named = [column for column in table.columns if _is_named_like_a_time(column)]
    for column in named:
        largest = column.largest or 0
        if column.is_numeric and any(_SECONDS[0] < largest / unit < _SECONDS[1] for unit in (1, 1e3, 1e6, 1e9)):
            return StratawatchError(
                f"'{column.name}' holds numbers, and no column holds times",
                expected="a timestamp, or text such as 2026-01-05T06:00:00Z",
                hint="export it as a timestamp (in pandas pd.to_datetime(..., unit='s'), or 'ms')",
            )
        if column.is_text:
            example = next(iter(column.values), "")
            return StratawatchError(
                f"the times in '{column.name}' cannot be read",
                expected="text such as 2026-01-05T06:00:00Z, or a timestamp",
                got=repr(example) if example else "another form",
                hint="export it so",
            )
    return StratawatchError(
        "no column holds the time of a prediction, by which rows belong to windows",
        expected="a timestamp, or text such as 2026-01-05T06:00:00Z",
        got="the columns " + ", ".join(f"'{name}'" for name in table.names[:20]),
        hint="add the time to the export; for one batch of predictions that is the moment when they were made",
    )


def _is_named_like_a_time(column: ColumnSummary) -> bool:
    return any(has_word(column.name, names) for names in TIME)
