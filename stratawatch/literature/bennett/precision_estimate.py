"""Precision from the bins' labels: a weighted mean of m-estimates, and its normal interval."""

import numpy as np

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.population import Counts, Floats
from stratawatch.literature.stratum_counts import check_counts


def m_estimate(yes: Counts, labels: Counts) -> Floats:
    """The smoothed share p = (h + m/2)/(n + m), m = 2 where there is no label, else 1/sqrt(n) (section 5).

    It is never quite 0 or 1, as no handful of labels can prove a share to be.

    >>> m_estimate(np.array([0, 1, 4]), np.array([0, 1, 4])).round(4).tolist()
    [0.5, 0.75, 0.9444]
    """
    m = np.where(labels > 0, 1 / np.sqrt(np.maximum(labels, 1)), 2.0)
    return np.asarray((yes + m / 2) / (labels + m), dtype=np.float64)


def bin_shares(sizes: Counts, labels: Counts, yes: Counts, *, replacement: bool) -> Floats:
    """p_k by bin: m-estimates; without replacement the exact share of a bin that is labelled to the last item."""
    smoothed = m_estimate(yes, labels)
    if replacement:
        return smoothed
    return np.where(labels >= sizes, yes / np.maximum(sizes, 1), smoothed)


def weighted_mean(sizes: Counts, rates: Floats) -> Floats:
    """The precision p = sum W_k p_k, W_k = N_k/N (Eq. 1)."""
    return np.asarray((sizes * rates).sum(axis=-1) / sizes.sum(axis=-1), dtype=np.float64)


def weighted_mean_variance(sizes: Counts, labels: Counts, rates: Floats, *, replacement: bool) -> Floats:
    """The square of s.e.: sum W_k^2 (1 - f_k) p_k (1 - p_k)/(n_k - 1), f_k = n_k/N_k, 0 with replacement (Eq. 1).

    With one label or none n_k - 1 counts as 1: without labels a bin adds W_k^2/4, the most that p_k = 1/2 can be wrong
    by, squared.

    >>> float(weighted_mean_variance(np.array([50, 50]), np.array([0, 0]), np.array([0.5, 0.5]), replacement=True))
    0.125
    """
    weights = sizes / sizes.sum(axis=-1, keepdims=True)
    unlabelled = 1.0 if replacement else 1 - np.minimum(labels / sizes, 1)
    variances = unlabelled * rates * (1 - rates) / np.maximum(labels - 1, 1)
    return np.asarray((weights**2 * variances).sum(axis=-1), dtype=np.float64)


def estimate_precision(
    sizes: Counts, labels: Counts, yes: Counts, confidence: float = 0.95
) -> IntervalEstimate | Undefined:
    """The estimate p +- z se inside [0, 1] from a draw without replacement; without a label, no information.

    >>> found = estimate_precision(np.array([500, 500]), np.array([101, 101]), np.array([100, 50]))
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.742, 0.698, 0.787)
    """
    check_counts(sizes, labels, yes)
    if not labels.any():
        return Undefined("no item that the classifier calls positive has a label")
    rates = bin_shares(sizes, labels, yes, replacement=False)
    value = float(weighted_mean(sizes, rates))
    variance = float(weighted_mean_variance(sizes, labels, rates, replacement=False))
    half = normal_quantile(confidence) * variance**0.5
    # Every item labelled: as certain as a sample of all of them.
    n_eff = value * (1 - value) / variance if variance > 0 else float(sizes.sum())
    return IntervalEstimate(value, max(value - half, 0.0), min(value + half, 1.0), n_eff)
