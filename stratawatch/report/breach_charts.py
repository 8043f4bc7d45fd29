"""Two small charts of a breach: its metric by segment, and its classifier's flags; few numbers, names at the lines.

They are written here and not by a drawing library, as the trends are: looks stand in page.css.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Final

from stratawatch.core.alarms.error_shares import ErrorShare, error_share
from stratawatch.formatting import count, whole_percent
from stratawatch.report.breach_rows import FlagCounts, Place, PlacesChart

WIDTH, HEIGHT = 400.0, 128.0
LEFT, RIGHT, TOP, BOTTOM = 6.0, 262.0, 10.0, 108.0
"""Where lines are drawn; names stand right of them, the date of the fall below."""
LARGE: Final = 0.1
"""A change of flags from which on it is told."""
_LINE: Final = 13.0
"""How far apart names stand at least."""


def places_svg(chart: PlacesChart) -> str:
    """What is wrong in each segment, window by window; those that moved the metric stand out."""
    share = error_share(chart.metric)
    lines = [
        _Line(
            _place_name(place, share),
            tuple(None if value is None else share.of(value) for value in place.values),
            "hit" if place.moved_it else "calm",
        )
        for place in chart.places
    ]
    ends = () if chart.limit is None else (chart.limit.floor, chart.limit.ceiling)
    limits = [share.of(end) for end in ends if end is not None]
    return _svg(chart.starts, lines, limits, chart.since)


def _place_name(place: Place, share: ErrorShare) -> str:
    """A segment's name; of one that moved the metric with its newest value, where there is one."""
    newest = place.values[-1]
    return f"{share.number(newest)} {place.name}" if place.moved_it and newest is not None else place.name


def places_title(chart: PlacesChart) -> str:
    """What the chart by segment shows."""
    share, moved = error_share(chart.metric), [place for place in chart.places if place.moved_it]
    where = " and ".join(place.name for place in moved)
    what = f"{share.word.capitalize()} share" if share.word else share.title
    if len(moved) == len(chart.places):
        return f"{what} of {chart.classifier} by window: in every segment"
    return f"{what} of {chart.classifier} by window: {where} moved it"


def flags_title(flags: FlagCounts) -> str:
    """What the chart of flags shows."""
    change = flags.change
    if change is None:
        none = f"{flags.classifier} flags {count(flags.counts[-1])} items, none before"
        return none if flags.usual == 0 and flags.counts[-1] else f"Flags of {flags.classifier}"
    if abs(change) < LARGE:
        return f"Flags of {flags.classifier}: much as before"
    way = "more" if change > 0 else "fewer"
    return f"{flags.classifier} flags {whole_percent(abs(change))} {way} in the newest window than before"


def flags_svg(flags: FlagCounts) -> str:
    """How many items were flagged, window by window."""
    return _svg(flags.starts, [_Line("flags", flags.counts, "hit")], [], flags.since)


@dataclass(frozen=True)
class _Line:
    name: str
    values: Sequence[float | None]
    look: str


def _svg(starts: Sequence[datetime], lines: Sequence[_Line], limits: Sequence[float], since: datetime | None) -> str:
    known = [value for line in lines for value in line.values if value is not None] + [*limits, 0.0]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    low, high = (low, high) if high > low else (low - 1.0, high + 1.0)

    def x(place: float) -> float:
        return LEFT + (RIGHT - LEFT) * (place + 0.5) / max(len(starts), 1)

    def y(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low)

    parts = [f'<path d="M{LEFT:g} {BOTTOM + 4:g}H{RIGHT:g}" class="axis"/>']
    if since is not None:
        place = x(starts.index(since))
        parts.append(f'<path d="M{place:.1f} {TOP - 6:g}V{BOTTOM + 4:g}" class="since"/>')
    parts += [f'<path d="M{LEFT:g} {y(limit):.1f}H{RIGHT:g}" class="limit"/>' for limit in limits]
    parts += [f'<path d="{_path(line.values, x, y)}" class="{line.look}"/>' for line in lines]
    names = [(y(value), line.name, line.look) for line in lines if (value := _newest(line.values)) is not None]
    names += [(y(limit), "allowed", "quiet") for limit in limits]
    parts += [
        f'<text x="{RIGHT + 6:g}" y="{at + 4:.1f}" class="{look}">{escape(name)}</text>'
        for at, name, look in _apart(names)
    ]
    if since is not None:
        place = x(starts.index(since))
        parts.append(f'<text x="{place:.1f}" y="{HEIGHT - 4:g}" text-anchor="middle">{since:%d %b}</text>')
    return f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" class="breachchart">{"".join(parts)}</svg>'


def _newest(values: Sequence[float | None]) -> float | None:
    return next((value for value in reversed(values) if value is not None), None)


def _path(values: Sequence[float | None], x: Callable[[float], float], y: Callable[[float], float]) -> str:
    text, pen = "", "M"
    for place, value in enumerate(values):
        if value is None:
            pen = "M"
            continue
        text += f"{pen}{x(place):.1f} {y(value):.1f}h0"
        pen = "L"
    return text


def _apart(names: Sequence[tuple[float, str, str]]) -> Iterator[tuple[float, str, str]]:
    """The names from top to bottom, none on another, none below the picture."""
    ranked = sorted(names)
    places: list[float] = []
    for at, _, _ in ranked:
        places.append(max(at, places[-1] + _LINE) if places else at)
    lowest = BOTTOM + 4
    for number in range(len(places) - 1, -1, -1):
        places[number] = min(places[number], lowest)
        lowest = places[number] - _LINE
    for at, (_, name, look) in zip(places, ranked, strict=True):
        yield at, name, look
