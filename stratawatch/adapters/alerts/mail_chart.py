"""A metric by windows as a mail shows it: bars made of table cells, as programs for mail show no SVG, and as text.

It shows what the mail speaks of: of precision the flags that are wrong, and the most that its limit allows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from itertools import groupby
from typing import Any, Final

from stratawatch.core.alarms.error_shares import ErrorShare, error_share
from stratawatch.core.alarms.moved import ValueInterval
from stratawatch.formatting import capitalised, estimate_text, exact_points, percent

WIDTH: Final = 260
"""Pixels of a bar; of text so many characters."""
LETTERS: Final = 32
_VALUES: Final = ("value", "low", "high")
_OTHER_END: Final = {"floor": "ceiling", "ceiling": "floor"}
"""Of what a metric leaves of 1."""
_EDGE: Final = 0.05
"""What is left free on either side, as a share of what is shown."""
_COLOURS: Final = {" ": "#f1f2f4", "-": "#9db2c9", "x": "#e0a39c", "o": "#1f3347", "|": "#c0392b"}
"""By what stands there: nothing, the interval (x: wholly beyond the limit), the value, a limit."""


@dataclass(frozen=True)
class _Row:
    """A window: its value, whether all of the interval lies beyond a limit, and whether it was the first of a fall."""

    start: datetime
    value: float
    low: float
    high: float
    is_outside: bool
    is_first: bool

    @property
    def text(self) -> str:
        return estimate_text(self.value, self.low, self.high)

    @property
    def words(self) -> str:
        """What is to be seen without colours."""
        return ", ".join([*(["since"] if self.is_first else []), *(["outside"] if self.is_outside else [])])


def chart_html(facts: Mapping[str, Any]) -> str:
    """The chart in a notification's facts, as a table; empty where there is none."""
    found = _read(facts)
    if found is None:
        return ""
    rows, limits = found
    lines = "".join(_html_row(row, "".join(_bar(row, rows, [*limits.values()], WIDTH))) for row in rows)
    return (
        '<table role="presentation" cellpadding="0" cellspacing="0" style="border-collapse:collapse;font-size:13px">\n'
        f"{lines}</table>\n<p><small>{escape(_caption(facts, limits))}</small></p>\n"
    )


def chart_text(facts: Mapping[str, Any]) -> str:
    """The chart in a notification's facts, as lines; empty where there is none."""
    found = _read(facts)
    if found is None:
        return ""
    rows, limits = found
    widest = max(len(row.text) for row in rows)
    bars = ["".join(_bar(row, rows, [*limits.values()], LETTERS)) for row in rows]
    lines = [
        f"{_day(row)}  {row.text:{widest}}  [{bar}] {row.words}".rstrip() for row, bar in zip(rows, bars, strict=True)
    ]
    return "\n".join([*lines, _caption(facts, limits)])


def _read(facts: Mapping[str, Any]) -> tuple[list[_Row], dict[str, float]] | None:
    chart = facts.get("chart")
    if not chart:
        return None
    share = _share(facts)
    ends = {name: float(chart[name]) for name in ("floor", "ceiling") if name in chart}
    limits = ends if share is None else {_OTHER_END.get(name, name): share.of(end) for name, end in ends.items()}
    since = datetime.fromisoformat(chart["since"])
    rows = []
    for one in chart["windows"]:
        start, found = datetime.fromisoformat(one["start"]), ValueInterval(*(float(one[name]) for name in _VALUES))
        if share is not None:
            found = share.interval(found)
        is_outside = found.high < limits.get("floor", found.high) or found.low > limits.get("ceiling", found.low)
        rows.append(_Row(start, found.value, found.low, found.high, is_outside, start == since))
    return rows, limits


def _share(facts: Mapping[str, Any]) -> ErrorShare | None:
    """The share that the text speaks of, where that is what the metric leaves of 1; else None."""
    metric = facts.get("metric")
    found = error_share(str(metric)) if metric else None
    return found if found is not None and found.is_rest else None


def _bar(row: _Row, rows: Sequence[_Row], limits: Sequence[float], length: int) -> Iterator[str]:
    """The character at each place of a bar, from left to right."""
    ends = [*(one.low for one in rows), *(one.high for one in rows), *limits]
    edge = _EDGE * (max(ends) - min(ends)) or _EDGE
    first, last = min(ends) - edge, max(ends) + edge

    def place(value: float) -> int:
        return round((value - first) / (last - first) * (length - 1))

    for here in range(length):
        if here == place(row.value):
            yield "o"
        elif here in map(place, limits):
            yield "|"
        elif place(row.low) <= here <= place(row.high):
            yield "x" if row.is_outside else "-"
        else:
            yield " "


def _html_row(row: _Row, bar: str) -> str:
    cells = "".join(
        f'<td width="{len([*run])}" height="12" bgcolor="{_COLOURS[sign]}" style="padding:0;font-size:1px">&nbsp;</td>'
        for sign, run in groupby(bar)
    )
    table = f'<table role="presentation" cellpadding="0" cellspacing="0" width="{WIDTH}"><tr>{cells}</tr></table>'
    said = "".join(f'<td style="padding:1px 8px">{escape(text)}</td>' for text in (_day(row), row.text))
    return f'<tr>{said}<td style="padding:1px 0">{table}</td><td style="padding:1px 8px">{row.words}</td></tr>\n'


def _day(row: _Row) -> str:
    at_midnight = (row.start.hour, row.start.minute) == (0, 0)
    return f"{row.start:%Y-%m-%d}" if at_midnight else f"{row.start:%Y-%m-%d %H:%M}"


def _caption(facts: Mapping[str, Any], limits: Mapping[str, float]) -> str:
    share = _share(facts)
    if share is None:
        named = ", ".join(f"{name} {percent(value)}" for name, value in limits.items())
        shown = f"{capitalised(str(facts.get('metric') or 'the metric').replace('_', ' '))} by window"
    else:
        most = {"ceiling": "most", "floor": "least"}
        named = ", ".join(f"at {most[name]} {exact_points(value)}% allowed" for name, value in limits.items())
        shown = f"By window what share {share.words}"
    return f"{shown}, with intervals{f'; {named}' if named else ''}."
