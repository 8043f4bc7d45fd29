"""Censuses from rows of (pattern, bin, count)."""

import numpy as np

from stratawatch.core.population import Census
from stratawatch.core.score_bins import bins_of


def census(rows, classifiers=None, segments=None, auxiliary=()):
    rows = list(rows)
    names = classifiers or tuple(f"c{i}" for i in range(len(rows[0][0]) - len(auxiliary)))
    return Census(
        classifiers=names,
        patterns=tuple(pattern for pattern, _, _ in rows),
        bins=np.array([bin_ for _, bin_, _ in rows], dtype=np.int64),
        counts=np.array([count for _, _, count in rows], dtype=np.int64),
        segments=segments or {},
        auxiliary=auxiliary,
    )


def spread(pattern, first, last, each=100):
    return [(pattern, bin_, each) for bin_ in range(first, last + 1)]


def of(atoms, pattern):
    return [atom for atom in atoms if atom.pattern == pattern]


def panel(classifiers: int, items: int, seed: int = 1) -> Census:
    """Noisy copies of one latent score, each with a cut-off of its own."""
    rng = np.random.default_rng(seed)
    signal = 2 * rng.normal(size=items) - 3
    scores = 1 / (1 + np.exp(-(signal[:, None] + 0.8 * rng.normal(size=(items, classifiers)))))
    letters = np.where(scores >= rng.uniform(0.2, 0.7, classifiers), "1", "0")
    patterns, kind = np.unique(["".join(row) for row in letters], return_inverse=True)
    rows, counts = np.unique(kind * 1024 + bins_of(scores.mean(axis=1)), return_counts=True)
    return census(
        zip((str(patterns[row // 1024]) for row in rows), (rows % 1024).tolist(), counts.tolist(), strict=True)
    )
