"""What a label counts where several rounds drew from its stratum, so that later rounds may follow earlier labels.

A round draws more where the labels before it were positive. All labels of a stratum taken as one sample then give the
mean p + Cov(n_1/n, y_1), with n_1 of n labels and the mean y_1 from the first round: too little where positives are
rare. The mean of each round is free of that. So every round has in every stratum the share W_r that it has of the
labels of the five strata around it in the order of scores, itself among them, which its own labels move little, and the
stratum's mean is sum W_r y_r. Where that would make the variance of its mean more than a twentieth larger than of as
many labels of one round, the shares go only a part of the way to these from n_r/n: without that, intervals came out up
to half as wide again (docs/adr/0057-rounds-joined-by-their-shares.md).

A labelled item stands for itself, and only the items without a label for that mean: a label of round r counts
f + (1 - f) W_r n/n_r, f = n/N the labelled share of the stratum. Those weights sum to n, and are 1 in a stratum that is
labelled wholly. The variance of the total is f + (1 - f) n sum W_r^2/n_r times that of a single sample of n labels.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.population import Counts, Floats

BESIDE: Final = 2
"""Strata on either side, by score, whose labels say which shares the rounds have in a stratum."""
MOST_GROWTH: Final = 0.05
"""Most by which the variance of a stratum grows: where it would be more, shares go only a part of the way."""
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
    taken, labels = np.maximum(counts, 1), np.maximum(counts.sum(axis=1), 1)
    shares = np.where(counts > 0, np.maximum(_near(counts, scores), _LEAST), 0)
    shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), _LEAST)
    # n sum W_r^2/n_r is 1 for a stratum's own shares n_r/n, and grows with the square of how far W is from them.
    grown = labels * (shares**2 / taken).sum(axis=1) - 1
    part = np.minimum(np.sqrt(MOST_GROWTH / np.maximum(grown, MOST_GROWTH)), 1)[:, None]
    shares = np.where(part < 1, counts / labels[:, None] * (1 - part) + shares * part, shares)
    left = np.maximum(1 - labels / np.maximum(sizes, labels), 0)
    growth = 1 - left + left * labels * (shares**2 / taken).sum(axis=1)
    # N^2 (1 - n/N)/n, growth times as large, is the same of the n that is found here.
    alike = 1 / (labels / np.maximum(sizes, labels) + left * growth)
    weights = (1 - left)[:, None] + left[:, None] * shares * labels[:, None] / taken
    return np.asarray(weights * alike[:, None], dtype=np.float64)


def _near(counts: Floats, scores: Floats) -> Floats:
    """The labels of each round in the strata around every stratum in the order of scores, itself among them."""
    order = np.argsort(scores, kind="stable")
    sums = np.concatenate([np.zeros((1, counts.shape[1])), np.cumsum(counts[order], axis=0)])
    place = np.arange(len(counts))
    low, high = np.maximum(place - BESIDE, 0), np.minimum(place + BESIDE + 1, len(counts))
    found = np.empty_like(counts)
    found[order] = sums[high] - sums[low]
    return found
