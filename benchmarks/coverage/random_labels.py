"""What labels of a simple random sample would buy: Wilson intervals on those that a metric is about."""

import numpy as np

from benchmarks.coverage.truths import MAIN, Confusion
from stratawatch.core.population import Floats

NOTHING = 0.5
"""The half-width of what cannot be told."""
_Z = 1.959964


def wilson_half_width(yes: Floats, labels: Floats) -> Floats:
    """z / (n + z^2) sqrt(yes (n - yes)/n + z^2/4), Wilson 1927; .5 without labels.

    >>> [round(float(width), 4) for width in wilson_half_width(np.array([8, 0]), np.array([10, 0]))]
    [0.2266, 0.5]
    """
    n = np.maximum(labels, 1)
    width = _Z / (n + _Z**2) * np.sqrt(yes * (n - yes) / n + _Z**2 / 4)
    return np.where(labels > 0, width, NOTHING)


def half_widths(truth: Confusion, labels: int, runs: int, rng: np.random.Generator) -> tuple[float, float]:
    """Mean half-widths of precision and recall over `runs` samples of `labels` items.

    Labels of items that the classifier did not judge would tell nothing, so all of them are of judged ones.
    """
    kinds = np.array([truth.found, truth.called - truth.found, truth.missed, truth.passed - truth.missed])
    found, false, missed, _ = rng.multivariate_hypergeometric(kinds.astype(np.int64), labels, size=runs).T
    precision, recall = wilson_half_width(found, found + false), wilson_half_width(found, found + missed)
    return float(precision.mean()), float(recall.mean())


def half_widths_by_metric(
    truth: Confusion, items: int, labels: int, runs: int, rng: np.random.Generator
) -> dict[str, float]:
    """Mean half-width of each main metric over samples of a panel's `items`, those that nobody judged among them."""
    kinds = np.array([truth.found, truth.called - truth.found, truth.missed, truth.passed - truth.missed])
    unjudged = items - truth.called - truth.passed
    drawn = rng.multivariate_hypergeometric(np.append(kinds, unjudged).astype(np.int64), labels, size=runs)
    found, false, missed, right, _ = drawn.T
    counts = (found, found + false), (found, found + missed), (missed, missed + right)
    return {metric: float(wilson_half_width(*each).mean()) for metric, each in zip(MAIN, counts, strict=True)}
