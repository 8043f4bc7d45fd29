"""What a label counts where several rounds drew from its stratum, so that later rounds may follow earlier labels.

A round draws more where the labels before it were positive. All labels of a stratum taken as one sample then give the
mean p + Cov(n_1/n, y_1), with n_1 of n labels and the mean y_1 from the first round: too little where positives are
rare. Each round by itself is free of that: with m_r labels before it, n_r of its own and their mean y_r,

    T_r = the positives among the m_r labels + (N - m_r) y_r

is on average the stratum's total whatever the m_r labels said, as round r drew from the N - m_r items that were left.
So T = sum a_r T_r is unbiased for parts a_r that no label of the stratum moves. No two T_r are correlated, and V_r goes
with (N - m_r)(N - m_r - n_r)/n_r: parts in proportion to 1/V_r make the variance least, and T the mean of a single
sample. They follow n_r, and so the labels; those that the five strata around it in the order of scores have together,
itself among them, are moved little by its own labels. Where these would make the variance more than a twentieth larger
than the least one, the parts go only a part of the way to them: without that, intervals came out up to half as wide
again (docs/adr/0057-rounds-joined-by-their-shares.md).

Of a small share of a stratum a_r is the share n_r/n of its labels. Of a large one a last round counts for more: it
estimates the items that it left, and those that are few are nearly all known. In a stratum that is labelled wholly the
last round alone counts, and every label stands for its own item.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.population import Counts, Floats

BESIDE: Final = 2
"""Strata on either side, by score, whose labels say which parts the rounds have in a stratum."""
MOST_GROWTH: Final = 0.05
"""Most by which the variance of a stratum grows: where it would be more, parts go only a part of the way."""
_LEAST: Final = 1e-9


def weighted_by_rounds(sample: LabelledSample, cells: Cells, drawn: DrawnItems) -> LabelledSample:
    """The sample with every label weighted by the round that drew its item.

    One of a single round stays as it is, as does one without a label.
    """
    if sample.items is None or not len(sample.items.rows) or len(set(drawn.round_of.values())) < 2:
        return sample
    candidates, rows = sample.items.candidates, sample.items.rows
    ordinals = np.array([drawn.round_of[candidates.items[row]] for row in rows.tolist()], dtype=np.int64)
    strata = cells.strata[candidates.atoms[rows]]
    weights = round_weights(strata, ordinals, cells.stratum_sizes, mean_scores(cells))
    items = replace(sample.items, weights=weights)
    return replace(sample, items=items, weighted=items.counts(np.ones_like(weights), len(cells.strata)).weighted)


def mean_scores(cells: Cells) -> Floats:
    """The mean score of every stratum."""
    return cells.by_stratum(cells.sizes * cells.imputed_scores) / np.maximum(cells.stratum_sizes, 1)


def round_weights(strata: Counts, rounds: Counts, sizes: Floats, scores: Floats) -> Floats:
    """The weight of each label, given its stratum, its round from 0, and the items and mean score of every stratum.

    Of 1,000 items 2 were labelled in the first round and 8 in the second; it is as many elsewhere:

    >>> strata, rounds = np.repeat([0, 1], 10), np.repeat([0, 1, 0, 1], [2, 8, 8, 2])
    >>> round_weights(strata, rounds, np.array([1000.0, 1000.0]), np.array([0.2, 0.3]))[[0, 9]].round(1).tolist()
    [1.4, 0.8]
    """
    counts = np.zeros((len(sizes), int(rounds.max(initial=0)) + 1))
    np.add.at(counts, (strata, rounds), 1)
    return np.asarray(weights_of_counts(counts, sizes, scores)[strata, rounds], dtype=np.float64)


def weights_of_counts(counts: Floats, sizes: Floats, scores: Floats) -> Floats:
    """The weight of every label of a stratum and round (strata x rounds) where so many labels are.

    The weights of a stratum sum to the labels that would tell as much in a single sample, so that variances which
    count labels hold.
    """
    labels = counts.sum(axis=1)
    sizes = np.maximum(sizes, labels)
    own = _parts(counts, sizes)
    parts = np.where(own > 0, np.maximum(_parts(_near(counts, scores), _near(sizes[:, None], scores)[:, 0]), _LEAST), 0)
    parts = parts / np.maximum(parts.sum(axis=1, keepdims=True), _LEAST)
    # V is as much larger than the least one as the sum of a_r^2/own_r: it grows with the square of the distance.
    grown = (parts**2 / np.where(own > 0, own, 1)).sum(axis=1) - 1
    way = np.minimum(np.sqrt(MOST_GROWTH / np.maximum(grown, MOST_GROWTH)), 1)[:, None]
    parts = np.where(way < 1, own * (1 - way) + parts * way, parts)
    growth = 1 + np.maximum(grown, 0) * way[:, 0] ** 2
    # N (N - n)/n, growth times as large, is the same of the n that is found here.
    alike = 1 / (1 + growth * (sizes - labels) / np.maximum(labels, 1))
    before = np.cumsum(counts, axis=1) - counts
    later = parts[:, ::-1].cumsum(axis=1)[:, ::-1] - parts
    stood_for = later + parts * (sizes[:, None] - before) / np.maximum(counts, 1)
    return np.asarray(stood_for * alike[:, None], dtype=np.float64)


def _parts(counts: Floats, sizes: Floats) -> Floats:
    """The part a_r of every round that makes the variance of sum a_r T_r least: each as 1/V_r."""
    left = np.maximum(sizes[:, None] - np.cumsum(counts, axis=1), 0)
    precision = counts / np.maximum(left * (left + counts), 1)
    # The round that labels all that was left is certain.
    last = (left == 0) & (counts > 0)
    precision = np.where(last.any(axis=1, keepdims=True), last, precision)
    return np.asarray(precision / np.maximum(precision.sum(axis=1, keepdims=True), 1e-300), dtype=np.float64)


def _near(counts: Floats, scores: Floats) -> Floats:
    """The labels of each round in the strata around every stratum in the order of scores, itself among them."""
    order = np.argsort(scores, kind="stable")
    sums = np.concatenate([np.zeros((1, counts.shape[1])), np.cumsum(counts[order], axis=0)])
    place = np.arange(len(counts))
    low, high = np.maximum(place - BESIDE, 0), np.minimum(place + BESIDE + 1, len(counts))
    found = np.empty_like(counts)
    found[order] = sums[high] - sums[low]
    return found
