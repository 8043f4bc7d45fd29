"""Binnings by name: where scores are cut into bins. A bin begins at its cut."""

from collections.abc import Callable
from typing import Final

import numpy as np

from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError

Binning = Callable[[Floats, Floats, int], Floats]
"""(values, weights, number of bins) -> ascending cuts, one fewer than there are bins that hold items."""


def equal_ranges(values: Floats, weights: Floats, count: int) -> Floats:
    """Equal ranges of the score (section 5): cut k at min + (max - min) k/K.

    >>> equal_ranges(np.array([0.0, 0.1, 0.2, 1.0]), np.ones(4), 4).tolist()
    [0.25]
    """
    scores, _ = _distinct_scores(values, weights, count)
    cuts = scores[0] + (scores[-1] - scores[0]) * np.arange(1, count) / count
    # A range without items is no bin: of several cuts between the same two values one is kept.
    return _distinct_cuts(scores, np.searchsorted(scores, cuts), cuts)


def equal_counts(values: Floats, weights: Floats, count: int) -> Floats:
    """Equal numbers of items (section 5): cut k between values, where nearest to N k/K items lie below.

    >>> equal_counts(np.array([0.1, 0.2, 0.3, 0.9]), np.array([1.0, 1.0, 1.0, 3.0]), 2).tolist()
    [0.9]
    """
    scores, items = _distinct_scores(values, weights, count)
    below = np.concatenate([[0.0], np.cumsum(items)[:-1]])
    ideal = items.sum() * np.arange(1, count) / count
    places = np.abs(below[None, :] - ideal[:, None]).argmin(axis=1)
    return _distinct_cuts(scores, places, scores[places])


BINNINGS: Final[dict[str, Binning]] = {"equal": equal_ranges, "perc": equal_counts}


def bin_numbers(values: Floats, cuts: Floats) -> Counts:
    """The bin of every value, from 0: how many cuts are not above it. Equal values share a bin.

    >>> bin_numbers(np.array([0.1, 0.5, 0.7]), np.array([0.5])).tolist()
    [0, 1, 1]
    """
    return np.asarray(np.searchsorted(cuts, values, side="right"), dtype=np.int64)


def _distinct_scores(values: Floats, weights: Floats, count: int) -> tuple[Floats, Floats]:
    """Distinct values in ascending order and how many items have each."""
    if count < 1:
        raise StratawatchError("scores cannot be cut into no bins", expected="at least 1 bin", got=str(count))
    counted = weights > 0
    if not counted.any():
        raise StratawatchError("there is nothing to cut into bins", expected="an item that is called positive")
    if not np.isfinite(values[counted]).all():
        raise StratawatchError(
            "a score is not a number", expected="a finite score of every item", hint="leave out items without a score"
        )
    scores, places = np.unique(values[counted], return_inverse=True)
    return scores, np.bincount(places, weights[counted]).astype(np.float64)


def _distinct_cuts(scores: Floats, places: Counts, cuts: Floats) -> Floats:
    """One cut for every place between two values; a cut before the first value would leave an empty bin."""
    kept, first = np.unique(places, return_index=True)
    inside = (kept > 0) & (kept < len(scores))
    return np.asarray(cuts[first[inside]], dtype=np.float64)
