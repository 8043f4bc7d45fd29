"""Answers of a panel whose every item is known."""

import numpy as np

from stratawatch.literature.tripathi.pattern_sizes import CallPatterns

PANEL = CallPatterns.of(["000", "001", "011", "100", "110", "111"], np.array([8000, 50, 200, 100, 400, 900]) * 20, 3)


YES = (np.array([0.005, 0.3, 0.5, 0.4, 0.7, 0.95]) * PANEL.sizes).round().astype(np.int64)


def answers(draw, rng):
    """Labels of a draw: which of a cell's items are yes is as random as the numbers that order them."""
    found = []
    for size, yes, total in zip(PANEL.sizes, YES, draw.totals, strict=True):
        hits = rng.hypergeometric(yes, size - yes, total) if total else 0
        found.append(rng.permutation(np.arange(total) < hits))
    return np.concatenate(found).astype(np.int64)
