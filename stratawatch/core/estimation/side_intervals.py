"""Sides read at a confidence: the small-count intervals of their shares, computed once for all metrics."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from stratawatch.core.estimation.ff_mid import ff_mid
from stratawatch.core.estimation.mover import Ends
from stratawatch.core.estimation.sides import A, B, Sides
from stratawatch.core.population import Floats

_BLEND: Final = (1.0, 5.0)


@dataclass(frozen=True)
class Reading:
    """The sides, and how sure their intervals are to be."""

    sides: Sides
    confidence: float

    @cached_property
    def share(self) -> Floats:
        """The share of positives on each side."""
        return np.minimum(np.maximum(self.sides.totals / self._scale, 0), 1)

    @cached_property
    def variance(self) -> Floats:
        """V of those shares."""
        one, none = np.ones(()), np.zeros(())
        totals = np.stack([self.sides.variance(one, none), self.sides.variance(none, one)], axis=-1)
        return np.asarray(totals / self._scale**2, dtype=np.float64)

    @cached_property
    def _scale(self) -> Floats:
        return np.maximum(self.sides.sizes, 1)

    @cached_property
    def _shares(self) -> Ends:
        """FF/MID intervals of the shares; ends never deny what was observed.

        Where no label was a positive (a negative) the share may be 0 (1), whatever the working model made of it.
        """
        sides, scale, share = self.sides, self._scale, self.share
        low, high = share_interval(share, self.variance, sides.weights / scale, self.confidence)
        low = np.where(sides.yes <= 0, 0.0, low)
        high = np.where(sides.yes >= sides.labels, 1.0, high)
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

    @property
    def positives(self) -> Ends:
        """Of the share of positives among all items that were judged."""
        return Ends(self._judged.low[..., 0], self._judged.high[..., 0])

    @property
    def right(self) -> Ends:
        """Of the share of right calls among all items that were judged."""
        return Ends(self._judged.low[..., 1], self._judged.high[..., 1])

    @cached_property
    def _judged(self) -> Ends:
        """FF/MID intervals of shares that both sides make: a yes on B is a positive more, but a right call less."""
        sides, one = self.sides, np.ones(())
        scale = np.maximum(sides.sizes.sum(axis=-1), 1)[..., None]
        tp, fn = sides.totals[..., A], sides.totals[..., B]
        totals = np.stack([tp + fn, tp + sides.sizes[..., B] - fn], axis=-1)
        variance = np.stack([sides.variance(one, one), sides.variance(one, -one)], axis=-1)
        weights = np.broadcast_to(sides.joint_weights[..., None], totals.shape)
        share = np.minimum(np.maximum(totals / scale, 0), 1)
        return share_interval(share, variance / scale**2, weights / scale, self.confidence)


def share_interval(share: Floats, variance: Floats, weight: Floats, confidence: float) -> Ends:
    """FF/MID over arrays of any shape, MID from five events on: V is never smaller than the smoothed variance."""
    low, high = ff_mid(share.ravel(), variance.ravel(), weight.ravel(), confidence, _BLEND)
    return Ends(low.reshape(share.shape), high.reshape(share.shape))


def mirrored(ends: Ends, size: Floats | float = 1.0) -> Ends:
    """Of what is left of a size."""
    return Ends(np.asarray(size - ends.high), np.asarray(size - ends.low))
