"""Worlds in which a fitted rule's metrics can be worked out: two Gaussian classes, and two kinds of rules."""

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from sklearn.base import BaseEstimator

from stratawatch.core.cells import Flags
from stratawatch.core.metrics import BASELINES_REPORTED
from stratawatch.core.population import Floats

_LARGE: Final = 10_000
_FIXED: Final = 1979


class Centroids(BaseEstimator):  # type: ignore[misc]
    """Calls positive what lies nearer to the positives' mean, allowing for how many there are; a stable rule."""

    def fit(self, X: Floats, y: Flags) -> "Centroids":
        """Both means."""
        share = y.mean()
        high, low = y @ X / (len(y) * share), ~y @ X / (len(y) * (1 - share))
        self.weights_ = high - low
        self.constant_ = float(low @ low - high @ high) / 2 + np.log(share / (1 - share))
        return self

    def predict(self, X: Floats) -> Flags:
        """The nearer mean."""
        return np.asarray(X @ self.weights_ + self.constant_ > 0)

    def called(self, world: "World") -> tuple[float, float]:
        """P(call | negative) and P(call | positive): the rule is linear, the classes are Gaussian."""
        length = float(np.linalg.norm(self.weights_))
        means = (self.constant_, self.constant_ + world.apart * float(self.weights_[0]))
        low, high = (NormalDist().cdf(mean / length) for mean in means)
        return low, high


class Nearest(BaseEstimator):  # type: ignore[misc]
    """Calls every item what its nearest neighbour is; it knows its own items by heart."""

    def fit(self, X: Floats, y: Flags) -> "Nearest":
        """Keep everything."""
        self.items_, self.squares_, self.truth_ = X, (X**2).sum(axis=1), y
        return self

    def predict(self, X: Floats) -> Flags:
        """The neighbour's truth."""
        return np.asarray(self.truth_[np.argmin(self.squares_ - 2 * X @ self.items_.T, axis=1)])

    def called(self, world: "World") -> tuple[float, float]:
        """As many as among 10,000 fresh items of either class."""
        low, high = (float(self.predict(items).mean()) for items in world.fresh)
        return low, high


@dataclass(frozen=True)
class World:
    """n labelled items in `axes` dimensions; the classes' means lie `apart` standard deviations apart."""

    name: str
    rule: Any
    n: int
    prevalence: float
    apart: float
    axes: int

    def draw(self, rng: np.random.Generator) -> tuple[Floats, Flags]:
        """Labelled items, with at least ten of either class, so that every method can be used."""
        truth = rng.random(self.n) < self.prevalence
        while min(truth.sum(), self.n - truth.sum()) < 10:
            truth = rng.random(self.n) < self.prevalence
        return self._items(rng, truth), truth

    @cached_property
    def fresh(self) -> tuple[Floats, Floats]:
        """Items of either class that nobody fits to."""
        rng = np.random.default_rng(_FIXED)
        low, high = (self._items(rng, np.full(_LARGE, positive)) for positive in (False, True))
        return low, high

    def truths(self, model: Any) -> Floats:
        """Precision, recall, FOR and accuracy of a fitted rule among the items of this world; 0 where 0/0."""
        low, high = model.called(self)
        tp, fp = self.prevalence * high, (1 - self.prevalence) * low
        fn, tn = self.prevalence - tp, 1 - self.prevalence - fp
        parts = {
            "precision": tp / (tp + fp) if tp + fp else 0.0,
            "recall": high,
            "false_omission_rate": fn / (fn + tn) if fn + tn else 0.0,
            "accuracy": tp + tn,
        }
        return np.array([parts[metric] for metric in BASELINES_REPORTED])

    def _items(self, rng: np.random.Generator, truth: Flags) -> Floats:
        items = rng.normal(size=(len(truth), self.axes))
        items[:, 0] += self.apart * truth
        return np.asarray(items, dtype=np.float64)


WORLDS: Final = (
    World("stable rule, n 200", Centroids(), 200, 0.3, 2.0, 5),
    World("rare positives, n 300", Centroids(), 300, 0.1, 2.0, 5),
    World("unstable rule, n 100", Centroids(), 100, 0.4, 1.5, 30),
    World("by heart, n 100", Nearest(), 100, 0.4, 1.5, 10),
    World("by heart, pure noise", Nearest(), 100, 0.5, 0.0, 10),
)
