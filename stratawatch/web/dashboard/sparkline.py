"""How a metric went, in the space of a word: its values and its limit, without numbers."""

from typing import Final

from stratawatch.chart_colours import BLUE, VERMILLION
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.formatting import percent
from stratawatch.report.view_models import Point, Trend

WINDOWS: Final = 8
WIDTH, HEIGHT = 120.0, 28.0
_EDGE: Final = 4.0


def sparkline_svg(trend: Trend) -> str:
    """Draw the newest windows of a trend; a window without an estimate leaves a gap."""
    points = trend.points[-WINDOWS:]
    ends = [end for point in points for end in _values(point)]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    span = (high - low) or 1.0

    def y(value: float) -> str:
        return f"{HEIGHT - _EDGE - (HEIGHT - 2 * _EDGE) * (value - low) / span:.1f}"

    def x(place: int) -> str:
        return f"{_EDGE + (WIDTH - 2 * _EDGE) * (place + 0.5) / max(len(points), 1):.1f}"

    parts, pen = [], "M"
    for place, point in enumerate(points):
        if point.estimate is None:
            pen = "M"
            continue
        parts.append(f"{pen}{x(place)} {y(point.estimate.value)}h0")
        pen = "L"
    line = f'<path d="{"".join(parts)}" fill="none" stroke="{BLUE.lower()}" stroke-width="2" stroke-linecap="round"/>'
    marks = "".join(
        f'<circle cx="{x(place)}" cy="{y(point.estimate.value)}" r="3" fill="{VERMILLION.lower()}"/>'
        for place, point in enumerate(points)
        if point.estimate and point.state == AlarmState.BREACH
    )
    limit = next((point.limit for point in reversed(points) if point.limit is not None), None)
    look = 'fill="none" stroke="currentColor" stroke-width="1" stroke-dasharray="3 2"'
    floor = "" if limit is None else f'<path d="M0 {y(limit)}H{WIDTH:g}" {look}/>'
    return (
        f'<svg class="spark" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{_alt(points)}">'
        f"{floor}{line}{marks}</svg>"
    )


def _values(point: Point) -> list[float]:
    return [value for value in (point.estimate.value if point.estimate else None, point.limit) if value is not None]


def _alt(points: tuple[Point, ...]) -> str:
    return ", ".join(percent(one.estimate.value) if one.estimate else "unknown" for one in points) or "nothing yet"
