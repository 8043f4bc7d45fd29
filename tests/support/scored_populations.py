"""One-sided populations of a single classifier: scores with a known chance of being positive.

The shapes are those that intervals were found to fail on: calibrated, overconfident, rare errors, steep, without
order, tied, constant, rare misses that the score hides or concentrates.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import beta

POINTS = (np.arange(2000) + 0.5) / 2000
Floats = NDArray[np.float64]


def _above(a: float, b: float) -> Floats:
    return 0.5 + 0.5 * beta.ppf(POINTS, a, b)


def _below(a: float, b: float) -> Floats:
    return 0.5 * beta.ppf(POINTS, a, b)


def _share(chances: Floats, wanted: float) -> Floats:
    """Chances moved on the logit scale until their mean is as wanted."""
    logits = logit(np.clip(chances, 1e-7, 1 - 1e-7))
    return expit(logits + brentq(lambda shift: expit(logits + shift).mean() - wanted, -20, 20))


CALLED: dict[str, tuple[Callable[[], tuple[Floats, Floats]], float]] = {
    "calibrated .5": (lambda: (s := 0.2 + 0.8 * beta.ppf(POINTS, 0.9, 1.5), s), 0.5),
    "calibrated .8": (lambda: (s := _above(1.2, 0.8), s), 0.8),
    "overconfident .8": (lambda: (1 - 0.03 * (1 - POINTS) ** 2, expit(0.2 + 2.2 * POINTS)), 0.8),
    "calibrated .93": (lambda: (s := _above(2.0, 0.33), s), 0.93),
    "calibrated .99": (lambda: (s := _above(1.5, 0.031), s), 0.99),
    "steep .93": (lambda: (0.5 + 0.5 * POINTS, np.where(POINTS < 0.15, 0.54, 0.999)), 0.93),
    "without order .8": (lambda: (0.5 + 0.5 * POINTS, 0.8 + 0.17 * np.sin(4 * np.pi * POINTS)), 0.8),
    "tied .93": (lambda: (s := np.round(_above(1.2, 0.25), 2), np.clip(0.55 + 0.84 * (s - 0.5), 0.01, 0.99)), 0.93),
    "constant .8": (lambda: (np.full(2000, 0.9), np.full(2000, 0.8)), 0.8),
}
PASSED: dict[str, tuple[Callable[[], tuple[Floats, Floats]], float]] = {
    "weak .05": (lambda: (_below(0.8, 2.5), 0.02 + 0.1 * POINTS), 0.05),
    "calibrated .01": (lambda: (s := _below(0.12, 5.0), np.clip(s, 1e-5, 0.6)), 0.01),
    "hidden .003": (lambda: (_below(0.2, 5.0), np.where(POINTS > 0.97, 0.05, 0.00155)), 0.003),
    "concentrated .001": (lambda: (_below(0.2, 5.0), np.where(POINTS > 0.98, 0.045, 0.0001)), 0.001),
    "flat .001": (lambda: (_below(0.2, 5.0), np.full(2000, 0.001)), 0.001),
}


def one_side(name: str, size: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Scores and labels of `size` items of a named population, without chance in them."""
    make, wanted = CALLED.get(name) or PASSED[name]
    scores, chances = make()
    chances = _share(chances, wanted)
    each = size // len(scores)
    positives = np.diff(np.concatenate([[0], np.round(np.cumsum(chances * each))])).astype(int)
    labels = np.zeros((len(scores), each), dtype=bool)
    for row, number in enumerate(np.clip(positives, 0, each)):
        labels[row, :number] = True
    return np.clip(np.repeat(scores, each), 0, 1), labels.ravel()


def panel(
    rng: np.random.Generator, items: int = 100_000, prevalence: float = 0.06, noise: float = 0.8
) -> tuple[tuple[str, ...], NDArray[np.str_], Floats, NDArray[np.bool_]]:
    """Three overlapping classifiers and their majority vote on one population: names, patterns, scores, labels."""
    labels = rng.random(items) < prevalence
    signal = rng.normal(size=items) + np.where(labels, 3.2, 0.0)
    scores, calls = [], []
    for steep, cut in ((1.0, 0.5), (1.6, 0.55), (0.7, 0.45)):
        seen = signal + noise * rng.normal(size=items)
        scores.append(expit(steep * (seen * 1.6 - 4.6)))
        calls.append(scores[-1] >= cut)
    calls.append(sum(call.astype(int) for call in calls) >= 2)
    letters = np.where(np.stack(calls, axis=1), "1", "0")
    patterns = np.array(["".join(row) for row in letters])
    return ("lr", "tree", "bayes", "vote"), patterns, np.mean(scores, axis=0), labels
