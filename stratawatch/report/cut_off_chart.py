"""Precision and recall by the flags that a cut-off leaves, with their intervals and the limit, as inline SVG."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from stratawatch.core.alarms.cut_offs import CutOff, CutOffChoice
from stratawatch.core.alarms.moved import ValueInterval
from stratawatch.formatting import count, whole_percent

WIDTH, HEIGHT = 560.0, 210.0
LEFT, RIGHT, TOP, BOTTOM = 38.0, 470.0, 22.0, 168.0
_STEP: Final = 0.1


def cut_off_svg(choice: CutOffChoice) -> str:
    """Draw a choice; more flags are further right. The same choice gives the same text."""
    ordered = sorted((choice.in_use, *choice.others), key=lambda one: one.calls.value)
    lines = {"precision": [one.precision for one in ordered], "recall": [one.recall for one in ordered]}
    ends = [end for values in lines.values() for one in values for end in (one.low, one.high)]
    limits = [choice.limit.value] if choice.limit.metric in lines else []
    low = int(min([*ends, *limits]) / _STEP) * _STEP
    first, last = ordered[0].calls.value, ordered[-1].calls.value

    def x(one: CutOff) -> float:
        return LEFT + 8 + (RIGHT - LEFT - 16) * (one.calls.value - first) / ((last - first) or 1.0)

    def y(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (value - low) / (1.0 - low)

    levels = [low + place * (1.0 - low) / 4 for place in range(5)]
    parts = [f'<path d="{"".join(f"M{LEFT:g} {y(level):.1f}H{RIGHT:g}" for level in levels)}" class="grid"/>']
    parts += [
        f'<text x="{LEFT - 6:g}" y="{y(level) + 4:.1f}" text-anchor="end">{whole_percent(level)}</text>'
        for level in levels
    ]
    parts += [f'<path d="M{LEFT:g} {y(limit):.1f}H{RIGHT:g}" class="limit"/>' for limit in limits]
    places = [x(one) for one in ordered]
    for (name, values), look in zip(lines.items(), ("hit", "calm"), strict=True):
        parts += _line(places, values, y, look)
        parts.append(f'<text x="{RIGHT + 6:g}" y="{y(values[-1].value) + 4:.1f}" class="{look}">{name}</text>')
    named = [(choice.in_use, "in use")] + ([(choice.suggested, "suggested")] if choice.suggested else [])
    for one, name in named[-2:] if choice.suggested is not choice.in_use else named[:1]:
        parts.append(f'<path d="M{x(one):.1f} {TOP - 6:g}V{BOTTOM:g}" class="changed"/>')
        parts.append(f'<text x="{x(one):.1f}" y="{TOP - 9:g}" text-anchor="middle">{name}</text>')
    for place, one in ((places[0], ordered[0]), (places[-1], ordered[-1])):
        flags = f"{count(round(one.calls.value))} flags"
        parts.append(f'<text x="{place:.1f}" y="{BOTTOM + 16:g}" text-anchor="middle">{flags}</text>')
    return f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" class="breachchart">{"".join(parts)}</svg>'


def _line(
    places: Sequence[float], values: Sequence[ValueInterval], y: Callable[[float], float], look: str
) -> Iterator[str]:
    both = list(zip(places, values, strict=True))
    upper = "L".join(f"{x:.1f} {y(one.high):.1f}" for x, one in both)
    lower = "L".join(f"{x:.1f} {y(one.low):.1f}" for x, one in reversed(both))
    yield f'<path d="M{upper}L{lower}z" class="{look} between"/>'
    yield f'<path d="M{"L".join(f"{x:.1f} {y(one.value):.1f}" for x, one in both)}" class="{look}"/>'
    yield f'<path d="{"".join(f"M{x - 2:.1f} {y(one.value):.1f}h4" for x, one in both)}" class="{look} wide"/>'
