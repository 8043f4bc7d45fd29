"""One record beside another: what is not the same, and by how much numbers differ."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

Leaf = int | str | bool | None
SMALL: Final = 1e-3
"""A difference of numbers nearer to zero than this counts as a share of it: a hair beside nothing is a hair."""
_ABSENT: Final = "absent"


@dataclass
class Comparison:
    """What two records do not share; `numbers` are the floats that both have."""

    numbers: int = 0
    unlike: list[str] = field(default_factory=list)
    moved: list[tuple[float, str]] = field(default_factory=list)

    @property
    def largest(self) -> float:
        """The largest relative difference of two floats; 0 where all are the same bits."""
        return max((difference for difference, _ in self.moved), default=0.0)


def compare(before: Any, after: Any) -> Comparison:
    """Whole numbers and words must be equal, floats are measured."""
    found, ones, others = Comparison(), dict(leaves(before)), dict(leaves(after))
    for place in {**ones, **others}:
        one, other = ones.get(place, _ABSENT), others.get(place, _ABSENT)
        if is_float(one) and is_float(other):
            found.numbers += 1
            if one != other:
                found.moved.append((_relative(float.fromhex(str(one)), float.fromhex(str(other))), place))
        elif (type(one), one) != (type(other), other):
            found.unlike.append(f"{place}: {one!r:.60}, now {other!r:.60}")
    return found


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Leaf]]:
    """Every number and word of a document with the way that leads to it; of a list also its length."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, f"{place} / {key}" if place else str(key))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield f"{place} / length", len(value)
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{place} / {number}")
    else:
        yield place, value


def is_float(leaf: Leaf) -> bool:
    """Whether a leaf is a float as records write it."""
    return isinstance(leaf, str) and leaf.removeprefix("-").startswith(("0x", "inf", "nan"))


def _relative(one: float, other: float) -> float:
    if not (math.isfinite(one) and math.isfinite(other)):
        return math.inf
    return abs(one - other) / max(abs(one), abs(other), SMALL)
