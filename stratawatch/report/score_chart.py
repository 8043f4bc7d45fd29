"""What a broken classifier's scores say of items, before its fall and since, group by group, as inline SVG."""

from collections.abc import Iterator, Sequence
from math import floor, log10
from typing import Final

from stratawatch.core.alarms.moved import ValueInterval
from stratawatch.core.alarms.score_groups import ScoreGroup
from stratawatch.engine.evidence.score_curves import ScoreCurve
from stratawatch.formatting import capitalised, count_text, whole_percent

WIDTH, HEIGHT = 560.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 38.0, 552.0, 8.0, 160.0
_LEVELS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_APART: Final = 7.0


def score_title(curve: ScoreCurve) -> str:
    """The group whose share of positives changed most, of those whose intervals do not overlap; else that none did."""
    if not any(group.before.positives and group.now.positives for group in curve.groups):
        return f"Too few labels tell what scores of {curve.classifier} mean, before it began or since"
    moved = [(change, group) for group in curve.groups if (change := _proven_change(group)) is not None]
    if not moved:
        return f"No group of {curve.classifier}'s scores means another share of positives than before, beyond chance"
    _, group = max(moved, key=lambda one: abs(one[0]))
    before, now = (side.positives.value if side.positives else 0.0 for side in (group.before, group.now))
    what = f"Of items that {curve.classifier} scores {range_text(group)}, {whole_percent(now)} are positive"
    return f"{what}; before it began {whole_percent(before)} were"


def range_text(group: ScoreGroup) -> str:
    """From where to where a group's scores go.

    >>> from stratawatch.core.alarms.score_groups import GroupReading
    >>> range_text(ScoreGroup(0.3125, 0.78, GroupReading(0.1, None, 0), GroupReading(0.1, None, 0)))
    '0.31 to 0.78'
    """
    return f"{_edge(group.low)} to {_edge(group.high)}"


def _edge(score: float) -> str:
    """A score in as many digits as tell it from 0 and from 1.

    >>> _edge(0.3125), _edge(0.99976), _edge(0.00024), _edge(1.0)
    ('0.31', '0.99976', '0.00024', '1')
    """
    rest = min(score, 1 - score)
    return f"{score:.{1 - floor(log10(rest))}f}" if rest > 0 else f"{score:g}"


def windows_text(curve: ScoreCurve) -> str:
    """Of which windows the two sides are."""
    before, now = (count_text(number, "window") for number in curve.windows)
    return capitalised(f"{before} before it began, {now} since; items by their weight, labels of both")


def score_svg(curve: ScoreCurve) -> str:
    """Draw the shares of positives; the same curve gives the same text."""
    groups = curve.groups
    parts = [f'<path d="{"".join(f"M{LEFT:g} {_y(level):.1f}H{RIGHT:g}" for level in _LEVELS)}" class="grid"/>']
    parts += [
        f'<text x="{LEFT - 6:g}" y="{_y(level) + 4:.1f}" text-anchor="end">{whole_percent(level)}</text>'
        for level in _LEVELS
    ]
    parts += [
        f'<text x="{_x(place - 0.5, groups):.1f}" y="{BOTTOM + 16:g}" text-anchor="middle">{_edge(edge)}</text>'
        for place, edge in enumerate([*(group.low for group in groups), groups[-1].high])
    ]
    parts += _side([group.before.positives for group in groups], -_APART, "calm")
    parts += _side([group.now.positives for group in groups], _APART, "hit")
    return f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" class="breachchart scores">{"".join(parts)}</svg>'


def _side(values: Sequence[ValueInterval | None], apart: float, look: str) -> Iterator[str]:
    known = [(_x(place, values) + apart, one) for place, one in enumerate(values) if one is not None]
    reach = "".join(f"M{x:.1f} {_y(one.low):.1f}V{_y(one.high):.1f}" for x, one in known)
    dots = "".join(f"M{x - 3:.1f} {_y(one.value):.1f}h6" for x, one in known)
    yield f'<path d="{reach}" class="{look}"/><path d="{dots}" class="{look} wide"/>'


def _proven_change(group: ScoreGroup) -> float | None:
    """How much the share of positives changed, where both intervals lie apart."""
    before, now = group.before.positives, group.now.positives
    if before is None or now is None or (before.low <= now.high and now.low <= before.high):
        return None
    return now.value - before.value


def _x(place: float, groups: Sequence[object]) -> float:
    return LEFT + (RIGHT - LEFT) * (place + 0.5) / len(groups)


def _y(value: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * value
