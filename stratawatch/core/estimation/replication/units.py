"""Labels as sampling units of strata: a row a label, and the sizes of the strata."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class StratifiedUnits:
    """The stratum of every label (0 to H - 1), the sizes N_h of all H strata, and the cluster of every label, if any.

    Neighbouring strata are alike: one with too few units is pooled with its neighbour.
    """

    of: Counts
    sizes: Floats
    clusters: Counts | None = None

    def __post_init__(self) -> None:
        if self.of.size and not 0 <= int(self.of.min()) <= int(self.of.max()) < len(self.sizes):
            raise StratawatchError("a label lies in a stratum that has no size", expected=f"0 to {len(self.sizes) - 1}")
        if bool((self.answers > self.sizes).any()):
            worst = int(np.argmax(self.answers - self.sizes))
            raise StratawatchError(
                f"stratum {worst} has more labels than items",
                expected=f"at most {self.sizes[worst]:,.0f}",
                got=f"{self.answers[worst]:,.0f}",
            )
        if self.clusters is not None and self.clusters.shape != self.of.shape:
            raise StratawatchError("clusters and strata are not of the same labels")

    @cached_property
    def answers(self) -> Floats:
        """The labels n_h of every stratum."""
        return np.bincount(self.of, minlength=len(self.sizes)).astype(np.float64)

    @cached_property
    def weights(self) -> Floats:
        """The items that every label stands for: N_h / n_h, a stratum without a label joined to the next that has one.

        >>> StratifiedUnits(np.array([0, 0, 2]), np.array([10.0, 6.0, 4.0])).weights.tolist()
        [5.0, 5.0, 10.0]
        """
        sizes = np.bincount(_homes(self.answers), weights=self.sizes, minlength=len(self.sizes))
        return np.asarray((sizes / np.maximum(self.answers, 1))[self.of], dtype=np.float64)

    @cached_property
    def exhausted(self) -> Flags:
        """Labels of strata that were labelled wholly, which add no variance.

        With clusters there are none: the variance is then about clusters to come.
        """
        return np.asarray((self.weights <= 1) & (self.clusters is None), dtype=np.bool_)

    @cached_property
    def units(self) -> Counts:
        """The primary sampling unit of every label: its cluster, else (or if that is negative) itself."""
        alone = np.arange(len(self.of), dtype=np.int64)
        if self.clusters is None:
            return alone
        own = int(self.clusters.max(initial=0)) + 1 + alone
        return np.unique(np.where(self.clusters < 0, own, self.clusters), return_inverse=True)[1].astype(np.int64)

    def readable(self, units: int) -> list[Counts] | Undefined:
        """Rows of labels by stratum, each with at least so many units; exhausted strata are left out.

        A stratum with fewer is pooled with the next, the last with the one before.

        >>> made = StratifiedUnits(np.array([0, 1, 1, 1, 2]), np.array([9.0, 9.0, 9.0]))
        >>> [rows.tolist() for rows in made.readable(2)]
        [[0, 1, 2, 3, 4]]
        """
        rows = np.flatnonzero(~self.exhausted)
        rows = rows[np.argsort(self.of[rows], kind="stable")]
        found: list[Counts] = []
        waiting = rows[:0]
        for stratum in np.split(rows, np.flatnonzero(np.diff(self.of[rows])) + 1) if rows.size else []:
            waiting = np.concatenate([waiting, stratum])
            if len(np.unique(self.units[waiting])) >= units:
                found.append(waiting)
                waiting = rows[:0]
        if waiting.size and not found:
            return Undefined(f"labels of fewer than {units} units say nothing about their own spread")
        if waiting.size:
            found[-1] = np.concatenate([found[-1], waiting])
        return found


def _homes(answers: Floats) -> Counts:
    """The stratum that each is estimated with: itself, else the next that has a label, else the last that has one."""
    served = np.flatnonzero(answers > 0)
    if served.size == 0:
        return np.arange(len(answers), dtype=np.int64)
    place = np.minimum(np.searchsorted(served, np.arange(len(answers))), served.size - 1)
    return np.asarray(served[place], dtype=np.int64)
