"""Worlds that stand still, and losses of one classifier in them."""

from typing import Final, Literal

import numpy as np

from benchmarks.labels.kinds import Kind
from benchmarks.labels.worlds import Flags, Floats, Integers, Items, World

Loss = Literal["precision", "recall", "both"]
LOSSES: Final[tuple[Loss, ...]] = ("precision", "recall", "both")
MOST_WEEKS: Final = 1_000


class StillWorld(World):
    """A world whose drift stops with week 1: every later week is another draw of the same."""

    def __init__(self, kind: Kind, seed: int, items: int) -> None:
        super().__init__(kind, seed, items)
        self._walk, self._shift = (np.tile(drift[1], (MOST_WEEKS, 1)) for drift in (self._walk, self._shift))

    def prevalence(self, number: int) -> float:
        """That of week 1 from then on."""
        return super().prevalence(min(number, 1))


def with_loss(items: Items, place: int, what: Loss, points: float, rng: np.random.Generator) -> Items:
    """The items after a classifier has lost so much; the others keep their calls.

    *precision*: negatives get called with chance in proportion to their score, until precision is lower by it.
    *recall*: calls vanish at random, right and wrong ones alike. *both*: as many true calls are swapped for false ones.
    """
    calls, truth = items.calls[:, place], items.truth
    flags, hits, positives = int(calls.sum()), int((calls & truth).sum()), int(truth.sum())
    if what == "precision":
        more = round(hits / (hits / flags - points)) - flags
        return _called(items, place, _by_score(items, ~calls & ~truth, more, rng), to=True)
    if what == "recall":
        gone = rng.choice(np.flatnonzero(calls), round(flags * points / (hits / positives)), replace=False)
        return _called(items, place, gone, to=False)
    swapped = round(flags * points)
    without = _called(items, place, rng.choice(np.flatnonzero(calls & truth), swapped, replace=False), to=False)
    return _called(without, place, _by_score(items, ~calls & ~truth, swapped, rng), to=True)


def _by_score(items: Items, among: Flags, number: int, rng: np.random.Generator) -> Integers:
    rows = np.flatnonzero(among)
    weights: Floats = items.z[rows] / items.z[rows].sum()
    return np.asarray(rng.choice(rows, number, replace=False, p=weights), dtype=np.int64)


def _called(items: Items, place: int, rows: Integers, *, to: bool) -> Items:
    calls = items.calls.copy()
    calls[rows, place] = to
    return Items(calls, items.z, items.truth, items.posterior)
