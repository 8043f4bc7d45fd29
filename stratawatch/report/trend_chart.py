"""A trend as inline SVG: the value and its interval per window, the limit, breaches marked, gaps left as gaps.

It is written here and not by a drawing library: a page of fifty classifiers has 150 of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor, log10
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.formatting import exact_points
from stratawatch.report.view_models import Point, Trend

WIDTH, HEIGHT = 266.0, 137.0
LEFT, RIGHT, TOP, BOTTOM = 31.0, 257.0, 5.5, 116.0
"""Where the axes lie; the names of values and windows stand left of them and below."""
MOST_LEVELS: Final = 5
_CROSS: Final = "m-2-4l2 2 2-2 2 2-2 2 2 2-2 2-2-2-2 2-2-2 2-2-2-2z"
_TRIANGLE: Final = "m0-4.2l4.2 7.6h-8.4z"


def trend_svg(trend: Trend) -> str:
    """Draw a trend; the same trend gives the same text, byte for byte."""
    axes = _Axes.of(trend)
    parts = [
        *_gaps(axes, trend.points),
        *_frame(axes, trend),
        *_baselines(axes, trend.points),
        *(line for run in _runs(trend.points) for line in _run(axes, trend.points, run)),
        *_limits(axes, trend),
        *_marks(axes, trend, AlarmState.AT_RISK, _TRIANGLE, "risk"),
        *_marks(axes, trend, AlarmState.BREACH, _CROSS, "breach"),
        *_signs(axes, trend.points),
        *_changes(axes, trend),
    ]
    return f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}">{"".join(parts)}</svg>'


@dataclass(frozen=True)
class _Axes:
    """From places of windows and values to the picture's coordinates."""

    low: float
    high: float
    windows: int

    @classmethod
    def of(cls, trend: Trend) -> "_Axes":
        margin = (trend.scale.high - trend.scale.low) * 0.03
        return cls(trend.scale.low - margin, trend.scale.high + margin, len(trend.points))

    def x(self, place: float) -> str:
        return _short(LEFT + (RIGHT - LEFT) * (place + 0.6) / (self.windows + 0.2))

    def y(self, value: float, below: float = 0.0) -> str:
        share = min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))
        return _short(BOTTOM - (BOTTOM - TOP) * share + below)

    def levels(self) -> list[float]:
        """Round values between the ends, a few of them."""
        span = self.high - self.low
        power = 10.0 ** floor(log10(span / MOST_LEVELS))
        step = next(round_step for factor in (1, 2, 2.5, 5, 10) if span / (round_step := factor * power) <= MOST_LEVELS)
        return [number * step for number in range(ceil(self.low / step), floor(self.high / step) + 1)]


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _path(d: str, look: str) -> str:
    # Looks are in page.css: a page has 150 charts, and pages that are served allow no style but their sheet's.
    return f'<path d="{d}" class="{look}"/>'


def _frame(axes: _Axes, trend: Trend) -> Iterator[str]:
    levels = axes.levels()
    yield _path("".join(f"M{LEFT:g} {axes.y(level)}H{RIGHT:g}" for level in levels), "grid")
    starts = [point.window.start for point in trend.points]
    shown = _ticks(len(starts))
    ticks = "".join(f"M{LEFT:g} {axes.y(level)}h-2.5" for level in levels)
    ticks += "".join(f"M{axes.x(place)} {BOTTOM:g}v2.5" for place in shown)
    yield _path(f"M{LEFT:g} {TOP:g}V{BOTTOM:g}H{RIGHT:g}{ticks}", "axis")
    values = (
        f'<text x="{LEFT - 5:g}" y="{axes.y(level, 2.8)}">{exact_points(round(level, 9))}%</text>' for level in levels
    )
    yield f'<g text-anchor="end">{"".join(values)}</g>'
    daily = all((start.hour, start.minute) == (0, 0) for start in starts)
    form = "%d %b" if daily else "%d %b %H:%M"
    names = (f'<text x="{axes.x(place)}" y="{BOTTOM + 11:g}">{starts[place]:{form}}</text>' for place in shown)
    yield f'<g text-anchor="middle">{"".join(names)}</g>'


def _ticks(number: int) -> list[int]:
    """At most five windows are named, the newest always."""
    step = max(1, -(-number // 5))
    return list(range(number - 1, -1, -step))[::-1]


def _runs(points: Sequence[Point]) -> list[list[int]]:
    """Places of neighbouring windows with an estimate; a line never crosses a gap."""
    groups = groupby(range(len(points)), key=lambda place: points[place].estimate is not None)
    return [list(run) for is_defined, run in groups if is_defined]


def _run(axes: _Axes, points: Sequence[Point], run: Sequence[int]) -> Iterator[str]:
    found = [(axes.x(place), estimate) for place in run if (estimate := points[place].estimate)]
    highs = [f"{x} {axes.y(estimate.high)}" for x, estimate in found]
    lows = [f"{x} {axes.y(estimate.low)}" for x, estimate in reversed(found)]
    values = [f"{x} {axes.y(estimate.value)}" for x, estimate in found]
    reach = "".join(f"M{x} {axes.y(estimate.low)}V{axes.y(estimate.high)}" for x, estimate in found)
    yield _path(f"M{' '.join(highs + lows)}z", "area")
    yield _path(reach, "reach")
    yield _path(f"M{'L'.join(values)}", "value")
    dots = "".join(f"M{value}h0" for value in values)
    yield _path(dots, "dot")


def _gaps(axes: _Axes, points: Sequence[Point]) -> Iterator[str]:
    gaps = [place for place, point in enumerate(points) if point.estimate is None]
    if gaps:
        bands = (f"M{axes.x(place - 0.5)} {TOP:g}V{BOTTOM:g}H{axes.x(place + 0.5)}V{TOP:g}z" for place in gaps)
        yield _path("".join(bands), "blank")


def _signs(axes: _Axes, points: Sequence[Point]) -> Iterator[str]:
    """What a gap means; a limit's line stays behind the sign."""
    for place, point in enumerate(points):
        if point.estimate is None:
            x, sign = axes.x(place), "…" if point.under_way else "?"
            yield _path(f"M{x} {BOTTOM - 5:g}m-4 2v-10h8v10z", "blank")
            yield f'<text x="{x}" y="{BOTTOM - 5:g}" text-anchor="middle" font-weight="bold">{sign}</text>'


def _changes(axes: _Axes, trend: Trend) -> Iterator[str]:
    """Something was changed in a window."""
    places = sorted({mark.place for mark in trend.marks})
    if places:
        yield _path("".join(f"M{axes.x(place)} {TOP:g}V{BOTTOM:g}" for place in places), "changed")
        yield _path("".join(f"M{axes.x(place)} {TOP:g}m-3.4-4.5h6.8l-3.4 5.5z" for place in places), "change")


def _baselines(axes: _Axes, points: Sequence[Point]) -> Iterator[str]:
    """A line at the value and a band over its interval, as long as one baseline is in force."""
    for baseline, run in groupby(enumerate(points), key=lambda pair: pair[1].baseline):
        places = [place for place, _ in run]
        if baseline is not None:
            first, last = axes.x(places[0] - 0.5), axes.x(places[-1] + 0.5)
            low, high = axes.y(baseline.low), axes.y(baseline.high)
            yield _path(f"M{first} {low}V{high}H{last}V{low}z", "band")
            yield _path(f"M{first} {axes.y(baseline.value)}H{last}", "base")


def _limits(axes: _Axes, trend: Trend) -> Iterator[str]:
    for limit, run in groupby(enumerate(trend.points), key=lambda pair: pair[1].limit):
        places = [place for place, _ in run]
        if limit is not None:
            line = f"M{axes.x(places[0] - 0.5)} {axes.y(limit)}H{axes.x(places[-1] + 0.5)}"
            yield _path(line, "limit")


def _marks(axes: _Axes, trend: Trend, state: AlarmState, shape: str, look: str) -> Iterator[str]:
    for place, point in enumerate(trend.points):
        if point.estimate and point.state == state:
            at = f"M{axes.x(place)} {axes.y(point.estimate.value)}{shape}"
            yield _path(at, look)
