"""Algorithm 1, RecycleSamplesForPrecision: a child's sequence of draws, made of its parent's as far as it goes."""

from collections.abc import Callable
from dataclasses import dataclass
from math import floor

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Counts
from stratawatch.literature.tripathi.mixing import UNIFORM_SHUFFLE, mixing_named
from stratawatch.literature.tripathi.pattern_sizes import Overlap

DrawMore = Callable[[bool, int], Counts]
"""(outside, k) -> ids of k new draws with replacement, from A_C - A_P if `outside`, else from all of A_C."""


@dataclass(frozen=True)
class RecycledSequence:
    """S_C, and how it came about: |S+|, |S-| and |S_remain| before anything was cut.

    `saved` counts the places that cost no label (Lemma 3): all of S+, or what the cut left of it.
    """

    sequence: Counts
    recycled: int
    outside: int
    remaining: int
    saved: int


def recycle_samples_for_precision(
    parent: Counts,
    in_child: Flags,
    overlap: Overlap,
    length: int,
    draw_more: DrawMore,
    rng: np.random.Generator,
    mixing_name: str = UNIFORM_SHUFFLE,
) -> RecycledSequence:
    """S_C of `length` draws from A_C, out of S_P (`parent`, with repeats) and of `in_child`, which of it lie in A_C.

    S+ = S_P in A_C; |S-| = |A_C - A_P| |S+|/|A_P and A_C| from A_C - A_P, rounded at random so that its expectation
    is right; S_remain = what is short of `length`, from A_C; S_C = Mix(S+ + S-) + S_remain, cut to `length`.
    Without an overlap S- is empty and S_remain is everything.
    """
    recycled = parent[in_child]
    due = overlap.outside * len(recycled) / overlap.both if overlap.both else 0.0
    outside = floor(due) + int(rng.random() < due - floor(due))
    both = np.concatenate([recycled, draw_more(True, outside)])
    places = mixing_named(mixing_name)(len(both), rng)[:length]
    remaining = max(0, length - len(both))
    sequence = np.concatenate([both[places], draw_more(False, remaining)])
    saved = len(recycled) if len(both) <= length else int((places < len(recycled)).sum())
    return RecycledSequence(sequence, len(recycled), outside, remaining, saved)
