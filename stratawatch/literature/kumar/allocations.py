"""PRO, EQU, OPT-A1 and OPT-A2: how many labels every stratum has after the next round.

An allocation is a function of the counts so far. The design calls it whenever all items that were drawn have labels;
sampling is over when it returns the totals that are drawn already.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from stratawatch.core.planning.integer_allocation import clip_and_round
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.literature.kumar.stratified_share import sample_deviation
from stratawatch.literature.stratum_counts import StratumCounts

LEAST_LABELS: Final = 2
"""Labels of every stratum under PRO and EQU: with one, n_k - 1 leaves no variance to estimate. The paper has no such
floor; its own formula divides by 0 there."""


class Allocation(Protocol):
    """A way to allocate a budget to strata of sizes N_k."""

    def totals(self, sizes: Counts, counts: StratumCounts, budget: int) -> Counts:
        """Cumulative labels by stratum after the next round: never fewer than are drawn, within the budget in all."""
        ...


@dataclass(frozen=True)
class Proportional:
    """PRO: n_k = W_k n, eq. 7; never worse than random sampling as long as 1/N_k is negligible."""

    def totals(self, sizes: Counts, counts: StratumCounts, budget: int) -> Counts:
        """The whole budget in one round."""
        return _at_once(sizes.astype(np.float64), sizes, counts, budget)


@dataclass(frozen=True)
class Equal:
    """EQU: n_k = n/K, eq. 8; the optimum where W_k S_k is constant, elsewhere it can be worse than random sampling."""

    def totals(self, sizes: Counts, counts: StratumCounts, budget: int) -> Counts:
        """The whole budget in one round."""
        return _at_once(np.ones(len(sizes)), sizes, counts, budget)


@dataclass(frozen=True)
class OptA1:
    """OPT-A1, algorithm 1: n_ini labels in every stratum, then all that are left by W_k s_k, eq. 9.

    `pseudo_labels` 0 is the algorithm as printed: strata whose first labels agree get no more of them, and the estimate
    drifts towards these labels. 1 adds a right and a wrong label to every stratum when s_k is estimated, which the
    paper's figures need and its text lacks (see docs/methods/kumar.md).
    """

    n_ini: int = 10
    pseudo_labels: float = 0.0

    def totals(self, sizes: Counts, counts: StratumCounts, budget: int) -> Counts:
        """First n_ini each, then the budget."""
        return _optimal(sizes, counts, budget, self.n_ini, budget, self.pseudo_labels)


@dataclass(frozen=True)
class OptA2:
    """OPT-A2, algorithm 2: n_ini labels in every stratum, then n_step at a time by W_k s_k of all labels so far.

    `pseudo_labels` as for OPT-A1. Every step is rounded to whole labels by itself: with fewer labels than strata small
    strata would be rounded down each time, and never get a label.
    """

    n_ini: int = 5
    n_step: int = 20
    pseudo_labels: float = 0.0

    def totals(self, sizes: Counts, counts: StratumCounts, budget: int) -> Counts:
        """First n_ini each, then n_step more."""
        if self.n_step < max(len(sizes), 1):
            raise StratawatchError(
                f"steps of {self.n_step} labels round some of {len(sizes)} strata out for ever",
                expected=f"n_step >= {max(len(sizes), 1)}",
                hint="twice as many are better",
            )
        return _optimal(sizes, counts, budget, self.n_ini, self.n_step, self.pseudo_labels)


ALLOCATIONS: Final[Mapping[str, Allocation]] = {
    "PRO": Proportional(),
    "EQU": Equal(),
    "OPT-A1": OptA1(),
    "OPT-A2": OptA2(),
}


def optimal_weights(sizes: Counts, deviations: Floats) -> Floats:
    """W_k S_k up to a factor (eq. 9); the sizes where every stratum has a standard deviation of 0.

    >>> optimal_weights(np.array([10, 30]), np.array([0.4, 0.2])).tolist()
    [4.0, 6.0]
    """
    weights = sizes * deviations
    return np.asarray(np.where(weights.sum(axis=-1, keepdims=True) > 0, weights, sizes), dtype=np.float64)


def too_few_labels(budget: int, each: int, strata: int, least: int) -> PlanImpossible:
    """The error for a budget below the first labels of all strata."""
    return PlanImpossible(
        f"{budget} labels do not give {each} to each of {strata} strata",
        expected=f"at least {least}",
        hint="raise the budget or cut fewer strata",
    )


def _first_labels(sizes: Counts, each: int, budget: int) -> Counts:
    """The same number of labels in every stratum, or all of its items."""
    if sizes.size == 0 or (sizes < 1).any():
        raise StratawatchError("a stratum is empty", expected="at least one item in each", hint="merge it")
    first = np.minimum(sizes, each)
    if budget < first.sum():
        raise too_few_labels(budget, each, sizes.size, int(first.sum()))
    return first


def _at_once(weights: Floats, sizes: Counts, counts: StratumCounts, budget: int) -> Counts:
    floors = np.maximum(counts.drawn, _first_labels(sizes, LEAST_LABELS, budget))
    return clip_and_round(weights, floors, sizes, budget)


def _optimal(
    sizes: Counts, counts: StratumCounts, budget: int, n_ini: int, n_step: int, pseudo_labels: float
) -> Counts:
    """The first labels, or up to n_step more by W_k s_k; what a stratum cannot give goes to the others."""
    first = _first_labels(sizes, n_ini, budget)
    if (counts.drawn < first).any():
        return first
    more = max(min(n_step, budget - int(counts.drawn.sum())), 0)
    weights = optimal_weights(sizes, sample_deviation(counts.labels, counts.yes, pseudo_labels))
    rest = np.maximum(sizes - counts.drawn, 0)
    return np.asarray(counts.drawn + clip_and_round(weights, np.zeros_like(rest), rest, more), dtype=np.int64)
