"""What `status` prints of a panel's streams, and `estimates` of their states: why they are as they are."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from stratawatch.cli.output import (
    print_line,
    state_text,
    stream_in_words,
    stream_text,
    time_text,
    value_text,
    window_text,
)
from stratawatch.cli.table_output import show_rows
from stratawatch.core.alarms.alarm_states import MEANINGS, SYMBOLS
from stratawatch.engine.alarms.stream_words import streams_text
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.formatting import count_text

MOST_REASONS: Final = 8
"""Sentences on the states of a panel, the most urgent first."""


def show_panel(panel: Mapping[str, Any], streams: Sequence[Mapping[str, Any]]) -> None:
    """Print a panel, its streams with their states, and why those that are not OK are so."""
    newest = f", newest window until {time_text(panel['newest_window_end'])}" if panel["cycles"] else ""
    print_line(f"{panel['panel']}: {count_text(panel['cycles'], 'cycle')}{newest}")
    if panel["paused"]:
        print_line(f"! {panel['paused']}", indent="  ")
    if not streams:
        print_line("nothing judged yet", indent="  ")
    streams, older = ([row for row in streams if row["in_newest_window"] == is_newest] for is_newest in (True, False))
    first = next((row for row in streams if row["value"] is not None), None)
    show_rows(
        [
            {
                "metric": stream_text(row),
                "state": state_text(row["state"], is_shadow=row["shadow"]),
                "value": value_text(row),
                "window": window_text(row),
            }
            for row in streams
        ],
        how_to_read=_how_to_read(first) if first else "the state of a metric, and why there is no value",
    )
    show_reasons([row for row in streams if row["state"] not in ("OK", "BREACH")])  # incidents tell of breaches
    _show_older(older)


def _show_older(streams: Sequence[Mapping[str, Any]]) -> None:
    """Print what the newest window says nothing of, as its classifier or its limit is gone or paused, and when it was.

    An open incident of it stands below.
    """
    several: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in sorted(streams, key=lambda row: row["window_start"], reverse=True):
        several[window_text(row)].append(row)
    for window, rows in several.items():
        print_line(f"Not in the newest window, last judged in {window}: {rows_text(rows)}", indent="  ")


def _how_to_read(row: Mapping[str, Any]) -> str:
    """A row in a sentence."""
    value = f"{value_text(row)} in the window {window_text(row)}"
    return f"the {stream_in_words(row)} was {value}: {MEANINGS[row['state']]}; in brackets its interval"


def show_reasons(streams: Sequence[Mapping[str, Any]]) -> None:
    """Print why states are as they are, each reason once."""
    several: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in streams:
        several[row["state"], _why(row)].append(row)
    for (state, why), rows in list(several.items())[:MOST_REASONS]:
        print_line(f"{SYMBOLS[state]} {rows_text(rows)}: {why}", indent="  ")
    left = sum(len(rows) for rows in list(several.values())[MOST_REASONS:])
    if left:
        print_line(f"  {left} more: `stratawatch status --json` has every reason")


def rows_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The stream of one row; of several how many there are, and which.

    >>> named = [{"panel": "spam", "classifier": name, "metric": "recall", "segment": None} for name in ("lr", "rf")]
    >>> rows_text(named[:1]), rows_text(named)
    ('lr recall', '2 metrics (recall of lr, rf)')
    """
    if len(rows) == 1:
        return stream_text(rows[0])
    keys = [StreamKey(row["panel"], row["classifier"], row["metric"], row["segment"]) for row in rows]
    return f"{count_text(len(rows), 'metric')} ({streams_text(keys)})"


def _why(row: Mapping[str, Any]) -> str:
    """Why a state is as it is: how it stands at its limit and what would prove it; else the judgement's sentence."""
    said = [one["sentence"] for one in row["outlooks"] if one["windows_to_ok"] != 0]
    if row["state"] in ("UNPROVEN", "AT RISK") and said and row["value"] is not None:
        return " ".join(said)
    return str(row["reason"])
