"""Which rows belong to a window, as SQL: by the time of arrival where there is one, else by the row's own time."""

from collections.abc import Mapping
from datetime import UTC, datetime

from stratawatch.adapters.sources.column_types import kind_of
from stratawatch.adapters.sources.packed_codes import BAD, EARLY, LATE
from stratawatch.adapters.sources.quoting import text
from stratawatch.engine.model.panel_spec import Columns, Window


def times(columns: Columns, types: Mapping[str, str]) -> tuple[str, ...]:
    """The expressions of `time`, and of `arrived`. A row without a time of arrival is one without a time."""
    time = _utc("time_given", types[columns.time])
    if columns.ingested is None:
        return (f"{time} AS time",)
    arrived = _utc("arrived_given", types[columns.ingested])
    return (f"{arrived} AS arrived", f"CASE WHEN NOT {arrived} IS NULL THEN {time} END AS time")


def within(columns: Columns, types: Mapping[str, str], window: Window) -> str:
    """Inside [start, end), or without a time: such rows belong to no window, and are counted as bad in each.

    Typed columns are compared as they are, so that the engine can skip files and row groups by their statistics.
    """
    ours, name = ("time", columns.time) if columns.ingested is None else ("arrived", columns.ingested)
    kind = kind_of(types[name])
    column = ours if kind == "text" else f"{ours}_given"
    start, end = (_moment(at, kind, types[name]) for at in (window.start, window.end))
    return f"({column} >= {start} AND {column} < {end}) OR {column} IS NULL"


def usual(columns: Columns, window: Window) -> str:
    """Whether the mark is 0."""
    if columns.ingested is None:
        return "NOT time IS NULL"
    start, end = (_moment(at, "moment", "TIMESTAMP") for at in (window.start, window.end))
    return f"time >= {start} AND time < {end}"


def unread(columns: Columns) -> str:
    """What the source has where no time could be read; a missing one has nothing."""
    arrived = "" if columns.ingested is None else "WHEN arrived IS NULL THEN CAST(arrived_given AS VARCHAR) "
    return f"CASE {arrived}WHEN time IS NULL THEN CAST(time_given AS VARCHAR) END"


def mark(columns: Columns, window: Window, unit: int) -> str:
    """The code of a row's time: 3 none; where windows are cut by arrival, 1 before the window or 2 after it."""
    cases = [f"WHEN time IS NULL THEN {BAD * unit}"]
    if columns.ingested is not None:
        start, end = (_moment(at, "moment", "TIMESTAMP") for at in (window.start, window.end))
        cases += [f"WHEN time < {start} THEN {LATE * unit}", f"WHEN time >= {end} THEN {EARLY * unit}"]
    return f"CASE {' '.join(cases)} ELSE 0 END"


def _utc(given: str, type_name: str) -> str:
    """The time as a UTC timestamp without zone. Naive times in files are UTC; so is text without an offset."""
    kind = kind_of(type_name)
    if kind == "zoned":
        return f"{given} AT TIME ZONE 'UTC'"
    if kind == "text":
        return f"TRY_CAST({given} AS TIMESTAMPTZ) AT TIME ZONE 'UTC'"
    return f"CAST({given} AS TIMESTAMP)"


def _moment(at: datetime, kind: str, type_name: str) -> str:
    utc = at.astimezone(UTC)
    if kind == "zoned":
        zoned = "TIMESTAMPTZ_NS" if type_name.upper() == "TIMESTAMPTZ_NS" else "TIMESTAMPTZ"
        return f"CAST({text(utc.isoformat(sep=' '))} AS {zoned})"
    finest = "TIMESTAMP_NS" if type_name.upper() == "TIMESTAMP_NS" else "TIMESTAMP"
    return f"CAST({text(utc.replace(tzinfo=None).isoformat(sep=' '))} AS {finest})"
