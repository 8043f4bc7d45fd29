"""Which rows belong to a window, as SQL: by the time of arrival where there is one, else by the row's own time."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from stratawatch.adapters.sources.column_types import kind_of
from stratawatch.adapters.sources.packed_codes import EARLY, INVALID, LATE
from stratawatch.adapters.sources.quoting import identifier, text
from stratawatch.engine.model.panel_spec import Columns, Window


def time_columns(columns: Columns, types: Mapping[str, str]) -> tuple[str, ...]:
    """The columns `time` and, if there is one, `arrived`. A row without a time of arrival has no time either."""
    time = in_utc("time_given", types[columns.time])
    if columns.ingested is None:
        return (f"{time} AS time",)
    arrived = in_utc("arrived_given", types[columns.ingested])
    return (f"{arrived} AS arrived", f"CASE WHEN NOT {arrived} IS NULL THEN {time} END AS time")


def in_window(columns: Columns, types: Mapping[str, str], window: Window) -> str:
    """A condition: inside [start, end), or without a time, since such rows are counted as bad in every window.

    Typed columns are compared as they are, so that the engine can skip files and row groups by their statistics.
    """
    ours, name = ("time", columns.time) if columns.ingested is None else ("arrived", columns.ingested)
    kind = kind_of(types[name])
    column = ours if kind == "text" else f"{ours}_given"
    start, end = (_literal(at, kind, types[name]) for at in (window.start, window.end))
    return f"({column} >= {start} AND {column} < {end}) OR {column} IS NULL"


def in_partitions(relation: str, columns: Columns, types: Mapping[str, str], window: Window) -> str:
    """The relation; where its rows are kept by day, only the days of the window, so that the others are not opened.

    Days are of UTC: dates, times of midnight, texts such as '2026-01-05', or numbers such as 20260105.
    """
    if columns.partition is None:
        return relation
    day, kind = identifier(columns.partition), kind_of(types[columns.partition])
    first, following = _days(window)
    if kind == "number":
        ends = [(f"{first:%Y%m%d}", f"{following:%Y%m%d}")]
    elif kind == "text":  # as every column of a CSV is
        ends = [(text(begin), text(end)) for begin, end in _text_ends(window)]
    else:
        type_name = types[columns.partition]
        ends = [(_literal(first, kind, type_name), _literal(following, kind, type_name))]
    inside = " OR ".join(f"({day} >= {start} AND {day} < {end})" for start, end in ends)
    return f"(SELECT * FROM {relation} WHERE {inside}) AS partitions"


def is_day_of(day: str, window: Window) -> bool:
    """Whether a day as text, such as that of a Hive partition, is one of the window's: `in_partitions` in Python."""
    return any(begin <= day < end for begin, end in _text_ends(window))


def _text_ends(window: Window) -> list[tuple[str, str]]:
    """The window's first day and the one after its last, in both forms; one form lies outside of the other's ends."""
    first, following = _days(window)
    return [(f"{first:{form}}", f"{following:{form}}") for form in ("%Y-%m-%d", "%Y%m%d")]


def _days(window: Window) -> tuple[datetime, datetime]:
    return _midnight(window.start), _midnight(window.end - timedelta(microseconds=1)) + timedelta(days=1)


def _midnight(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def has_clean_time(columns: Columns, window: Window) -> str:
    """A condition: the flag of the row's time is 0."""
    if columns.ingested is None:
        return "NOT time IS NULL"
    start, end = (_literal(at, "moment", "TIMESTAMP") for at in (window.start, window.end))
    return f"time >= {start} AND time < {end}"


def unreadable_time_text(columns: Columns) -> str:
    """The source's own text of a time that could not be read; NULL where the time was read, or is missing."""
    arrived = "" if columns.ingested is None else "WHEN arrived IS NULL THEN CAST(arrived_given AS VARCHAR) "
    return f"CASE {arrived}WHEN time IS NULL THEN CAST(time_given AS VARCHAR) END"


def time_flag(columns: Columns, window: Window, unit: int) -> str:
    """The flag of a row's time: 3 none; where windows are cut by arrival, 1 before the window or 2 after it."""
    cases = [f"WHEN time IS NULL THEN {INVALID * unit}"]
    if columns.ingested is not None:
        start, end = (_literal(at, "moment", "TIMESTAMP") for at in (window.start, window.end))
        cases += [f"WHEN time < {start} THEN {LATE * unit}", f"WHEN time >= {end} THEN {EARLY * unit}"]
    return f"CASE {' '.join(cases)} ELSE 0 END"


def in_utc(given: str, type_name: str) -> str:
    """The time as a UTC timestamp without zone. Naive times in files are UTC; so is text without an offset."""
    kind = kind_of(type_name)
    if kind == "zoned":
        return f"{given} AT TIME ZONE 'UTC'"
    if kind == "text":
        return f"TRY_CAST({given} AS TIMESTAMPTZ) AT TIME ZONE 'UTC'"
    return f"CAST({given} AS TIMESTAMP)"


def _literal(at: datetime, kind: str, type_name: str) -> str:
    """A time as a literal of the column's own type, so that the column itself need not be cast."""
    utc = at.astimezone(UTC)
    if kind == "zoned":
        zoned = "TIMESTAMPTZ_NS" if type_name.upper() == "TIMESTAMPTZ_NS" else "TIMESTAMPTZ"
        return f"CAST({text(utc.isoformat(sep=' '))} AS {zoned})"
    finest = "TIMESTAMP_NS" if type_name.upper() == "TIMESTAMP_NS" else "TIMESTAMP"
    return f"CAST({text(utc.replace(tzinfo=None).isoformat(sep=' '))} AS {finest})"
