"""Tripathi et al., Estimating Precisions for Multiple Binary Classifiers Under Limited Samples, and recall beside it.

Algorithm 1 recycles the labels of an anchor's sample for every other classifier's precision; the false-omission rate
of the anchor, by stratified sampling, gives the number of all positives and so everybody's recall (section 6).
"""

from dataclasses import dataclass

import numpy as np

from benchmarks.labels.baselines.truth import RECALL, Truth, Z
from benchmarks.labels.worlds import Floats


@dataclass(frozen=True)
class Recycled:
    """Labels with one anchor: for all precisions, and added in B of the anchor for recall."""

    precision: float
    anchor_recall: float
    every_recall: float


def labels(truth: Truth, *, everyone: bool) -> float:
    """Labels of a week with the anchor that makes them fewest.

    `everyone` False: the recall of the anchor is within its margin, and the others follow as they may; True: all are.
    """
    found = [with_anchor(truth, anchor) for anchor in range(len(truth.called))]
    return min(one.precision + (one.every_recall if everyone else one.anchor_recall) for one in found)


def with_anchor(truth: Truth, anchor: int) -> Recycled:
    """Algorithm 1 from this anchor's sample, then Neyman's allocation in B of the anchor, all variances known.

    Recycled for c by Lemma 3, in expectation: min(n_anchor PIR, n_c CIR). The fresh labels of c that lie outside of A
    of the anchor are labels of B already, and count there.
    """
    wanted = truth.precision_labels.astype(np.float64)
    shared = recycled(truth, anchor)
    allowed = omission_variances(truth, anchor, shared)
    outside = ~truth.items.calls[:, anchor]
    strata, count = truth.strata, int(truth.strata.max()) + 1
    sizes = np.bincount(strata[outside], minlength=count).astype(np.float64)
    yes = np.bincount(strata[outside & truth.items.truth], minlength=count)
    already = fresh_outside(truth, anchor, shared)
    own, every = (
        neyman(sizes, yes / np.maximum(sizes, 1), float(variance), already) - float(already.sum())
        for variance in (allowed[anchor], allowed.min())
    )
    return Recycled(float(wanted[anchor] + (wanted - shared).sum()), own, every)


def recycled(truth: Truth, anchor: int) -> Floats:
    """Labels of the anchor's sample that serve each classifier; all of them serve the anchor itself."""
    wanted, overlap = truth.precision_labels, truth.overlaps[anchor]
    parent, child = overlap / truth.called[anchor], overlap / truth.called
    return np.asarray(np.minimum(wanted[anchor] * parent, wanted * child), dtype=np.float64)


def omission_variances(truth: Truth, anchor: int, shared: Floats) -> Floats:
    """The variance of F = f|B| of the anchor that leaves each classifier's recall within its margin.

    r_c = p_c|A_c|/(p_1|A_1| + F), by the delta method: V(r_c)/r_c^2 = V(p_c)/p_c^2 - 2 r_1 C/(p_1 p_c)
    + r_1^2 V(p_1)/p_1^2 + V(F)/P^2, with C = q (1 - q) s/(n_1 n_c) for s shared labels and q their precision.
    """
    p, r, wanted = truth.precision, truth.recall, truth.precision_labels
    q = truth.found[anchor] / np.maximum(truth.overlaps[anchor], 1)
    together = q * (1 - q) * shared / (wanted[anchor] * wanted)
    alone = (1 - p) / (p * wanted)
    spent = alone - 2 * r[anchor] * together / (p[anchor] * p) + r[anchor] ** 2 * alone[anchor]
    return np.asarray(((RECALL / Z / r) ** 2 - spent) * truth.positives**2, dtype=np.float64)


def fresh_outside(truth: Truth, anchor: int, shared: Floats) -> Floats:
    """Expected labels by stratum that the others' samples have in B of the anchor.

    S- comes from A_c - A_1 in proportion to S+, S_remain from anywhere in A_c (lines 2 and 3 of Algorithm 1).
    """
    calls, strata = truth.items.calls, truth.strata
    labels_there = np.zeros(int(strata.max()) + 1)
    for other in range(calls.shape[1]):
        beyond = calls[:, other] & ~calls[:, anchor]
        if other == anchor or not beyond.any():
            continue
        inside = truth.overlaps[anchor, other] / truth.called[other]
        fresh = truth.precision_labels[other] - shared[other]
        matched = min(fresh, shared[other] * (1 - inside) / inside) if inside else 0.0
        there = matched + (fresh - matched) * (1 - inside)
        labels_there += there * np.bincount(strata[beyond], minlength=len(labels_there)) / beyond.sum()
    return labels_there


def neyman(sizes: Floats, rates: Floats, variance: float, floors: Floats) -> float:
    """The fewest labels, at least floors and one a stratum, with sum N^2 p (1 - p) (1/n - 1/N) <= variance.

    >>> import numpy as np
    >>> round(neyman(np.array([1e6, 1e6]), np.array([0.5, 0.5]), 1e10, np.zeros(2)), 1)
    100.0
    """
    if variance <= 0:
        return float("inf")
    spread = sizes * np.sqrt(rates * (1 - rates))
    floors = np.minimum(np.maximum(floors, 1.0), sizes)
    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        n = np.clip(middle * spread, floors, sizes)
        short = float((spread**2 * (1 / np.maximum(n, 1e-300) - 1 / np.maximum(sizes, 1e-300)))[sizes > 0].sum())
        low, high = (middle, high) if short > variance else (low, middle)
    return float(np.clip(high * spread, floors, sizes).sum())
