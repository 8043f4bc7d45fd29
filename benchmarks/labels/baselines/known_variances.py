"""The joint design of somebody who knows every variance: what planning can at best reach."""

from typing import Final

import numpy as np

from benchmarks.labels.baselines.truth import FEW_PATTERNS, PRECISION, RECALL, Truth, Z
from benchmarks.labels.worlds import Floats, Integers
from stratawatch.core.planning.bethel import minimise_labels

_CLASSES: Final = 400
"""Classes of the posterior, within which units are alike for the floor."""
_LEAST: Final = 1e-9
"""Items that the floor need not draw are drawn hardly ever, but not never."""


def in_atoms(truth: Truth) -> float:
    """Fewest labels in pattern x score strata for all goals; not a number where patterns are too many for strata."""
    if len(np.unique(truth.items.patterns)) > FEW_PATTERNS:
        return float("nan")
    _, first, strata = np.unique(truth.strata, return_index=True, return_inverse=True)
    sizes = np.bincount(strata).astype(np.float64)
    rates = np.bincount(strata, weights=truth.items.truth) / sizes
    return bethel(gradients(truth, first), sizes, rates * (1 - rates))


def unit_floor(truth: Truth) -> float:
    """Fewest labels in expectation when every item has its own chance to be drawn and its true probability is known.

    Items that are alike share one chance: those of a pattern whose sqrt(p (1 - p)) is in the same of 400 classes.
    n_a below 1 is allowed, and a chance below one half takes the place of n_a/N_a.
    """
    posterior = truth.items.posterior
    if np.isnan(posterior).any():
        return float("nan")
    spread = np.sqrt(posterior * (1 - posterior))
    steps = np.where(posterior > 0.5, 1 - spread, spread) * _CLASSES
    keys = truth.items.patterns * (_CLASSES + 1) + steps.astype(np.int64)
    _, first, cells = np.unique(keys, return_index=True, return_inverse=True)
    sizes = np.bincount(cells).astype(np.float64)
    variances = np.bincount(cells, weights=spread**2) / sizes
    return _thousandfold(gradients(truth, first), sizes, variances)


def gradients(truth: Truth, rows: Integers) -> Floats:
    """g of every goal at these items, in units of its margin's standard error: precisions, then recalls."""
    inside = truth.items.calls[rows].T.astype(np.float64)
    precision = inside / truth.called[:, None] * (Z / PRECISION)
    recall = (inside - truth.recall[:, None]) / truth.positives * (Z / RECALL)
    return np.concatenate([precision, recall])


def bethel(gradient: Floats, sizes: Floats, variances: Floats) -> float:
    """min sum n with sum_a (N_a g_ja)^2 S_a^2 (1/n_a - 1/N_a) <= 1 for every goal j (Bethel 1989)."""
    solution = minimise_labels(gradient**2 * (sizes**2 * variances), np.ones(len(gradient)), sizes, np.ones_like(sizes))
    return float(solution.n.sum())


def _thousandfold(gradient: Floats, sizes: Floats, variances: Floats) -> float:
    """The same without a least label a cell: everything is counted in thousandths of an item."""
    grown = 1e3 * sizes
    solution = minimise_labels(
        gradient**2 * (grown * sizes * variances), np.ones(len(gradient)), grown, np.full_like(sizes, _LEAST)
    )
    return float(solution.n.sum() / 1e3)
