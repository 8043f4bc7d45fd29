"""Strata of labels that the tests of this folder share."""

import numpy as np

from stratawatch.core.estimation.replication.units import StratifiedUnits


def drawn(rng, answers, sizes=None, clusters=None):
    """Strata with so many labels each, the labels, and the calls of a classifier: about half of them positive."""
    of = np.repeat(np.arange(len(answers)), answers)
    sizes = rng.integers(20, 500, len(answers)).astype(float) + np.array(answers) if sizes is None else sizes
    positive = rng.random(len(of)) < 0.5
    chance = np.where(positive, 0.7, 0.3)
    yes = rng.random(len(of)) < chance
    strata = StratifiedUnits(of, np.asarray(sizes, dtype=float), clusters)
    return strata, yes, positive


def textbook(strata, values, finite=True):
    """Variance of an estimated total: sum N_h^2 (1 - f_h) s_h^2 / n_h (Cochran 1977, eq. 5.7)."""
    total = 0.0
    for h, size in enumerate(strata.sizes):
        inside = values[strata.of == h]
        left = 1 - len(inside) / size if finite else 1.0
        total += size**2 * left * inside.var(ddof=1) / len(inside) if left > 0 else 0.0
    return total
