"""Balanced replicates of labels in pairs: every replicate takes one label of each pair (McCarthy 1966).

A stratum of m labels is dealt at random into about m/2 pairs; where their number is odd, or there are more than about
1,000 pairs in all, a pair is of two groups of labels, and deviations shrink so that the variance is right on average.
A stratum of a single label is replicated together with its neighbour.

In a replicate a label stands for w (1 - c + c W_h / W_g) items if its half g is taken from pair h, for w (1 - c)
otherwise; w are the items it stands for in the estimate, W sums of w. c^2 = (1 - f) a, with f the share of the stratum
that is labelled and a = 2 / (m sum_g (1/m_g - 1/m)) for m labels in halves of m_g; 1 for equal halves, below 1
otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.replication.half_samples import half_samples
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.population import Counts, Floats

MOST_PAIRS: Final = 1_000
"""About so many pairs at most: with more labels their halves are of several labels."""


@dataclass(frozen=True)
class Replicates:
    """Items that every label stands for, in the estimate and in each of k replicates (k x labels).

    `strata` is the number of pairs, the degrees of freedom of Student's t. `scale` is what the squared deviations are
    to be multiplied with: 1/k.
    """

    weights: Floats
    replicated: Floats
    strata: int
    scale: float


def replicates_of_pairs(strata: StratifiedUnits, rng: np.random.Generator) -> Replicates | Undefined:
    """Deal the labels into pairs, and balance the replicates by half-samples; clusters are ignored."""
    if len(strata.of) == 0:
        return Undefined("no label")
    readable = strata.readable(2)
    if isinstance(readable, Undefined):
        return readable
    if not readable:
        return Replicates(strata.weights, strata.weights[None, :], 0, 0.0)
    rows, pairs, halves = _dealt(readable, rng)
    count = int(pairs.max()) + 1
    array = half_samples(count)
    w, places = strata.weights[rows], 2 * pairs + halves
    blown_up = np.bincount(pairs, weights=w)[pairs] / np.bincount(places, weights=w)[places]
    m, each = np.bincount(pairs), np.bincount(places).reshape(-1, 2)
    a = 2 / (m * ((1 / each).sum(axis=1) - 2 / m))
    c = np.sqrt((1 - 1 / w) * a[pairs])
    replicated = np.tile(strata.weights, (len(array), 1))
    replicated[:, rows] = w * (1 - c + c * blown_up * (array[:, pairs] == halves))
    return Replicates(strata.weights, replicated, count, 1 / len(array))


def _dealt(readable: Sequence[Counts], rng: np.random.Generator) -> tuple[Counts, Counts, Counts]:
    """Rows of labels, the pair of each, and its half of the pair."""
    pairs, halves, count = [], [], 0
    every = sum(map(len, readable))
    for labels in readable:
        order = rng.permutation(len(labels))[np.argsort(np.argsort(labels))]
        number = min(len(labels) // 2, max(1, len(labels) * MOST_PAIRS // every))
        pairs.append(count + order % number)
        halves.append((order // number) % 2)
        count += number
    return np.concatenate(readable), np.concatenate(pairs), np.concatenate(halves)
