"""A plan: how many labels each stratum gets, and what they are expected to buy."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """Cumulative labels per stratum after this round, and what they are expected to buy.

    `half_widths` maps (classifier, metric) to the expected half-width with `totals` labels;
    `exhausted` lists strata whose pool could not give what the allocation asked for.
    """

    totals: tuple[int, ...]
    half_widths: Mapping[tuple[str, str], float]
    method: str
    exhausted: tuple[int, ...] = ()

    @property
    def labels(self) -> int:
        """Labels of all strata together, those that are known already included."""
        return sum(self.totals)
