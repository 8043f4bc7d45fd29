"""Many runs at once: every step of an allocation for all of them, and what they estimate in the end.

Allocations that do not look at labels are the product's own. Those that do are repeated here for arrays of runs; a test
holds them against the product's, run by run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.kumar.populations import Strata
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.planning.integer_allocation import clip_and_round
from stratawatch.core.population import Counts, Floats
from stratawatch.literature.kumar.allocations import Allocation, OptA1, OptA2, optimal_weights
from stratawatch.literature.kumar.stratified_share import sample_deviation
from stratawatch.literature.stratum_counts import StratumCounts


@dataclass(frozen=True)
class Runs:
    """Labels and right calls of every run and stratum."""

    strata: Strata
    labels: Counts
    right: Counts

    @property
    def values(self) -> Floats:
        return np.asarray((self.right / self.labels) @ self._weights)

    @property
    def errors(self) -> Floats:
        return self.values - self.strata.accuracy

    @property
    def variances(self) -> Floats:
        """Estimated as in the paper: as if drawn with replacement."""
        return np.asarray((sample_deviation(self.labels, self.right) ** 2 / self.labels) @ self._weights**2)

    @property
    def mean_absolute_error(self) -> float:
        return float(np.abs(self.errors).mean())

    def covered(self, confidence: float = 0.95) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Runs whose Wald interval holds the accuracy; runs that have none, since all labels agree within strata."""
        left = 1 - self.labels / self.strata.sizes
        variances = (left * sample_deviation(self.labels, self.right) ** 2 / self.labels) @ self._weights**2
        return np.abs(self.errors) <= normal_quantile(confidence) * np.sqrt(variances), variances <= 0

    @property
    def _weights(self) -> Floats:
        return np.asarray(self.strata.sizes / self.strata.sizes.sum())


def whole(strata: Strata) -> Strata:
    """Everything as one stratum: simple random sampling."""
    return Strata(strata.sizes.sum(keepdims=True), strata.right.sum(keepdims=True))


def simulate(
    strata: Strata, allocation: Allocation, budgets: Sequence[int], runs: int, rng: np.random.Generator
) -> Iterator[Runs]:
    """The runs at every budget, in rising order; those of OPT-A2 are one history that goes on."""
    if isinstance(allocation, OptA2):
        yield from _stepwise(strata, allocation, budgets, runs, rng)
        return
    for budget in budgets:
        first = allocation.totals(strata.sizes, StratumCounts.none_drawn(len(strata.sizes)), budget)
        drawn = _draw(_nothing(strata, runs), np.tile(first, (runs, 1)), rng)
        if isinstance(allocation, OptA1):
            drawn = _spend(drawn, budget - int(first.sum()), allocation.pseudo_labels, rng)
        yield drawn


def _stepwise(
    strata: Strata, allocation: OptA2, budgets: Sequence[int], runs: int, rng: np.random.Generator
) -> Iterator[Runs]:
    first = allocation.totals(strata.sizes, StratumCounts.none_drawn(len(strata.sizes)), min(budgets))
    drawn, spent = _draw(_nothing(strata, runs), np.tile(first, (runs, 1)), rng), int(first.sum())
    for budget in sorted(budgets):
        while spent < budget:
            step = min(allocation.n_step, budget - spent)
            drawn, spent = _spend(drawn, step, allocation.pseudo_labels, rng), spent + step
        yield drawn


def _nothing(strata: Strata, runs: int) -> Runs:
    none = np.zeros((runs, len(strata.sizes)), dtype=np.int64)
    return Runs(strata, none, none)


def _draw(before: Runs, more: Counts, rng: np.random.Generator) -> Runs:
    """The next labels of every stratum, without replacement."""
    good = before.strata.right - before.right
    bad = before.strata.sizes - before.labels - good
    return Runs(before.strata, before.labels + more, before.right + rng.hypergeometric(good, bad, more))


def _spend(before: Runs, labels: int, pseudo_labels: float, rng: np.random.Generator) -> Runs:
    return _draw(before, optimal_steps(before, labels, pseudo_labels), rng)


def optimal_steps(before: Runs, labels: int, pseudo_labels: float = 0.0) -> Counts:
    """Eq. 9 for every run: W_k s_k shares of so many labels by largest remainder."""
    weights = optimal_weights(before.strata.sizes, sample_deviation(before.labels, before.right, pseudo_labels))
    room = before.strata.sizes - before.labels
    wanted = labels * weights / weights.sum(axis=1, keepdims=True)
    steps = np.floor(wanted + 1e-9).astype(np.int64)
    rank = np.argsort(np.argsort(steps - wanted, axis=1, kind="stable"), axis=1)
    steps += rank < (labels - steps.sum(axis=1))[:, None]
    for run in np.flatnonzero((steps > room).any(axis=1)):
        steps[run] = clip_and_round(weights[run], np.zeros_like(room[run]), room[run], labels)
    return np.asarray(steps, dtype=np.int64)
