"""What a label counts where several rounds drew from its stratum, so that later rounds may follow earlier labels.

A round draws more where the labels before it were positive. All labels of a stratum taken as one sample then give the
mean p + Cov(n_1/n, y_1), with n_1 of n labels and the mean y_1 from the first round: too little where positives are
rare. The mean of each round is free of that. So every round keeps in every stratum the share W_r that it has of all
labels, which is fixed before they come, and the stratum's mean is sum W_r y_r.

A labelled item stands for itself, and only the items without a label for that mean: a label of round r counts
f + (1 - f) W_r n/n_r, f = n/N the labelled share of the stratum. Those weights sum to n, and are 1 in a stratum that is
labelled wholly. The variance of the total is f + (1 - f) n sum W_r^2/n_r times that of a single sample of n labels.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.population import Counts, Floats


def weighted_by_rounds(sample: LabelledSample, cells: Cells, rounds: Sequence[Collection[str]]) -> LabelledSample:
    """The sample with every label weighted by its round; `rounds` are the items that each of them drew."""
    if sample.items is None or len(rounds) < 2:
        return sample
    candidates, rows = sample.items.candidates, sample.items.rows
    round_of = {item: ordinal for ordinal, items in enumerate(rounds) for item in items}
    ordinals = np.array([round_of[candidates.items[row]] for row in rows.tolist()], dtype=np.int64)
    weights = round_weights(cells.strata[candidates.atoms[rows]], ordinals, cells.stratum_sizes)
    items = replace(sample.items, weights=weights)
    counts = items.counts(np.ones_like(weights), len(cells.strata))
    return replace(sample, items=items, labelled=counts.labelled, positive=counts.positive)


def round_weights(strata: Counts, rounds: Counts, sizes: Floats) -> Floats:
    """The weight of each label, given its stratum, its round from 0, and the items of every stratum.

    The weights of a stratum sum to the labels that would tell as much in a single sample, so that variances which
    count labels hold. Of 1,000 items 2 were labelled in the first round and 8 in the second; it is as many elsewhere:

    >>> strata, rounds = np.repeat([0, 1], 10), np.repeat([0, 1, 0, 1], [2, 8, 8, 2])
    >>> round_weights(strata, rounds, np.array([1000.0, 1000.0]))[[0, 9]].round(1).tolist()
    [1.6, 0.4]
    """
    counts = np.zeros((len(sizes), int(rounds.max(initial=0)) + 1))
    np.add.at(counts, (strata, rounds), 1)
    taken = np.maximum(counts, 1)
    shares = np.where(counts > 0, counts.sum(axis=0), 0)
    shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1)
    labels = np.maximum(counts.sum(axis=1), 1)
    left = np.maximum(1 - labels / np.maximum(sizes, labels), 0)
    growth = 1 - left + left * labels * (shares**2 / taken).sum(axis=1)
    # N^2 (1 - n/N)/n, growth times as large, is the same of the n that is found here.
    alike = 1 / (labels / np.maximum(sizes, labels) + left * growth)
    weights = (1 - left)[:, None] + left[:, None] * shares * labels[:, None] / taken
    return np.asarray((weights * alike[:, None])[strata, rounds], dtype=np.float64)
