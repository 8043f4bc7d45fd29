"""Output: JSON for machines, plain lines and tables for people."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, Final

from stratawatch.core.alarms.alarm_states import SYMBOLS
from stratawatch.engine.model.pauses import SHADOW
from stratawatch.formatting import count_text, estimate_text, minute, printable, span_text
from stratawatch.settings.revealed_secrets import without_secrets

WIDEST: Final = 160
SET_ASIDE: Final = "`stratawatch labels set-aside`"
WAITING: Final = "`stratawatch labels waiting`"
"""The commands that list labels which did not count (yet)."""


def print_json(document: Any) -> None:
    """Print JSON with stable keys; ASCII only, so that any terminal and any pipe can take it."""
    sys.stdout.write(json.dumps(document, default=_plain, indent=2) + "\n")


def print_documents(
    name: str, documents: Sequence[dict[str, Any]], show: Callable[[dict[str, Any]], None], *, json: bool
) -> None:
    """Print JSON documents under a name, or show one after another with a blank line between."""
    if json:
        print_json({name: documents})
        return
    for number, document in enumerate(documents):
        if number:
            print_line()
        show(document)


def print_line(text: str = "", *, indent: str = "") -> None:
    """Print a line for a person, wrapped to the terminal."""
    text = printable(text)
    lines = wrap(text, width() - len(indent), break_on_hyphens=False) or [""]
    sys.stdout.write("".join(f"{indent}{line}\n" for line in lines))


def print_error(text: str) -> None:
    """Print a sentence to standard error, without secrets that it may quote."""
    for line in without_secrets(text).splitlines():
        sys.stderr.write(f"{printable(line)}\n")


def width() -> int:
    """Columns of the terminal."""
    return min(get_terminal_size((100, 24)).columns, WIDEST)


def state_text(state: str | None, *, is_shadow: bool = False) -> str:
    """An alarm state as people see it; nobody is paged about that of a shadow."""
    shadow = f" ({SHADOW})" if is_shadow else ""
    return "" if state is None else f"{SYMBOLS[state]} {state}{shadow}"


def time_text(moment: datetime | None) -> str:
    """A moment to the minute, in UTC."""
    return "" if moment is None else minute(moment)


def waiting_text(labels: int, items: int, since: datetime) -> str:
    """Labels in the inbox, and what they wait for.

    >>> waiting_text(2, 1, datetime(2026, 1, 12, 6, tzinfo=UTC))
    '2 labels wait until the items (1) are drawn, since 2026-01-12 06:00'
    """
    many = count_text(labels, "label")
    return f"{many} {'waits' if labels == 1 else 'wait'} until the items ({items:,}) are drawn, since {minute(since)}"


def window_text(row: Mapping[str, Any]) -> str:
    """The window of a row."""
    return span_text(row["window_start"], row["window_end"])


def value_text(row: Mapping[str, Any]) -> str:
    """An estimate with its interval in percent, or nothing."""
    if row.get("value") is None:
        return "undefined"
    return estimate_text(row["value"], row["low"], row["high"])


def stream_text(row: Mapping[str, Any]) -> str:
    """The classifier, the metric and, in brackets, the segment of a row."""
    where = f" [{row['segment']}]" if row.get("segment") else ""
    return f"{row['classifier']} {metric_text(row['metric'])}{where}"


def stream_in_words(row: Mapping[str, Any]) -> str:
    """The same inside a sentence."""
    where = f" in {row['segment']}" if row.get("segment") else ""
    return f"{metric_text(row['metric'])} of {row['classifier']}{where}"


def metric_text(metric: str) -> str:
    """A metric's name with blanks."""
    return metric.replace("_", " ")


def coloured() -> bool:
    """Whether standard output is a terminal that shows colours."""
    import os

    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
