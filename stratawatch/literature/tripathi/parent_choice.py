"""The choice of the parent: whose sequence makes the whole panel need the fewest labels."""

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Counts, Floats
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns, Overlap


def best_parent(patterns: CallPatterns, lengths: Counts) -> int:
    """The classifier with the fewest expected labels as parent; the first of several.

    `lengths` are those of the classifiers' sequences; one of them at least is above 0 and calls something positive.
    """
    able = np.flatnonzero((patterns.called_positive > 0) & (np.asarray(lengths) > 0)).tolist()
    return int(min(able, key=lambda parent: expected_labels(patterns, lengths, parent)))


def expected_labels(patterns: CallPatterns, lengths: Counts, parent: int) -> float:
    """Distinct items to label with this parent, before anything is drawn.

    N_g (1 - (1 - 1/N_g)^m) of every pattern g, where m draws are expected to fall into it: exact but for the chance
    in m.
    """
    draws = _by_size(patterns, patterns.positive[:, parent], float(lengths[parent]))
    for child in np.flatnonzero(patterns.called_positive > 0).tolist():
        if child != parent:
            draws += _fresh_draws(patterns, parent, child, int(lengths[parent]), int(lengths[child]))
    # The first draw labels all of a pattern of one item, whose log1p(-1/N_g) would be infinite.
    missed = np.log1p(-1 / np.maximum(patterns.sizes, 2))
    distinct = np.where(patterns.sizes > 1, -patterns.sizes * np.expm1(draws * missed), np.minimum(draws, 1))
    return float(distinct.sum())


def expected_savings(overlap: Overlap, parent_length: int, child_length: int) -> float:
    """E[Savings] = E min(X, n_C CIR), X ~ B(n_P, PIR): Lemma 3, its part (c) in the mean.

    >>> round(expected_savings(Overlap(parent=2000, child=2000, both=1000), 1068, 1068), 1)
    527.5
    """
    x = np.arange(parent_length + 1)
    return float(_binomial(parent_length, overlap.parent_ratio) @ np.minimum(x, child_length * overlap.child_ratio))


def _fresh_draws(patterns: CallPatterns, parent: int, child: int, parent_length: int, child_length: int) -> Floats:
    """Expected draws of the child by pattern that are not its parent's: S_remain in all of A_C, S- outside A_P."""
    overlap, positive = patterns.overlap(parent, child), patterns.positive[:, child]
    remaining = float(child_length)
    if overlap.both:
        x = np.arange(parent_length + 1)
        short = np.maximum(0, child_length - x / overlap.child_ratio)
        remaining = float(_binomial(parent_length, overlap.parent_ratio) @ short)
    outside = max(0.0, child_length - expected_savings(overlap, parent_length, child_length) - remaining)
    outside_parent = positive & ~patterns.positive[:, parent]
    return _by_size(patterns, positive, remaining) + _by_size(patterns, outside_parent, outside)


def _by_size(patterns: CallPatterns, cells: Flags, draws: float) -> Floats:
    """So many draws over these patterns, in proportion to their sizes."""
    sizes = np.where(cells, patterns.sizes, 0)
    return np.asarray(draws * sizes / max(int(sizes.sum()), 1), dtype=np.float64)


def _binomial(n: int, p: float) -> Floats:
    """P(X = 0), ..., P(X = n)."""
    if p in {0.0, 1.0}:
        return np.asarray(np.eye(n + 1)[n if p else 0], dtype=np.float64)
    k = np.arange(1, n + 1)
    log_choose = np.concatenate([[0.0], np.cumsum(np.log((n - k + 1) / k))])
    x = np.arange(n + 1)
    return np.asarray(np.exp(log_choose + x * np.log(p) + (n - x) * np.log1p(-p)), dtype=np.float64)
