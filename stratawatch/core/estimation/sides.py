"""The two sides of a classifier: the items it calls positive (A) and those it calls negative (B), as estimated."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.intervals import ff_mid
from stratawatch.core.population import Floats


@dataclass(frozen=True)
class Tally:
    """What is known of every cell: its items, the answers among them, the yes answers, and a smoothed variance.

    `smooth` is the variance of one item's label that the working model and the answers suggest together;
    `stands_for` is the number of items that one label of the cell speaks for, at most.
    """

    sizes: Floats
    answered: Floats
    yes: Floats
    smooth: Floats
    stands_for: Floats


@dataclass(frozen=True)
class Moments:
    """Columns, one row a side: theta, V, w and what they rest on."""

    size: Floats
    share: Floats
    variance: Floats
    weight: Floats
    answered: Floats
    yes: Floats
    unseen: Floats


@dataclass(frozen=True)
class Side:
    """A union of cells: its items, the share of positives with its interval, and what that rests on.

    `unseen` counts items of cells without any answer; they enter as half positive, give or take all of them.
    """

    size: float
    share: float
    low: float
    high: float
    variance: float
    labels: int
    yes: float
    unseen: float

    @property
    def total(self) -> float:
        """Estimated positives among the side's items."""
        return self.size * self.share


def moments(tally: Tally, members: Flags) -> Moments:
    """The moments of every row of `members` (sides x cells), by the formulas of stratified draws.

    theta = sum W_k h_k/n_k, V = sum W_k^2 s_k^2 f_k/n_k, w = max W_k sqrt(f_k)/n_k (a label of a segment stands
    for no more items than any label of its atom does: a rare segment's luck in the draw is not a heavier label);
    f_k = (N_k - n_k)/(N_k - 1), W_k = N_k over the side's size, and s_k^2 the larger of p (1 - p) and the smoothed
    variance. A cell without an answer counts as N_k/2 with the variance N_k^2/4.
    """
    inside = members.astype(np.float64)
    seen, answered = tally.answered > 0, np.maximum(tally.answered, 1)
    p = np.where(seen, tally.yes / answered, 0.5)
    finite = np.maximum(tally.sizes - tally.answered, 0) / np.maximum(tally.sizes - 1, 1)
    spread = np.where(seen, np.maximum(p * (1 - p), tally.smooth) * finite / answered, 0.25)
    heaviest = np.minimum(tally.sizes, tally.stands_for) * np.sqrt(finite)
    size = inside @ tally.sizes
    scale = np.maximum(size, 1)
    return Moments(
        size=size,
        share=np.clip(inside @ (tally.sizes * p) / scale, 0, 1),
        variance=inside @ (tally.sizes**2 * spread) / scale**2,
        weight=(inside * heaviest).max(axis=1, initial=0.0) / scale,
        answered=inside @ tally.answered,
        yes=inside @ tally.yes,
        unseen=inside @ np.where(seen, 0.0, tally.sizes),
    )


def sides(rows: Sequence[Moments], confidence: float) -> list[Side]:
    """The sides with their intervals, all of them in one computation; ends never deny what was observed."""
    size, share, variance, weight, answered, yes, unseen = (
        np.concatenate([getattr(row, name) for row in rows])
        for name in ("size", "share", "variance", "weight", "answered", "yes", "unseen")
    )
    low, high = ff_mid(share, variance, weight, confidence)
    scale = np.maximum(size, 1)
    low = np.minimum(np.maximum(low, yes / scale), share)
    high = np.maximum(np.minimum(high, 1 - (answered - yes) / scale), share)
    columns = (size, share, low, high, variance, answered, yes, unseen)
    return [
        Side(size=n, share=t, low=a, high=b, variance=v, labels=round(k), yes=h, unseen=u)
        for n, t, a, b, v, k, h, u in zip(*(column.tolist() for column in columns), strict=True)
    ]
