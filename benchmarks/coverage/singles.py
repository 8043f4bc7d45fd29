"""Populations of a single classifier, side by side: what it calls positive has one shape, what it passes another."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from benchmarks.coverage.population import Items
from benchmarks.coverage.shapes import GRID, Side, scores_and_chances
from stratawatch.core.population import NEGATIVE, POSITIVE


@dataclass(frozen=True)
class Single:
    """A family with one classifier: the share that it calls positive, and the shape of either side."""

    name: str
    called: str
    passed: str
    precision: float
    omission: float
    share: float
    ranks: bool = True
    scored: bool = True
    size: int = 30_000
    cut: float = 0.4
    classifiers: tuple[str, ...] = ("c",)
    auxiliary: tuple[str, ...] = ()

    def items(self, rng: np.random.Generator, size: int) -> Items:
        """Items with a side, a point on the side's grid and a label each."""
        positive = rng.random(size) < self.share
        point = rng.integers(GRID, size=size)
        high, likely = scores_and_chances(self.called, Side(self.precision, self.cut, 1.0))
        low, unlikely = scores_and_chances(self.passed, Side(self.omission, 0.0, self.cut))
        scores = np.where(positive, high[point], low[point])
        labels = rng.random(size) < np.where(positive, likely[point], unlikely[point])
        letters = np.where(positive, POSITIVE, NEGATIVE)[:, None]
        return Items(letters, scores if self.scored else np.full(size, np.nan), labels)

    def fresh(self, rng: np.random.Generator) -> "Single":
        """The same shapes with other numbers; prevalence is between .5% and 10%."""
        precision = float(rng.uniform(0.5, 0.99))
        omission = _between(rng, 0.001, 0.05)
        prevalence = _between(rng, max(0.005, 1.2 * omission), 0.1)
        share = (prevalence - omission) / (precision - omission)
        size = int(rng.integers(20_000, 50_001))
        return replace(self, precision=precision, omission=omission, share=share, size=size)


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


SINGLES: Final = (
    Single("calibrated", "calibrated", "calibrated", precision=0.80, omission=0.01, share=0.08),
    Single("half right", "calibrated", "calibrated", precision=0.50, omission=0.005, share=0.12, cut=0.2),
    Single("precise and rare", "calibrated", "concentrated", precision=0.99, omission=0.001, share=0.008, size=50_000),
    Single("overconfident", "overconfident", "overconfident", precision=0.80, omission=0.02, share=0.06),
    Single("waving", "waving", "waving", precision=0.75, omission=0.01, share=0.08, ranks=False),
    Single("tied", "tied", "tied", precision=0.93, omission=0.005, share=0.05),
    Single("constant", "constant", "constant", precision=0.80, omission=0.01, share=0.06, ranks=False),
    Single("inverted", "inverted", "inverted", precision=0.85, omission=0.02, share=0.05, ranks=False),
    Single("shuffled", "shuffled", "shuffled", precision=0.70, omission=0.05, share=0.06, ranks=False),
    Single("tiny strata", "tiny", "weak", precision=0.93, omission=0.01, share=0.07),
    Single("clustered errors", "clustered", "clustered", precision=0.90, omission=0.003, share=0.04, ranks=False),
    Single("hidden misses", "weak", "hidden", precision=0.96, omission=0.003, share=0.03, ranks=False),
    Single("no score", "constant", "constant", precision=0.88, omission=0.008, share=0.05, ranks=False, scored=False),
)
"""Named beforehand: scores that wave, that hide errors, or say nothing or the opposite, do not rank."""
