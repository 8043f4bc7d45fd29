"""The false-omission rate of the parent, from a stratified draw among the items it calls negative."""

from typing import Final

import numpy as np

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.effective_sample_size import effective_sample_size
from stratawatch.core.estimation.ff_mid import ff_mid
from stratawatch.core.planning.integer_allocation import clip_and_round
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import PlanImpossible
from stratawatch.literature.stratum_counts import check_counts

MOST_UNLABELLED: Final = 0.10
"""The largest share of B that may lie in strata without a label."""


def allocate_omission_labels(sizes: Counts, drawn: Counts, labels: int) -> Counts:
    """Cumulative labels of each stratum of B: half in proportion to size, half evenly, two at least.

    They include the items that are `drawn` there for the precisions of children.

    >>> allocate_omission_labels(np.array([9000, 900, 100]), np.array([0, 80, 0]), 300).tolist()
    [172, 80, 48]
    """
    least = np.maximum(drawn, np.minimum(2, sizes))
    if least.sum() > labels:
        raise PlanImpossible(
            f"{labels} labels are too few for {len(sizes)} strata of items called negative",
            expected=f"at least {int(least.sum())}, two a stratum and what is drawn already",
        )
    weights = sizes / max(int(sizes.sum()), 1) + 1 / max(len(sizes), 1)
    return clip_and_round(np.where(sizes > 0, weights, 0.0), least, sizes, labels)


def false_omission_rate(
    sizes: Counts, labels: Counts | Floats, yes: Counts | Floats, confidence: float = 0.95
) -> IntervalEstimate | Undefined:
    """Weighted by stratum of B: f = sum W_k yes_k/n_k, with the interval FF/MID, as misses are rare.

    V = sum W_k^2 p_k (1 - p_k) (N_k - n_k)/((N_k - 1) n_k); FF/MID widens it by the largest weight of a label. Strata
    without a label are taken to have the rate of the others.

    >>> found = false_omission_rate(np.array([900, 100]), np.array([90, 10]), np.array([0, 4]))
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.04, 0.016, 0.087)
    """
    check_counts(sizes, labels, yes)
    items = int(sizes.sum())
    if items == 0:
        return Undefined("it calls no item negative")
    labelled = labels > 0
    if not labelled.any():
        return Undefined(f"no label among the {items:,} items it calls negative")
    unlabelled = float(sizes[~labelled].sum()) / items
    if unlabelled > MOST_UNLABELLED:
        return Undefined(
            f"{unlabelled:.0%} of the items it calls negative are in groups without a label; at most 10% may be"
        )
    sizes, labels, yes = sizes[labelled], labels[labelled], yes[labelled]
    weights, shares = sizes / sizes.sum(), yes / labels
    left = (sizes - labels) / np.maximum(sizes - 1, 1)
    value = np.array([weights @ shares])
    variance = np.array([(weights**2 * shares * (1 - shares) * left / labels).sum()])
    max_weight = np.array([(weights * np.sqrt(left) / labels).max()])
    low, high = ff_mid(value, variance, max_weight, confidence)
    n_eff = effective_sample_size(value, variance, low, high, np.array(float(items)), confidence)
    return IntervalEstimate(*(float(number[0]) for number in (value, low, high, n_eff)))
