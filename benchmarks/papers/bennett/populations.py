"""Items that classifiers call positive: made up, as the paper's web directory is not to be had.

What is known of it: 15 categories; random sampling took 69,300 labels in all, so that p (1 - p) is .120 on average;
most scores lie near the cut-off and few far above; the more precise a classifier, the more its scores tell. Here the
score is Beta(2.5, 20), P(yes) = 1/(1 + exp(-.1 - b score)), and b is what the precision needs: .76 to .95 in even
steps. Shape and offset were chosen so that omniscient allocations would differ from random sampling about as the
printed %Change; how near to an oracle a rule ends, and how often it is right, was not chosen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from stratawatch.core.population import Counts, Floats
from stratawatch.literature.bennett.bins import BINNINGS, bin_numbers

SEED: Final = 2010
PRECISIONS: Final = tuple(np.linspace(0.76, 0.95, 15).tolist())
SIZES: Final = tuple(np.geomspace(4_000, 60_000, 15).round().astype(int).tolist())
_SHAPE: Final = (2.5, 20.0)
_OFFSET: Final = 0.1
_GRID: Final = 4000


@dataclass(frozen=True)
class Bins:
    """Items and the true share of yes in every bin."""

    sizes: Counts
    rates: Floats

    @property
    def precision(self) -> float:
        """Of all of them."""
        return float(self.sizes @ self.rates / self.sizes.sum())


@dataclass(frozen=True)
class Category:
    """One classifier's positives: a score and a label each."""

    name: str
    scores: Floats
    labels: Floats

    def bins(self, binning: str | None, count: int = 4) -> Bins:
        """Cut by score; None leaves all in one bin."""
        cuts = np.zeros(0) if binning is None else BINNINGS[binning](self.scores, np.ones(len(self.scores)), count)
        of = bin_numbers(self.scores, cuts)
        sizes = np.bincount(of, minlength=len(cuts) + 1)
        return Bins(sizes, np.bincount(of, self.labels, minlength=len(sizes)) / sizes)


@cache
def categories() -> Sequence[Category]:
    """The fifteen, always the same; large and small ones at every precision."""
    rng = np.random.default_rng(SEED)
    sizes = rng.permutation(SIZES).tolist()
    return [category(precision, size, rng) for precision, size in zip(PRECISIONS, sizes, strict=True)]


def category(precision: float, size: int, rng: np.random.Generator) -> Category:
    """Items of one classifier of about this precision."""
    scores = rng.beta(*_SHAPE, size)
    labels = rng.random(size) < _chances(scores, _slope(precision))
    return Category(f"{precision:.3f}", scores, labels.astype(np.float64))


def _chances(scores: Floats, slope: float) -> Floats:
    return np.asarray(1 / (1 + np.exp(-_OFFSET - slope * scores)), dtype=np.float64)


def _slope(precision: float) -> float:
    """The slope that has this mean of chances; by bisection, as the mean rises with it."""
    from scipy.special import betaincinv

    grid = betaincinv(*_SHAPE, (np.arange(_GRID) + 0.5) / _GRID)
    low, high = 0.0, 10_000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _chances(grid, middle).mean() < precision else (low, middle)
    return low
