"""Sides read at a confidence: the small-count intervals of their shares, computed once for all metrics."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratawatch.core.estimation.intervals import ff_mid
from stratawatch.core.estimation.mover import Ends
from stratawatch.core.estimation.sides import A, B, Sides
from stratawatch.core.population import Floats


@dataclass(frozen=True)
class Reading:
    """The sides, and how sure their intervals are to be."""

    sides: Sides
    confidence: float

    @cached_property
    def _shares(self) -> Ends:
        """FF/MID intervals of the share of positives on A and on B; ends never deny what was observed."""
        sides, one, none = self.sides, np.ones(()), np.zeros(())
        scale = np.maximum(sides.sizes, 1)
        variance = np.stack([sides.variance(one, none), sides.variance(none, one)], axis=-1) / scale**2
        share = np.clip(sides.totals / scale, 0, 1)
        low, high = share_interval(share, variance, sides.weights / scale, self.confidence)
        low = np.minimum(np.maximum(low, sides.yes / scale), share)
        return Ends(low, np.maximum(np.minimum(high, 1 - (sides.labels - sides.yes) / scale), share))

    @property
    def called(self) -> Ends:
        """Of the share of positives among the items called positive."""
        return Ends(self._shares.low[..., A], self._shares.high[..., A])

    @property
    def passed(self) -> Ends:
        """Of the share of positives among the items called negative."""
        return Ends(self._shares.low[..., B], self._shares.high[..., B])

    @property
    def tp(self) -> Ends:
        """Of the positives among the items called positive."""
        size = self.sides.sizes[..., A]
        return Ends(size * self.called.low, size * self.called.high)

    @property
    def fn(self) -> Ends:
        """Of the positives among the items called negative."""
        size = self.sides.sizes[..., B]
        return Ends(size * self.passed.low, size * self.passed.high)

    def judged(self, share: Floats, variance: Floats) -> Ends:
        """FF/MID interval of a share of all items that were judged."""
        scale = np.maximum(self.sides.sizes.sum(axis=-1), 1)
        return share_interval(share, variance, self.sides.joint_weights / scale, self.confidence)


def share_interval(share: Floats, variance: Floats, weight: Floats, confidence: float) -> Ends:
    """FF/MID over arrays of any shape."""
    low, high = ff_mid(share.ravel(), variance.ravel(), weight.ravel(), confidence)
    return Ends(low.reshape(share.shape), high.reshape(share.shape))


def mirrored(ends: Ends, size: Floats | float = 1.0) -> Ends:
    """Of what is left of a size."""
    return Ends(np.asarray(size - ends.high), np.asarray(size - ends.low))
