"""The choice of the parent: whose sequence makes the whole panel need the fewest labels."""

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.call_patterns import CallPatterns
from stratawatch.literature.tripathi.overlap import Overlap


def expected_savings(overlap: Overlap, parent_length: int, child_length: int) -> float:
    """E[Savings] = E min(X, n_C CIR), X ~ B(n_P, PIR): Lemma 3, its part (c) in the mean.

    >>> round(expected_savings(Overlap(parent=2000, child=2000, both=1000), 1068, 1068), 1)
    527.5
    """
    x = np.arange(parent_length + 1)
    return float(_binomial(parent_length, overlap.parent_ratio) @ np.minimum(x, child_length * overlap.child_ratio))


def expected_labels(patterns: CallPatterns, lengths: Counts, parent: int) -> float:
    """Distinct items to label with this parent, before anything is drawn.

    N_g (1 - (1 - 1/N_g)^m) of every cell g, where m draws are expected to fall into it: exact but for the chance in m.
    """
    patterns.checked_parent(parent)
    draws = _evenly(patterns, patterns.positive[:, parent], float(lengths[parent]))
    for child in np.flatnonzero(patterns.called_positive > 0).tolist():
        if child != parent:
            draws += _fresh(patterns, parent, child, int(lengths[parent]), int(lengths[child]))
    # A cell of one item: the first draw hits it.
    missed = np.log1p(-1 / np.maximum(patterns.sizes, 2))
    distinct = np.where(patterns.sizes > 1, -patterns.sizes * np.expm1(draws * missed), np.minimum(draws, 1))
    return float(distinct.sum())


def best_parent(patterns: CallPatterns, lengths: Counts) -> int:
    """The classifier with the fewest expected labels as parent; the first of several."""
    able = np.flatnonzero((patterns.called_positive > 0) & (np.asarray(lengths) > 0)).tolist()
    if not able:
        raise StratawatchError("no classifier that labels are wanted for calls any item positive", expected="one")
    return int(min(able, key=lambda parent: expected_labels(patterns, lengths, parent)))


def _fresh(patterns: CallPatterns, parent: int, child: int, parent_wanted: int, wanted: int) -> Floats:
    """Expected draws of the child by cell that are not its parent's: S_remain anywhere in A_C, S- beyond A_P."""
    overlap, mine = patterns.overlap(parent, child), patterns.positive[:, child]
    remaining = float(wanted)
    if overlap.both:
        x = np.arange(parent_wanted + 1)
        short = np.maximum(0, wanted - x / overlap.child_ratio)
        remaining = float(_binomial(parent_wanted, overlap.parent_ratio) @ short)
    outside = max(0.0, wanted - expected_savings(overlap, parent_wanted, wanted) - remaining)
    beyond = mine & ~patterns.positive[:, parent]
    return _evenly(patterns, mine, remaining) + _evenly(patterns, beyond, outside)


def _evenly(patterns: CallPatterns, cells: Flags, draws: float) -> Floats:
    """So many draws over these cells, by their sizes."""
    sizes = np.where(cells, patterns.sizes, 0)
    return np.asarray(draws * sizes / max(int(sizes.sum()), 1), dtype=np.float64)


def _binomial(n: int, p: float) -> Floats:
    """P(X = 0), ..., P(X = n)."""
    if p in {0.0, 1.0}:
        return np.asarray(np.eye(n + 1)[n if p else 0], dtype=np.float64)
    k = np.arange(1, n + 1)
    choose = np.concatenate([[0.0], np.cumsum(np.log((n - k + 1) / k))])
    places = np.arange(n + 1)
    return np.asarray(np.exp(choose + places * np.log(p) + (n - places) * np.log1p(-p)), dtype=np.float64)
