"""Synthetic worlds that drift: correlated scores of a panel, a season in the prevalence, 200,000 items a week."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.labels.kinds import Kind
from stratawatch.core.score_bins import bins_of

ITEMS: Final = 200_000
WEEKS: Final = 52
PILOT: Final = 0
"""The period before the first: cut-offs and calibration come from it, and no label of it is used later."""
_SHARED: Final = 0.5
"""rho: the part of the noise's variance that all scores of an item share."""
_DRIFT, _SHIFT = 0.03, 0.015

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Items:
    """A period's items, one row each. `posterior` is the true probability of a yes, NaN where no formula says it."""

    calls: Flags
    z: Floats
    truth: Flags
    posterior: Floats

    def __len__(self) -> int:
        return len(self.truth)

    def replaced(self, rows: Integers, newcomers: "Items") -> "Items":
        """The same items, but newcomers in these rows."""
        columns = {}
        for name in ("calls", "z", "truth", "posterior"):
            column = getattr(self, name).copy()
            column[rows] = getattr(newcomers, name)
            columns[name] = column
        return Items(**columns)

    @cached_property
    def bins(self) -> Integers:
        """The fine score bin of every item."""
        return bins_of(self.z)

    @cached_property
    def patterns(self) -> Integers:
        """Every item's pattern as a number; the panel's first classifier is its highest bit."""
        return np.asarray(self.calls @ (1 << np.arange(self.calls.shape[1], dtype=np.int64)[::-1]), dtype=np.int64)


class World:
    """One history of a panel: its drift is drawn once, its cut-offs and calibration come from the pilot period."""

    def __init__(self, kind: Kind, seed: int, items: int = ITEMS) -> None:
        self.kind = kind
        self.items = items
        self._seed = seed
        rng = np.random.default_rng([seed, 0])
        scored = len(kind.separations)
        self._separations = np.array(kind.separations)
        self._walk = np.cumsum(rng.normal(0, _DRIFT, (WEEKS + 1, scored)), axis=0)
        self._shift = np.cumsum(rng.normal(0, _SHIFT, (WEEKS + 1, scored)), axis=0)
        self._phase = rng.uniform(0, 2 * np.pi)
        raw, truth = self._raw(PILOT, items)
        self._cut_offs = np.array([_cut_off(x, truth, goal) for x, goal in zip(raw.T, kind.precisions, strict=True)])
        self._lines = np.array([_logistic_line(x, truth) for x in raw.T])

    def week(self, number: int, items: int | None = None) -> Items:
        """The items of a week; the same ones every time it is asked for."""
        raw, truth = self._raw(number, self.items if items is None else items)
        calls = raw >= self._cut_offs
        if self.kind.vote:
            calls = np.column_stack([2 * calls.sum(axis=1) > calls.shape[1], calls])
        scores = 1 / (1 + np.exp(-(self._lines[:, 0] + self._lines[:, 1] * raw)))
        return Items(calls, scores.mean(axis=1), truth, self._posterior(raw, number))

    def prevalence(self, number: int) -> float:
        """Expected share of positives: .08, give or take .02 with the season."""
        return float(0.08 + 0.02 * np.sin(2 * np.pi * number / WEEKS + self._phase))

    def _raw(self, number: int, items: int) -> tuple[Floats, Flags]:
        rng = np.random.default_rng([self._seed, 1, number])
        truth = rng.random(items) < self.prevalence(number)
        apart = truth.astype(np.float64)
        if self.kind.hard:
            apart[truth & (rng.random(items) < self.kind.hard)] = self.kind.hard_separation
        shared, own = self._noise(rng, (items, 1)), self._noise(rng, (items, len(self._separations)))
        noise = np.sqrt(_SHARED) * shared + np.sqrt(1 - _SHARED) * own
        return apart[:, None] * (self._separations + self._walk[number]) + self._shift[number] + noise, truth

    def _noise(self, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Noise of variance 1."""
        tails = self.kind.tails
        if tails is None:
            return rng.normal(size=shape)
        return np.asarray(rng.standard_t(tails, size=shape) * np.sqrt(1 - 2 / tails), dtype=np.float64)

    def _posterior(self, raw: Floats, number: int) -> Floats:
        """Bayes' rule for two normal clouds with the same covariance: logistic in the raw scores."""
        if self.kind.tails is not None or self.kind.hard:
            return np.full(len(raw), np.nan)
        d, k = self._separations + self._walk[number], len(self._separations)
        weights = np.linalg.solve(_SHARED * np.ones((k, k)) + (1 - _SHARED) * np.eye(k), d)
        prior = self.prevalence(number)
        logit = np.log(prior / (1 - prior)) + (raw - self._shift[number] - d / 2) @ weights
        return np.asarray(1 / (1 + np.exp(-logit)), dtype=np.float64)


def _cut_off(scores: Floats, truth: Flags, precision: float) -> float:
    """The lowest score down to which the calls keep this precision."""
    order = np.argsort(-scores)
    kept = np.cumsum(truth[order]) / np.arange(1, len(order) + 1)
    return float(scores[order[np.flatnonzero(kept >= precision)[-1]]])


def _logistic_line(scores: Floats, truth: Flags) -> tuple[float, float]:
    """Intercept and slope of a logistic regression of the truth on one score, by Newton steps."""
    columns, beta = np.column_stack([np.ones_like(scores), scores]), np.zeros(2)
    for _ in range(15):
        p = 1 / (1 + np.exp(-(columns @ beta)))
        curvature = (columns * (p * (1 - p))[:, None]).T @ columns
        beta = beta + np.linalg.solve(curvature, columns.T @ (truth - p))
    return float(beta[0]), float(beta[1])
