"""One classifier's metrics by windows, one below the other: values with their intervals, limits, states and gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from stratawatch.chart_colours import GREEN, GREY, INK
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.model.panel_spec import WindowRule
from stratawatch.formatting import confidence_text, exact_points
from stratawatch.report.findings import finding
from stratawatch.report.picture_parts import (
    GRID,
    LINE,
    QUIET,
    WIDTH,
    broken,
    legend,
    legend_height,
    mark,
    name,
    quiet,
    tint_of,
    write_lines,
)
from stratawatch.report.view_models import PanelView, Point, Score, Trend

if TYPE_CHECKING:  # matplotlib takes half a second to load; only drawing needs it
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_METRICS: Final = 4
"""Frames of a picture: metrics with a limit come first, and of the others there is the page."""
MOST_WINDOWS: Final = 26
"""Windows of a frame, the newest: more are no longer told apart on a telephone."""
_FRAME: Final = 1.35
_LEFT, _RIGHT = 0.52, 4.92
_LETTERS: Final = 66
_PALE: Final[Any] = {"facecolor": "#f1f2f4", "edgecolor": "none", "pad": 1}
_SPLIT: Final = 3
"""Lines of a title."""


@dataclass(frozen=True)
class _Frame:
    """A metric: its trend, and its title in lines."""

    trend: Trend
    points: tuple[Point, ...]
    title: list[str]

    @property
    def height(self) -> float:
        return len(self.title) * LINE + 0.1 + _FRAME + 0.3


def drawn_scores(view: PanelView, classifier: str) -> list[Score]:
    """The metrics of a classifier that its picture shows, in the order of the page; none while it has no trend."""
    drawn = {trend.metric for trend in view.trends if trend.classifier == classifier}
    mine = [one for one in view.scores if one.classifier == classifier and one.metric in drawn]
    kept = sorted(mine, key=lambda one: one.limit is None)[:MOST_METRICS]
    return [one for one in mine if one in kept]


def classifier_figure(view: PanelView, classifier: str) -> "Figure":
    """Draw the metrics of a classifier."""
    from matplotlib.figure import Figure

    frames = [_frame(view, score) for score in drawn_scores(view, classifier)]
    points = [point for frame in frames for point in frame.points]
    states = {point.state for point in points if point.estimate}
    limited, based = any(p.limit is not None for p in points), any(p.baseline for p in points)
    foot = _foot(view, points)
    below = legend_height(states, limited + based) + len(foot) * LINE + 0.1
    height = 0.42 + sum(frame.height for frame in frames) + below
    figure = Figure(figsize=(WIDTH, height))
    head = f"{name(classifier)}  ({name(view.panel)})"
    top = write_lines(figure, [head], height - 0.1, fontsize=12, weight="bold") - 0.06
    for frame in frames:
        top = write_lines(figure, frame.title, top)
        floor = top - 0.1 - _FRAME
        place = (_LEFT / WIDTH, floor / height, (_RIGHT - _LEFT) / WIDTH, _FRAME / height)
        _draw(figure.add_axes(place), frame)
        top = floor - 0.3
    legend(figure, states, limit="limit" if limited else "", baseline=based, top=top)
    write_lines(figure, foot, 0.08 + len(foot) * LINE, fontsize=9, color=QUIET)
    return figure


def _frame(view: PanelView, score: Score) -> _Frame:
    trend = next(t for t in view.trends if (t.classifier, t.metric) == (score.classifier, score.metric))
    return _Frame(trend, trend.points[-MOST_WINDOWS:], broken(finding(view, score), _LETTERS, _SPLIT))


def _foot(view: PanelView, points: Sequence[Point]) -> list[str]:
    """How the frames are read, and what the signs of gaps mean where there are any."""
    first = points[0].window
    unit = WindowRule(first.start, first.end - first.start).unit
    said = f"each {unit} by its beginning; bars are {confidence_text(view.method.confidence)} intervals"
    gaps = {point.under_way for point in points if point.estimate is None}
    signs = {False: "?: cannot be told", True: "…: labels are still coming"}
    return [said, *([";  ".join(signs[one] for one in sorted(gaps))] if gaps else [])]


def _draw(axes: "Axes", frame: _Frame) -> None:
    points, scale = frame.points, frame.trend.scale
    margin = (scale.high - scale.low) * 0.05
    axes.set_ylim(scale.low - margin, scale.high + margin)
    axes.set_xlim(-0.6, len(points) - 0.4)
    axes.grid(visible=True, axis="y", color=GRID, linewidth=0.8)
    axes.yaxis.set_major_locator(_levels())
    axes.yaxis.set_major_formatter(lambda value, _: f"{exact_points(round(value, 9))}%")
    starts = [point.window.start for point in points]
    shown = range(len(points) - 1, -1, -max(1, -(-len(points) // 5)))
    daily = all((start.hour, start.minute) == (0, 0) for start in starts)
    names = [f"{starts[at].day} {starts[at]:{'%b' if daily else '%b %H:%M'}}" for at in shown]
    axes.set_xticks(list(shown), names)
    quiet(axes)
    _draw_levels(axes, points)
    _draw_values(axes, points)
    _draw_gaps(axes, points)


def _levels() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4, steps=[1, 2, 2.5, 5, 10])


def _draw_levels(axes: "Axes", points: Sequence[Point]) -> None:
    """Draw limits and baselines as long as each was in force."""
    for limit, run in groupby(range(len(points)), key=lambda at: points[at].limit):
        places = [*run]
        if limit is not None:
            axes.hlines(limit, places[0] - 0.5, places[-1] + 0.5, color=INK, linestyle=(0, (4, 2)), linewidth=1.3)
    for baseline, run in groupby(range(len(points)), key=lambda at: points[at].baseline):
        places = [*run]
        if baseline is not None:
            ends = (places[0] - 0.5, places[-1] + 0.5)
            axes.fill_between(ends, baseline.low, baseline.high, color="#def3ec", linewidth=0, zorder=0)
            axes.hlines(baseline.value, *ends, color=GREEN, linewidth=1.3)


def _draw_values(axes: "Axes", points: Sequence[Point]) -> None:
    """Draw values with their intervals; the line between them never crosses a gap."""
    for is_defined, run in groupby(range(len(points)), key=lambda at: points[at].estimate is not None):
        if is_defined:
            places = [*run]
            values = [estimate.value for at in places if (estimate := points[at].estimate)]
            axes.plot(places, values, color=tint_of(AlarmState.OK), linewidth=1.4)
    for state in dict.fromkeys(point.state for point in points if point.estimate):
        alike = [(at, p.estimate) for at, p in enumerate(points) if p.estimate is not None and p.state == state]
        places = [at for at, _ in alike]
        lows, highs = [estimate.low for _, estimate in alike], [estimate.high for _, estimate in alike]
        axes.vlines(places, lows, highs, color=tint_of(state), linewidth=2.4)
        axes.plot(places, [estimate.value for _, estimate in alike], **mark(state))


def _draw_gaps(axes: "Axes", points: Sequence[Point]) -> None:
    across = axes.get_xaxis_transform()
    for at, point in enumerate(points):
        if point.estimate is None:
            axes.axvspan(at - 0.5, at + 0.5, color="#f1f2f4", linewidth=0, zorder=0)
            look: Any = {"ha": "center", "va": "bottom", "weight": "bold", "transform": across, "bbox": _PALE}
            axes.text(at, 0.03, "…" if point.under_way else "?", color=GREY if point.state is None else INK, **look)
