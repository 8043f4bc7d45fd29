"""How often intervals held the truth, cell by cell: population x labels x classifier x metric."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from benchmarks.coverage.random_labels import NOTHING
from benchmarks.coverage.tails import Tails
from stratawatch.core.population import Floats

PROMISED: Final = 0.945
"""The mean coverage of intervals that say 95%."""
LOWEST: Final = 0.925
SURE: Final = 0.999
"""A cell fails when its coverage is below the lowest with this confidence."""


@dataclass(frozen=True)
class Tally:
    """One cell: of `runs` intervals so many were defined, and so many of these held the truth."""

    group: str
    population: str
    labels: int
    classifier: str
    metric: str
    runs: int
    defined: int
    held: int
    half_width: float
    tails: Tails
    half_width_error: float = 0.0

    @property
    def coverage(self) -> float:
        """Share of the defined intervals that held the truth; not a number where none was defined."""
        return self.held / self.defined if self.defined else float("nan")

    @property
    def undefined(self) -> float:
        """Share of the runs that could tell nothing: neither covered nor uncovered."""
        return 1 - self.defined / self.runs

    @cached_property
    def fails(self) -> bool:
        """Whether coverage is surely below the lowest."""
        return surely_below(self.held, self.defined, LOWEST)


def surely_below(held: int, runs: int, least: float) -> bool:
    """Whether the upper end for a share (Clopper and Pearson 1934) is below the least one allowed."""
    from scipy.stats import beta

    return held < runs and bool(beta.ppf(SURE, held + 1, runs - held) < least)


@dataclass(frozen=True)
class Intervals:
    """What one metric of one classifier was said to be in every run; NaN where it could not be told.

    `logit` is the logit rule's part in the ends.
    """

    low: Floats
    high: Floats
    value: Floats
    logit: Floats

    def held(self, truth: Floats | float) -> int:
        """How many hold the truth, the ends included up to the last digits."""
        return int(((self.low <= truth + 1e-12) & (truth - 1e-12 <= self.high)).sum())

    def tails(self, truth: float) -> Tails:
        """On which side the others lie, and whether their values lean."""
        told = ~np.isnan(self.low)
        values, runs = self.value[told], int(told.sum())
        spread = float(values.std()) if runs else 0.0
        return Tails(
            runs=runs,
            above=int((self.low[told] > truth + 1e-12).sum()),
            below=int((self.high[told] < truth - 1e-12).sum()),
            lean=float(values.mean() - truth) / spread if spread > 0 else 0.0,
            logit=float(self.logit[told].mean()) if runs else 0.0,
        )

    @property
    def defined(self) -> int:
        """How many could be told."""
        return int((~np.isnan(self.low)).sum())

    @property
    def half_width(self) -> float:
        """The mean half-width, where what cannot be told counts .5."""
        return float(self._half_widths.mean())

    @property
    def half_width_error(self) -> float:
        """Standard error of that mean."""
        return float(self._half_widths.std() / np.sqrt(len(self.low)))

    @property
    def _half_widths(self) -> Floats:
        return np.where(np.isnan(self.low), NOTHING, (self.high - self.low) / 2)
