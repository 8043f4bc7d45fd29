"""The false-omission rate of the parent, from a stratified draw among the items it calls negative."""

from typing import Final

import numpy as np

from stratawatch.core.allocations.whole_numbers import share_out
from stratawatch.core.methods.tripathi.rate import Rate
from stratawatch.core.population import Counts
from stratawatch.core.results import Undefined

MOST_UNSEEN: Final = 0.10
"""Largest share of B that may lie in strata without a label."""
_PRIOR: Final = 10.0
"""Labels that the pooled share counts as in a stratum's variance."""


def omission_totals(sizes: Counts, drawn: Counts, labels: int) -> Counts:
    """Cumulative labels of each stratum of B: half in proportion to size, half evenly, two at least.

    What was `drawn` there for the precisions of children counts, and is never given back.

    >>> omission_totals(np.array([9000, 900, 100]), np.array([0, 80, 0]), 300).tolist()
    [172, 80, 48]
    """
    weights = sizes / max(int(sizes.sum()), 1) + 1 / max(len(sizes), 1)
    return share_out(np.where(sizes > 0, weights, 0.0), np.maximum(drawn, np.minimum(2, sizes)), sizes, labels)


def false_omission_rate(sizes: Counts, labels: Counts, yes: Counts) -> Rate | Undefined:
    """Weighted by stratum of B: f = sum W_k yes_k/n_k, V = sum W_k^2 (1 - n_k/N_k) q_k (1 - q_k)/n_k.

    q = (yes_k + 10 f0)/(n_k + 10), f0 the share of yes of all labels with half a yes and half a no added: a stratum
    whose few labels agree is not taken for one without chance. Strata without a label are taken to be as the others.

    >>> found = false_omission_rate(np.array([900, 100]), np.array([90, 10]), np.array([0, 4]))
    >>> round(found.value, 3)
    0.04
    """
    items = int(sizes.sum())
    if items == 0:
        return Undefined("it calls no item negative")
    seen = labels > 0
    if not seen.any():
        return Undefined(f"no label among the {items:,} items it calls negative")
    unseen = float(sizes[~seen].sum()) / items
    if unseen > MOST_UNSEEN:
        return Undefined(
            f"{unseen:.0%} of the items it calls negative are in strata without a label; at most 10% may be"
        )
    sizes, labels, yes = sizes[seen], labels[seen], yes[seen]
    weights = sizes / sizes.sum()
    pooled = (float(yes.sum()) + 0.5) / (float(labels.sum()) + 1)
    q = (yes + _PRIOR * pooled) / (labels + _PRIOR)
    variance = float((weights**2 * (1 - labels / sizes) * q * (1 - q) / labels).sum())
    share = float(weights @ q)
    return Rate(float(weights @ (yes / labels)), variance, share * (1 - share) / variance if variance > 0 else items)
