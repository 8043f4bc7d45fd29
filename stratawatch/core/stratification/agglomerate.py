"""Merge cells into fewer groups where the goals lose least by it."""

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final

import numpy as np

from stratawatch.core.population import Counts, Floats

# Groups that are compared pair by pair; more cells than that are grouped from above first.
_MOST: Final = 200
_POWER_STEPS: Final = 12


@dataclass(frozen=True)
class Moments:
    """Cells by the vector x of what an item's label does to every goal: how many items, sum |x|^2, sum x.

    `sums` has a column a goal. The moments of a union are the sums of its parts'.
    """

    sizes: Floats
    squares: Floats
    sums: Floats

    @property
    def spread(self) -> Floats:
        """Q = sqrt(N sum |x|^2 - |sum x|^2), N times the standard deviation of x: what Neyman's allocation pays for."""
        return _root(self.sizes * self.squares - (self.sums**2).sum(axis=1))

    def of(self, rows: Counts) -> "Moments":
        """The moments of some of the cells."""
        return Moments(self.sizes[rows], self.squares[rows], self.sums[rows])

    def cumulated(self) -> "Moments":
        """The moments of the first cell, of the first two together, and so on."""
        return Moments(self.sizes.cumsum(), self.squares.cumsum(), self.sums.cumsum(axis=0))

    def pooled(self, group: Counts) -> "Moments":
        """The moments of groups of cells."""
        count = int(group.max(initial=-1)) + 1
        sums = np.zeros((count, self.sums.shape[1]))
        np.add.at(sums, group, self.sums)
        by_group = np.zeros((2, count))
        np.add.at(by_group.T, group, np.stack([self.sizes, self.squares], axis=1))
        return Moments(by_group[0], by_group[1], sums)


@dataclass(frozen=True)
class InitialGroups:
    """Groups few enough to be compared pair by pair, which do not depend on how many strata there will be."""

    group: Counts
    pooled: Moments

    @classmethod
    def of(cls, moments: Moments) -> "InitialGroups":
        """Cells as groups of one; more than 200 cells are joined to 200 groups first."""
        group = _halved(moments, _MOST)
        return cls(group, moments.pooled(group))

    def merged(self, most_groups: int, least: float) -> Counts:
        """The group of every cell, numbered by first cells: at most `most_groups` groups of at least `least` items.

        Greedy: while there are too many, the pair of least Q_merged - Q_1 - Q_2 becomes one; groups that are too small
        go first. One that is too small is left only when it is the only one. Cells without any effect, that no goal
        needs, are one group whatever the number: each would cost labels of its own.

        >>> sums = np.array([[1.0], [9.0], [1.1]])
        >>> InitialGroups.of(Moments(np.full(3, 10.0), sums[:, 0], sums)).merged(2, least=1).tolist()
        [0, 1, 0]
        """
        if self.group.size == 0:
            return self.group
        pairs = _Pairs(self.pooled)
        if self.pooled.squares.any():
            pairs.unite(np.flatnonzero(self.pooled.squares == 0))
        while pairs.left > 1:
            # Q_h is what a stratum costs under Neyman's allocation: V = (sum_h Q_h)^2 / n. Joining two never lowers the
            # sum, so the pair that raises it least loses least, and no pair has to be looked at twice: a join changes
            # one row and one column of the losses.
            small = np.flatnonzero(pairs.alive & (pairs.sizes < least))
            if pairs.left <= most_groups and small.size == 0:
                break
            pairs.join(int(small[0]) if small.size else pairs.cheapest())
        return renumbered_groups(pairs.home[self.group])


class _Pairs:
    """Groups, and what it would cost to join any two of them; a joined group lives on in its first part's place."""

    def __init__(self, moments: Moments) -> None:
        self.left = len(moments.sizes)
        self.home = np.arange(self.left)
        self.alive = np.ones(self.left, dtype=np.bool_)
        self.sizes, self._squares = moments.sizes.copy(), moments.squares.copy()
        # Sums are only ever multiplied with one another: their products add up as they do.
        self._products = moments.sums @ moments.sums.T
        self._spread = moments.spread
        self._loss = np.stack([self._losses(one) for one in range(self.left)])

    def cheapest(self) -> int:
        """A group that loses least by joining another."""
        return int(self._loss.argmin()) // len(self.home)

    def unite(self, many: Counts) -> None:
        """Make one of several groups."""
        for other in many[1:].tolist():
            self._join(int(many[0]), other)

    def join(self, one: int) -> None:
        """Join a group with the one that it loses least with."""
        other = int(self._loss[one].argmin())
        self._join(min(one, other), max(one, other))

    def _join(self, one: int, other: int) -> None:
        for values in (self.sizes, self._squares, self._products, self._products.T):
            values[one] += values[other]
        self.home[self.home == other] = one
        self.alive[other] = False
        self.left -= 1
        self._spread[one] = _root(self.sizes[one] * self._squares[one] - self._products[one, one])
        losses = self._losses(one)
        self._loss[one], self._loss[:, one] = losses, losses
        self._loss[other], self._loss[:, other] = np.inf, np.inf

    def _losses(self, one: int) -> Floats:
        """Q_merged - Q_1 - Q_2 of a group with every other; infinite with itself and with those that are gone."""
        sizes, squares = self.sizes[one] + self.sizes, self._squares[one] + self._squares
        lengths = self._products[one, one] + self._products.diagonal() + 2 * self._products[one]
        losses: Floats = _root(sizes * squares - lengths) - self._spread[one] - self._spread
        losses[~self.alive] = np.inf
        losses[one] = np.inf
        return losses


def _halved(moments: Moments, most: int) -> Counts:
    """At most so many groups, from above: the one that loses most by being one is cut in two where that helps most."""
    group = np.zeros(len(moments.sizes), dtype=np.int64)
    if len(group) <= most:
        return np.arange(len(group))
    heap = [(_excess(moments), 0, np.arange(len(group)))]
    for number in range(1, most):
        _, first, rows = heappop(heap)
        order, place = _best_cut(moments.of(rows))
        kept, new = np.sort(rows[order[:place]]), np.sort(rows[order[place:]])
        group[new] = number
        heappush(heap, (_excess(moments.of(kept)), first, kept))
        heappush(heap, (_excess(moments.of(new)), number, new))
    return group


def _excess(moments: Moments) -> float:
    """Minus what a group of cells loses by being one; a single cell comes last."""
    if len(moments.sizes) == 1:
        return np.inf
    whole = moments.cumulated()
    return float(moments.spread.sum() - whole.spread[-1])


def _best_cut(moments: Moments) -> tuple[Counts, int]:
    """An order of the cells along their main direction, and the place in it where two parts have the least Q."""
    order = np.argsort(_main_direction(moments), kind="stable")
    before = moments.of(order).cumulated()
    after = Moments(before.sizes[-1] - before.sizes, before.squares[-1] - before.squares, before.sums[-1] - before.sums)
    return order, int((before.spread + after.spread)[:-1].argmin()) + 1


def _main_direction(moments: Moments) -> Floats:
    """The cells on the first principal axis of their mean vectors and standard deviations, by power iteration."""
    features = np.column_stack([moments.sums, moments.spread]) / moments.sizes[:, None]
    centred = features - moments.sizes @ features / moments.sizes.sum()
    products = centred.T @ (centred * moments.sizes[:, None])
    axis = products[int(products.diagonal().argmax())].copy()
    for _ in range(_POWER_STEPS):
        axis = products @ axis
        axis /= max(float(np.abs(axis).max()), 1e-300)
    return np.asarray(centred @ axis, dtype=np.float64)


def renumbered_groups(group: Counts) -> Counts:
    """Group numbers from 0 on, in the order of the groups' first cells."""
    _, first, inverse = np.unique(group, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse], dtype=np.int64)


def _root(squared: Floats) -> Floats:
    return np.asarray(np.sqrt(np.maximum(squared, 0)), dtype=np.float64)
