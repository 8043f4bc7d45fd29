"""What is silent, for `status`: the incidents of which nobody is told, and the notifications that wait for the end."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from stratawatch.cli.incidents import print_care
from stratawatch.cli.output import metric_text, print_line, state_text, time_text
from stratawatch.cli.status_streams import rows_text
from stratawatch.engine.model.alarm_records import Silence, StreamKey, covering
from stratawatch.formatting import count_text

if TYPE_CHECKING:
    from stratawatch.adapters.status_queries import StatusRows

Row = Mapping[str, Any]


def active_silences(rows: "StatusRows", now: datetime) -> tuple[Silence, ...]:
    """The silences that hold now."""
    renamed = ({("until" if name == "until_at" else name): row[name] for name in row} for row in rows["silences"])
    return tuple(one for one in (Silence(**row) for row in renamed) if one.until > now)


def incident_rows(rows: "StatusRows", silences: Sequence[Silence]) -> list[dict[str, Any]]:
    """Open incidents, with the end of the silence that covers each."""
    return [{**row, "silent_until": _until(silences, row)} for row in rows["incidents"]]


def undelivered_rows(rows: "StatusRows", silences: Sequence[Silence]) -> list[dict[str, Any]]:
    """Undelivered notifications by channel, without those that wait for the end of a silence."""
    streams: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows["held"] if silences else ():
        streams[row["channel"], row["notification"]].append(row)
    held = Counter(channel for (channel, _), several in streams.items() if all(_until(silences, r) for r in several))
    left = [
        {**row, "notifications": row["notifications"] - (held[row["channel"]] if row["state"] == "pending" else 0)}
        for row in rows["undelivered"]
    ]
    return [row for row in left if row["notifications"]]


def silence_rows(silences: Sequence[Silence]) -> list[dict[str, Any]]:
    """Silences for programs."""
    names = ("id", "panel", "classifier", "metric", "segment", "until", "reason", "by")
    return [{**{name: getattr(one, name) for name in names}, "scope": one.scope} for one in silences]


def show_incidents(incidents: Sequence[Row], silences: Sequence[Row]) -> None:
    """Print open incidents, who looks after them, and what is silent."""
    print_line()
    print_line(count_text(len(incidents), "open incident") if incidents else "No open incidents")
    for row, *others in _with_one_cause(incidents):
        where = f" [{row['segment']}]" if row["segment"] else ""
        named = rows_text([row, *others]) if others else f"{metric_text(row['metric'])} of {row['classifier']}{where}"
        head = f"{state_text(row['kind'])}: {named}"
        print_line(f"{head} ({row['panel']}), since {time_text(row['opened_at'])}", indent="  ")
        if row["reason"]:
            print_line(row["reason"], indent="    ")
        print_care(row)
    for row in silences:
        print_line(f"! {row['scope']} is silent until {time_text(row['until'])}, by {row['by']}: {row['reason']}")


def _with_one_cause(incidents: Sequence[Row]) -> list[list[Row]]:
    """Those together that differ in their metrics alone: one cause opened them, and the same became of them."""
    same = ("kind", "panel", "opened_at", "reason", "acknowledged_at", "acknowledged_by", "silent_until")
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in incidents:
        found[tuple(row[name] for name in same)].append(row)
    return [*found.values()]


def _until(silences: Sequence[Silence], row: Row) -> datetime | None:
    silence = covering(silences, StreamKey(row["panel"], row["classifier"], row["metric"], row["segment"]))
    return silence.over_at if silence else None
