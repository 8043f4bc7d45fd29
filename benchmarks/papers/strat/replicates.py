"""Balanced replicates of labels: in every replicate each stratum is represented by one of its n units (McCarthy 1966).

A stratum of n labels has n units of one label. One with more is first dealt at random into n groups, or (`split`) into
as many strata of n units as it has labels for. Groups of one size are what the method asks for; where the number of
labels is no multiple of n their sizes differ by one, and deviations shrink so that the variance is right on average.
Clusters are dealt as wholes. A stratum with too few units is replicated together with its neighbour.

In a replicate a label stands for w (1 - c + c W_h / W_g) items if its group g represents stratum h, for w (1 - c)
otherwise; w are the items it stands for in the estimate, W sums of w. c^2 = (1 - f)(1 - fay)^2 a, with f the share of
the stratum that is labelled (0 with clusters, as the variance is then about clusters to come) and a = n (n - 1) / (m
sum_g (1/m_g - 1/m)) for m units in groups of m_g; 1 for equal groups, below 1 otherwise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.replication.half_samples import half_samples
from stratawatch.core.estimation.replication.replicates import MOST_PAIRS, Replicates
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class ReplicationOptions:
    """How labels are to be replicated: n units a stratum; Fay's share that every label keeps in every replicate.

    Fay's variant (Judkins 1990) leaves no label out of any replicate, so that each has every rare positive. `split`
    deals a stratum of many labels into many strata of n units instead of n groups. `array` gives, for a number of
    strata, the unit (0 to n - 1) that each replicate takes from each; the default is for two units.
    """

    units: int = 2
    fay: float = 0.0
    split: bool = False
    array: Callable[[int], Counts] = half_samples

    def __post_init__(self) -> None:
        if not 0 <= self.fay < 1:
            raise StratawatchError("Fay's factor is out of range", expected="0 <= fay < 1", got=f"{self.fay:g}")


def make_replicates(
    strata: StratifiedUnits, how: ReplicationOptions, rng: np.random.Generator
) -> Replicates | Undefined:
    """Deal the labels into units, and balance the replicates by the array of the options."""
    if len(strata.of) == 0:
        return Undefined("no label")
    _no_crossing(strata)
    readable = strata.readable(how.units)
    if isinstance(readable, Undefined):
        return readable
    if not readable:
        return Replicates(strata.weights, strata.weights[None, :], 0, 0.0)
    rows, columns, groups = _dealt(readable, strata.units, how, rng)
    count = int(columns.max()) + 1
    array = how.array(count)
    w = strata.weights[rows]
    places = columns * how.units + groups
    blown_up = np.bincount(columns, weights=w)[columns] / np.bincount(places, weights=w)[places]
    c = _shrink(strata, how, rows, columns, places)
    replicated = np.tile(strata.weights, (len(array), 1))
    replicated[:, rows] = w * (1 - c + c * blown_up * (array[:, columns] == groups))
    scale = 1 / (len(array) * (how.units - 1) * (1 - how.fay) ** 2)
    return Replicates(strata.weights, replicated, count, scale)


def _dealt(
    readable: Sequence[Counts], units: Counts, how: ReplicationOptions, rng: np.random.Generator
) -> tuple[Counts, Counts, Counts]:
    """Rows of labels, the replicated stratum of each (a column of the array), and its group there."""
    columns, groups, count = [], [], 0
    every = sum(len(np.unique(units[labels])) for labels in readable)
    for labels in readable:
        different, place = np.unique(units[labels], return_inverse=True)
        order = rng.permutation(len(different))[place]
        most = max(1, len(different) * MOST_PAIRS // every)
        parts = min(len(different) // how.units, most) if how.split else 1
        columns.append(count + order % parts)
        groups.append((order // parts) % how.units)
        count += parts
    return np.concatenate(readable), np.concatenate(columns), np.concatenate(groups)


def _shrink(strata: StratifiedUnits, how: ReplicationOptions, rows: Counts, columns: Counts, places: Counts) -> Floats:
    """The c of the module's formula, for every label."""
    n = how.units
    first = np.unique(strata.units[rows], return_index=True)[1]
    m, each = np.bincount(columns[first]), np.bincount(places[first]).reshape(-1, n)
    a = n * (n - 1) / (m * ((1 / each).sum(axis=1) - n / m))
    left = 1.0 if strata.clusters is not None else 1 - 1 / strata.weights[rows]
    return np.asarray((1 - how.fay) * np.sqrt(left * a[columns]), dtype=np.float64)


def _no_crossing(strata: StratifiedUnits) -> None:
    if strata.clusters is None:
        return
    pairs = np.unique(np.stack([strata.units, strata.of]), axis=1)
    crossing = np.flatnonzero(np.bincount(pairs[0]) > 1)
    if crossing.size:
        raise StratawatchError(
            f"{crossing.size} clusters have labels in several strata",
            expected="every cluster inside one stratum, for balanced replicates",
            hint="use the linearised variance with clusters, which adds them up across strata",
        )
