"""A plan: how many labels each stratum gets, and what they are expected to buy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class HalfWidthRange:
    """Where a half-width is expected to end.

    >>> HalfWidthRange(0.03, 0.05).middle
    0.04
    """

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Halfway between both ends."""
        return (self.low + self.high) / 2

    def scaled(self, factor: float) -> "HalfWidthRange":
        """Both ends so many times as large."""
        return HalfWidthRange(self.low * factor, self.high * factor)


@dataclass(frozen=True)
class CycleForecast:
    """What all rounds of a cycle were expected to give, before the first of their labels was asked for.

    `labels`: those of all rounds, the ones that were known already included. `half_widths` are what the plan counted
    on and `ranges` where they may come out, both by (classifier, metric).
    """

    labels: int
    half_widths: Mapping[tuple[str, str], float]
    ranges: Mapping[tuple[str, str], HalfWidthRange]


LOOKS_HARDER: Final = "looks harder for misses, as a smaller part of items is called than before"


@dataclass(frozen=True)
class Plan:
    """Cumulative labels per stratum after this round, and what they are expected to buy.

    `half_widths` maps (classifier, metric) to the expected half-width with `totals` labels;
    `exhausted` lists strata whose pool could not give what the allocation asked for. A forecast of a whole cycle says
    how many of the labels are known before it, in which range half-widths may come out, where its design tells, and
    whether its first round `looks_harder` for misses because calls vanished.
    The plan of a cycle's first round carries that `forecast`; those of later rounds know answers, and have none.
    """

    totals: tuple[int, ...]
    half_widths: Mapping[tuple[str, str], float]
    method: str
    exhausted: tuple[int, ...] = ()
    known_labels: int = 0
    ranges: Mapping[tuple[str, str], HalfWidthRange] = field(default_factory=dict)
    forecast: CycleForecast | None = None
    looks_harder: bool = False

    @property
    def labels(self) -> int:
        """Labels of all strata together, those that are known already included."""
        return sum(self.totals)

    @property
    def labels_new(self) -> int:
        """Labels that people are asked for."""
        return self.labels - self.known_labels
