"""The variable that strata are cut by: its sorted distinct values, and how many items have each."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.population import Floats
from stratawatch.errors import StratawatchError

MOST_GROUPS: Final = 1024
"""Values that a clustering looks at; more of them are grouped by equal widths first."""


@dataclass(frozen=True)
class WeightedValues:
    """Distinct values in rising order, and how many items have each."""

    z: Floats
    items: Floats

    @classmethod
    def of(cls, z: Floats, weights: Floats | None = None) -> "WeightedValues":
        """Sort and count values; `weights` are the items that have each value, one by default."""
        weights = np.ones(len(z)) if weights is None else np.asarray(weights, dtype=np.float64)
        _require_finite(z)
        _require_finite(weights)
        if len(z) != len(weights) or (weights < 0).any():
            raise StratawatchError("values and weights do not fit", expected="one weight >= 0 for every value")
        distinct, places = np.unique(z[weights > 0], return_inverse=True)
        if distinct.size == 0:
            raise StratawatchError("there is nothing to stratify", expected="at least one item")
        return cls(distinct.astype(np.float64), _sums(places, weights[weights > 0]))

    @property
    def scaled(self) -> "WeightedValues":
        """The values scaled to lie between 0 and 1."""
        return WeightedValues((self.z - self.z[0]) / (self.z[-1] - self.z[0]), self.items)

    def unscaled(self, scaled: Floats) -> Floats:
        """Scaled values in the units of the values."""
        return np.asarray(self.z[0] + (self.z[-1] - self.z[0]) * scaled, dtype=np.float64)

    @property
    def deviation(self) -> float:
        """The standard deviation of all items."""
        mean = self.z @ self.items / self.items.sum()
        return float(np.sqrt((self.z - mean) ** 2 @ self.items / self.items.sum()))

    def grouped(self, most: int = MOST_GROUPS) -> "WeightedValues":
        """At most `most` values: the means of the items within equal widths."""
        if self.z.size <= most:
            return self
        width = (self.z[-1] - self.z[0]) / most
        cell = np.minimum(((self.z - self.z[0]) / width).astype(np.int64), most - 1)
        items = _sums(cell, self.items)
        sums = _sums(cell, self.items * self.z)
        return WeightedValues(sums[items > 0] / items[items > 0], items[items > 0])

    def equal_shares(self, mass: Floats, strata: int) -> Floats:
        """Cut points that share `mass` (by value) most equally; equal values stay together."""
        cumulated = np.cumsum(mass)
        steps = cumulated[-1] * np.arange(1, strata) / strata
        after = np.searchsorted(cumulated, steps)
        before = np.maximum(after - 1, 0)
        nearer = np.where(steps - cumulated[before] < cumulated[after] - steps, before, after)
        return cuts_after(self.z, nearer)


def cuts_after(z: Floats, last: NDArray[np.int64]) -> Floats:
    """The cut points half-way behind some of the sorted values; none behind the largest."""
    inside = np.unique(last)
    inside = inside[inside < len(z) - 1]
    # The mean of two neighbours may round down to the lower one, and a cut belongs above it.
    return np.maximum((z[inside] + z[inside + 1]) / 2, np.nextafter(z[inside], np.inf))


def _sums(places: NDArray[np.int64], parts: Floats) -> Floats:
    return np.bincount(places, weights=parts).astype(np.float64)


def _require_finite(values: Floats) -> None:
    if not np.isfinite(values).all():
        raise StratawatchError("a value is not a finite number", hint="items without a score cannot be stratified")
