"""PRO, EQU, OPT-A1 and OPT-A2: how many labels every stratum has after the next step.

A step is a function of what is known: it is asked again whenever all that was sent is answered, and it is over when it
gives back what was asked already. The items of a stratum are to come in one random order, so that more labels are the
next ones of that order.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from stratawatch.core.planning.integer_allocation import clip_and_round
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.literature.kumar.stratum_counts import StratumCounts, sample_deviation

LEAST_LABELS: Final = 2
"""Labels of every stratum under PRO and EQU: with one, n_k - 1 leaves no variance to tell. The paper has no such
floor; its own formula divides by 0 there."""

STOPS_ASKING: Final = (
    "stops asking in strata whose first labels agree: the estimate drifts towards what they said, and its interval is "
    "too short; the more so the fewer labels come first; pseudo_labels=1 keeps it asking"
)
LOOKS: Final = "labels decide how many there are: a small bias towards strata that looked pure is left"


class Allocation(Protocol):
    """(sizes N_k, what is known, n) -> cumulative labels per stratum after the next step."""

    @property
    def warning(self) -> str:
        """What a user should know before choosing it; empty if nothing."""
        ...

    def totals(self, sizes: Counts, counts: StratumCounts, budget: int) -> Counts:
        """Never fewer than were asked; their sum never exceeds the budget."""
        ...


@dataclass(frozen=True)
class Proportional:
    """PRO: n_k = W_k n, eq. 7; never worse than random sampling as long as 1/N_k is negligible."""

    warning: str = ""

    def totals(self, sizes: Counts, counts: StratumCounts, budget: int) -> Counts:
        """All at once."""
        return _at_once(sizes.astype(np.float64), sizes, counts, budget)


@dataclass(frozen=True)
class Equal:
    """EQU: n_k = n/K, eq. 8; as good as the optimum where W_k S_k is constant."""

    warning: str = "can be worse than random sampling: nothing ties the labels of a stratum to its size"

    def totals(self, sizes: Counts, counts: StratumCounts, budget: int) -> Counts:
        """All at once."""
        return _at_once(np.ones(len(sizes)), sizes, counts, budget)


class _BySpread:
    """What both OPTs share: labels go where the labels so far disagree, smoothed by pseudo-labels."""

    pseudo_labels: float

    def __post_init__(self) -> None:
        _check_pseudo_labels(self.pseudo_labels)

    @property
    def warning(self) -> str:
        """What raw spreads do."""
        return _warning(self.pseudo_labels)


@dataclass(frozen=True)
class OptA1(_BySpread):
    """OPT-A1, algorithm 1: n_ini labels in every stratum, then all that are left by W_k s_k, eq. 9.

    `pseudo_labels` 0 is the algorithm as printed; 1 adds a right and a wrong label to every stratum when s_k is read,
    which the paper's figures need and its text lacks (see docs/methods/kumar.md).
    """

    n_ini: int = 10
    pseudo_labels: float = 0.0

    def totals(self, sizes: Counts, counts: StratumCounts, budget: int) -> Counts:
        """First n_ini each, then the budget."""
        first = _first(sizes, self.n_ini, budget)
        return (
            first
            if _waiting(counts, first)
            else _more(sizes, counts, budget - int(counts.drawn.sum()), self.pseudo_labels)
        )


@dataclass(frozen=True)
class OptA2(_BySpread):
    """OPT-A2, algorithm 2: n_ini labels in every stratum, then n_step at a time by W_k s_k of all labels so far.

    `pseudo_labels` as for OPT-A1. Every step is rounded to whole labels by itself: with fewer labels than strata the
    same strata would be rounded down each time, and looking pure is not even needed to be left out.
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
        first = _first(sizes, self.n_ini, budget)
        if _waiting(counts, first):
            return first
        return _more(sizes, counts, min(self.n_step, budget - int(counts.drawn.sum())), self.pseudo_labels)


def optimal_weights(sizes: Counts, deviations: Floats) -> Floats:
    """W_k S_k up to a factor; where no stratum has a spread, labels say nothing about it and sizes decide.

    >>> optimal_weights(np.array([10, 30]), np.array([0.4, 0.2])).tolist()
    [4.0, 6.0]
    """
    weights = sizes * deviations
    return np.asarray(np.where(weights.sum(axis=-1, keepdims=True) > 0, weights, sizes), dtype=np.float64)


def _at_once(weights: Floats, sizes: Counts, tally: StratumCounts, budget: int) -> Counts:
    floors = np.maximum(tally.drawn, _first(sizes, LEAST_LABELS, budget))
    return clip_and_round(weights, floors, sizes, budget)


def _first(sizes: Counts, each: int, budget: int) -> Counts:
    """The same number of labels in every stratum, or all of its items; refused if the budget does not buy them."""
    if each < LEAST_LABELS:
        raise StratawatchError("one label tells no variance", expected=f"n_ini >= {LEAST_LABELS}", got=str(each))
    if sizes.size == 0 or (sizes < 1).any():
        raise StratawatchError("a stratum is empty", expected="at least one item in each", hint="merge it")
    first = np.minimum(sizes, each)
    if budget < first.sum():
        raise too_few_labels(budget, each, sizes.size, int(first.sum()))
    return first


def too_few_labels(budget: int, each: int, strata: int, least: int) -> PlanImpossible:
    """Labels that do not reach every stratum."""
    return PlanImpossible(
        f"{budget} labels do not give {each} to each of {strata} strata",
        expected=f"at least {least}",
        hint="raise the budget or cut fewer strata",
    )


def _check_pseudo_labels(pseudo_labels: float) -> None:
    if not pseudo_labels >= 0:
        raise StratawatchError(
            "pseudo-labels take no labels away", expected="pseudo_labels >= 0", got=f"{pseudo_labels:g}"
        )


def _warning(pseudo_labels: float) -> str:
    return LOOKS if pseudo_labels > 0 else STOPS_ASKING


def _waiting(tally: StratumCounts, first: Counts) -> bool:
    return bool((tally.drawn < first).any())


def _more(sizes: Counts, tally: StratumCounts, labels: int, pseudo_labels: float) -> Counts:
    """So many labels more; what a stratum cannot give goes to the others."""
    weights = optimal_weights(sizes, sample_deviation(tally.labels, tally.yes, pseudo_labels))
    rest = np.maximum(sizes - tally.drawn, 0)
    return np.asarray(tally.drawn + clip_and_round(weights, np.zeros_like(rest), rest, max(labels, 0)), dtype=np.int64)


ALLOCATIONS: Final[Mapping[str, Allocation]] = {
    "PRO": Proportional(),
    "EQU": Equal(),
    "OPT-A1": OptA1(),
    "OPT-A2": OptA2(),
}
