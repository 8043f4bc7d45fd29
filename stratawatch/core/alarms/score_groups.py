"""What a classifier's own score says of items, group by group: how many have such a score, and how many are positive.

Groups hold about as many labels each, so that each can be told about as well. The share of positives in a group is a
ratio of two sums over labels with the weights of their strata, and its interval that of a precision: as of a classifier
that flags what has such a score (see `cut_offs`). Scores are on the scale of a probability.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from stratawatch.core.alarms.moved import ValueInterval
from stratawatch.core.alarms.scored_labels import ScoredLabels, ScoredWindow
from stratawatch.core.cells import Flags
from stratawatch.core.estimation.blended_ends import blended_ends
from stratawatch.core.population import NO_BIN
from stratawatch.core.score_bins import own_bin_foot

MOST_GROUPS: Final = 8
FEWEST_LABELS: Final = 10
"""Of a group of which less is known nothing is told."""


@dataclass(frozen=True)
class GroupReading:
    """A group in some windows: its share of the items that have a score, and the share of positives among its own."""

    share: float
    positives: ValueInterval | None
    labels: int


@dataclass(frozen=True)
class ScoreGroup:
    """Items whose score lies from `low` to below `high`, in windows before and in those now."""

    low: float
    high: float
    before: GroupReading
    now: GroupReading


def score_groups(
    before: Sequence[ScoredWindow], now: Sequence[ScoredWindow], classifier: str, *, confidence: float = 0.95
) -> tuple[ScoreGroup, ...]:
    """The groups of a classifier's scores, lowest first; empty where fewer than two can be told apart."""
    sides = [[ScoredLabels.of(one, classifier) for one in windows] for windows in (before, now)]
    bins = np.concatenate([one.bins[one.bins != NO_BIN] for side in sides for one in side] or [np.zeros(0, int)])
    if not bins.size or not all(sides):
        return ()
    cuts = np.unique(np.quantile(bins, np.arange(1, MOST_GROUPS) / MOST_GROUPS, method="higher"))
    feet = [int(one) for one in cuts if one > bins.min()]
    edges = [0, *feet, None]
    if len(edges) < 3:
        return ()
    return tuple(
        ScoreGroup(
            own_bin_foot(low or 0),
            1.0 if high is None else own_bin_foot(high),
            *(_reading(side, low or 0, high, confidence) for side in sides),
        )
        for low, high in pairwise(edges)
    )


def _reading(windows: Sequence[ScoredLabels], low: int, high: int | None, confidence: float) -> GroupReading:
    inside = [_inside(one, low, high) for one in windows]
    scored = sum(float(one.weights @ (one.bins != NO_BIN)) for one in windows)
    size = sum(float(one.weights @ flags) for one, flags in zip(windows, inside, strict=True))
    labels = sum(int(flags.sum()) for flags in inside)
    share = size / scored if scored else 0.0
    if labels < FEWEST_LABELS or size == 0:
        return GroupReading(share, None, labels)
    pairs = list(zip(windows, (flags / size for flags in inside), strict=True))
    positive = sum(float((one.weights * part) @ one.table.yes) for one, part in pairs)
    variance = sum(one.variance(part, 0.0, positive) for one, part in pairs)
    heaviest = max(one.heaviest(flags.astype(np.float64)) for one, flags in zip(windows, inside, strict=True)) / size
    value = np.clip(positive, 0, 1)
    ends = blended_ends(value[None], np.array([variance]), np.array([heaviest]), confidence)
    return GroupReading(share, ValueInterval(float(value), float(ends.low[0]), float(ends.high[0])), labels)


def _inside(one: ScoredLabels, low: int, high: int | None) -> Flags:
    there = (one.bins != NO_BIN) & (one.bins >= low)
    return np.asarray(there if high is None else there & (one.bins < high))
