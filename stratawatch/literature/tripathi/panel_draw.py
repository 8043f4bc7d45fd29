"""What to label for a whole panel: Algorithm 1 with one parent, determined to the last item before any label.

The population is not needed, only the size of every pattern. A draw with replacement from a pattern is a random place
in it; each new place stands for the pattern's next item in the order of permanent random numbers, which is as good as
any other order. So the items that a pattern gives are those with its smallest random numbers.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Counts
from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.mixing import UNIFORM_SHUFFLE
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns
from stratawatch.literature.tripathi.recycling import RecycledSequence, recycle_samples_for_precision


@dataclass(frozen=True)
class PanelDraw:
    """The sequence of every classifier, as ids of draws; ids count up from the parent's first draw.

    `cells` is the pattern and `items` the number of the item that each draw hit. Items are numbered by pattern, and in
    a pattern by permanent random number. -1: the draw is in no sequence, and its item gets no label.
    """

    patterns: CallPatterns
    parent: int
    mixing: str
    sequences: tuple[RecycledSequence, ...]
    cells: Counts
    items: Counts

    @cached_property
    def totals(self) -> Counts:
        """Items of each pattern to label: those with the smallest permanent random numbers."""
        drawn = self.items >= 0
        cells = np.zeros(int(self.items.max(initial=-1)) + 1, dtype=np.int64)
        cells[self.items[drawn]] = self.cells[drawn]
        return np.bincount(cells, minlength=len(self.patterns.names)).astype(np.int64)

    @property
    def labels(self) -> int:
        """Distinct items of all sequences together."""
        return int(self.totals.sum())

    def items_of(self, classifier: int) -> Counts:
        """S_C as numbers of items, with repeats."""
        return np.asarray(self.items[self.sequences[classifier].sequence], dtype=np.int64)


def draw_panel(
    patterns: CallPatterns, lengths: Counts, parent: int, rng: np.random.Generator, mixing: str = UNIFORM_SHUFFLE
) -> PanelDraw:
    """S_P of `lengths[parent]` draws from A_P, then Algorithm 1 for every other classifier, each from S_P.

    The same sizes and the same state of `rng` give the same draw, so it need not be kept. A classifier that calls
    nothing positive gets an empty sequence; the parent calls something positive.
    """
    if len(lengths) != patterns.classifiers or bool((lengths < 0).any()):
        raise StratawatchError(
            "each classifier needs its number of draws", expected=f"{patterns.classifiers} numbers from 0 up"
        )
    sampler = _PatternSampler(patterns, rng)
    first = sampler.draw(patterns.positive[:, parent], int(lengths[parent]))
    sequences = [
        RecycledSequence(first, 0, 0, len(first), 0)
        if child == parent
        else _child_sequence(sampler, first, parent, child, length, mixing)
        for child, length in enumerate(np.where(patterns.called_positive > 0, lengths, 0).tolist())
    ]
    cells, items = sampler.numbered(np.concatenate([part.sequence for part in sequences]))
    return PanelDraw(patterns, parent, mixing, tuple(sequences), cells, items)


class _PatternSampler:
    """Draws with replacement; ids count up. An item is a place in the population sorted by pattern."""

    def __init__(self, patterns: CallPatterns, rng: np.random.Generator) -> None:
        self.patterns, self.rng = patterns, rng
        self.starts = np.cumsum(patterns.sizes) - patterns.sizes
        self.places = np.zeros(0, dtype=np.int64)

    def draw(self, cells: Flags, count: int) -> Counts:
        """The ids of so many draws from the items of these patterns together."""
        if count == 0:
            return np.zeros(0, dtype=np.int64)
        ends = np.cumsum(np.where(cells, self.patterns.sizes, 0))
        at = self.rng.integers(ends[-1], size=count)
        cell = np.searchsorted(ends, at, side="right")
        before = ends[cell] - self.patterns.sizes[cell]
        self.places = np.concatenate([self.places, self.starts[cell] + at - before])
        return np.arange(len(self.places) - count, len(self.places), dtype=np.int64)

    def cells_of(self, draws: Counts) -> Counts:
        """The pattern of each draw."""
        return np.searchsorted(self.starts + self.patterns.sizes, self.places[draws], side="right").astype(np.int64)

    def numbered(self, used: Counts) -> tuple[Counts, Counts]:
        """The pattern of each draw, and the number of its item among those of the draws that are used."""
        cells = self.cells_of(np.arange(len(self.places)))
        is_used = np.zeros(len(self.places), dtype=np.bool_)
        is_used[used] = True
        # Sorted by place, so by pattern; within a pattern any order is as good, as places are random.
        _, number = np.unique(self.places[is_used], return_inverse=True)
        items = np.full(len(self.places), -1, dtype=np.int64)
        items[is_used] = number
        return cells, items


def _child_sequence(
    sampler: _PatternSampler, first: Counts, parent: int, child: int, length: int, mixing: str
) -> RecycledSequence:
    """Algorithm 1 for one child."""
    patterns = sampler.patterns
    positive = patterns.positive[:, child]
    outside_parent = positive & ~patterns.positive[:, parent]

    def draw_more(outside: bool, count: int) -> Counts:
        return sampler.draw(outside_parent if outside else positive, count)

    in_child = positive[sampler.cells_of(first)] if length else np.zeros(len(first), dtype=np.bool_)
    overlap = patterns.overlap(parent, child)
    return recycle_samples_for_precision(first, in_child, overlap, length, draw_more, sampler.rng, mixing)
