"""A trend as inline SVG: the value and its interval per window, the limit, breaches marked, gaps left as gaps."""

import io
import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.formatting import exact_points
from stratawatch.report.chart_style import BLUE, GREEN, INK, ORANGE, STYLE, VERMILLION
from stratawatch.report.view_models import Point, Trend

if TYPE_CHECKING:  # matplotlib takes half a second to load; only drawing needs it
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 3.7, 1.9
BLANK: Final[Any] = {"facecolor": "#eef0f2", "edgecolor": "none", "pad": 1.0}  # a limit line stays behind the sign


def trend_svg(trend: Trend) -> str:
    """Draw a trend; the same trend gives the same text, byte for byte."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    salt = f"{trend.classifier}/{trend.metric}"
    with mpl.rc_context({**STYLE, "svg.hashsalt": salt}):
        figure = Figure(figsize=(WIDTH, HEIGHT))
        axes = figure.add_axes((0.115, 0.15, 0.85, 0.81))
        _draw(axes, trend)
        return _svg(figure)


def _draw(axes: "Axes", trend: Trend) -> None:
    _frame(axes, trend)
    _draw_baseline(axes, trend.points)
    _draw_gaps(axes, trend.points)
    for run in _runs(trend.points):
        _draw_run(axes, trend.points, run)
    _draw_limit(axes, trend)
    _mark(axes, trend, AlarmState.AT_RISK, "^", ORANGE)
    _mark(axes, trend, AlarmState.BREACH, "X", VERMILLION)


def _frame(axes: "Axes", trend: Trend) -> None:
    low, high = trend.scale.low, trend.scale.high
    axes.set_xlim(-0.6, len(trend.points) - 0.4)
    axes.set_ylim(low - (high - low) * 0.03, high + (high - low) * 0.03)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, axis="y", color="#e6e8eb", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=2.5, pad=2)
    axes.locator_params(axis="y", nbins=5)
    axes.yaxis.set_major_formatter(lambda value, _: f"{exact_points(value)}%")
    starts = [point.window.start for point in trend.points]
    daily = all((start.hour, start.minute) == (0, 0) for start in starts)
    shown = _ticks(len(starts))
    axes.set_xticks(shown, [f"{starts[i]:%d %b}" if daily else f"{starts[i]:%d %b %H:%M}" for i in shown])


def _ticks(number: int) -> list[int]:
    """At most five windows are named, the newest always."""
    step = max(1, -(-number // 5))
    return list(range(number - 1, -1, -step))[::-1]


def _runs(points: Sequence[Point]) -> list[list[int]]:
    """Places of neighbouring windows with an estimate; a line never crosses a gap."""
    groups = groupby(range(len(points)), key=lambda place: points[place].estimate is not None)
    return [list(run) for is_defined, run in groups if is_defined]


def _draw_run(axes: "Axes", points: Sequence[Point], run: Sequence[int]) -> None:
    found = [(place, estimate) for place in run if (estimate := points[place].estimate)]
    places = [place for place, _ in found]
    values, lows, highs = ([getattr(estimate, end) for _, estimate in found] for end in ("value", "low", "high"))
    axes.fill_between(places, lows, highs, color=BLUE, alpha=0.14, linewidth=0, zorder=1)
    axes.vlines(places, lows, highs, color=BLUE, linewidth=1.2, alpha=0.55, zorder=2)
    axes.plot(places, values, color=BLUE, linewidth=1.6, marker="o", markersize=3.4, zorder=3)


def _draw_gaps(axes: "Axes", points: Sequence[Point]) -> None:
    for place, point in enumerate(points):
        if point.estimate is None:
            axes.axvspan(place - 0.5, place + 0.5, color="#eef0f2", linewidth=0, zorder=0)
            sign = "…" if point.under_way else "?"
            base = axes.get_xaxis_transform()
            axes.text(place, 0.05, sign, transform=base, ha="center", color="#57606a", fontweight="bold", bbox=BLANK)


def _draw_baseline(axes: "Axes", points: Sequence[Point]) -> None:
    """A line at the value and a band over its interval, as long as one baseline is in force."""
    for baseline, run in groupby(enumerate(points), key=lambda pair: pair[1].baseline):
        places = [place for place, _ in run]
        if baseline is not None:
            ends = [places[0] - 0.5, places[-1] + 0.5]
            axes.fill_between(ends, baseline.low, baseline.high, color=GREEN, alpha=0.13, linewidth=0, zorder=0.5)
            axes.plot(ends, [baseline.value, baseline.value], color=GREEN, linewidth=1.1, zorder=0.6)


def _draw_limit(axes: "Axes", trend: Trend) -> None:
    runs = groupby(enumerate(trend.points), key=lambda pair: pair[1].limit)
    for limit, run in runs:
        places = [place for place, _ in run]
        if limit is not None:
            ends = [places[0] - 0.5, places[-1] + 0.5]
            axes.plot(ends, [limit, limit], color=INK, linewidth=1.1, linestyle=(0, (4, 2)), zorder=2.5)


def _mark(axes: "Axes", trend: Trend, state: AlarmState, marker: str, colour: str) -> None:
    marked = [(i, p.estimate.value) for i, p in enumerate(trend.points) if p.estimate and p.state == state]
    if marked:
        places, values = zip(*marked, strict=True)
        axes.scatter(places, values, s=58, marker=marker, color=colour, edgecolors="white", linewidths=0.8, zorder=4)


def _svg(figure: "Figure") -> str:
    """The bare <svg> element: no prologue, no metadata, no style that would leak, no ids but those referred to."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    for unwanted in (r"\s*<metadata>.*?</metadata>", r"\s*<style[^>]*>.*?</style>"):
        text = re.sub(unwanted, "", text, flags=re.DOTALL)
    head, rest = text.split(">", 1)
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)  # the page's style says how large it is
    return head + ">" + re.sub(r'<g id="[^"]*"', "<g", rest)
