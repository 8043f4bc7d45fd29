"""The two sides of a classifier: the items it calls positive (A) and those it calls negative (B), as estimated."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from stratawatch.core.metrics import A, B, SideTotals
from stratawatch.core.population import Floats


@dataclass(frozen=True)
class Sides:
    """Arrays whose axes are what is read at once (segments, runs, plans), the classifiers, and last A and B.

    `sizes` are the items, `totals` the estimated positives among them, `labels` and `yes` what that rests on; `weights`
    the most items that one label stands for, `unseen` the items of strata without any answer, which enter as half
    positive, give or take all of them. `raw` and `smooth` are estimated (co)variances of the totals: of A, of A with B,
    of B; `unsampled` the variance of each side's parts that no label fell into. `joint_weights` are the weights of
    both sides taken together, one a classifier; `unmet` are the weights again where only these labels speak for a
    stratum, and 0 where a history foretold it: there no positive met is no surprise.
    """

    sizes: Floats
    totals: Floats
    labels: Floats
    yes: Floats
    weights: Floats
    unseen: Floats
    raw: Floats
    smooth: Floats
    unsampled: Floats
    joint_weights: Floats
    unmet: Floats

    @classmethod
    def stack(cls, parts: Sequence["Sides"]) -> "Sides":
        """Many read as one, along a new first axis."""
        return cls(**{field.name: np.stack([getattr(part, field.name) for part in parts]) for field in fields(cls)})

    def at(self, place: tuple[int | slice, ...]) -> "Sides":
        """Those at a place of the leading axes."""
        return Sides(**{field.name: getattr(self, field.name)[place] for field in fields(self)})

    @cached_property
    def table(self) -> SideTotals:
        """The estimated counts."""
        return SideTotals(self.sizes[..., A], self.sizes[..., B], self.totals[..., A], self.totals[..., B])

    @cached_property
    def corners(self) -> SideTotals:
        """Counts that the labels leave possible: all four of (fewest, most) positives on A and on B, a first axis."""
        least, most = self.yes, self.sizes - (self.labels - self.yes)
        tp = np.stack([least[..., A], least[..., A], most[..., A], most[..., A]])
        fn = np.stack([least[..., B], most[..., B], least[..., B], most[..., B]])
        return SideTotals(self.sizes[..., A], self.sizes[..., B], tp, fn)

    def variance(self, a: Floats, b: Floats) -> Floats:
        """V of a TP + b FN: the larger of raw and smooth, and what unsampled parts may add."""
        seen = np.maximum(_quadratic(self.raw, a, b), _quadratic(self.smooth, a, b))
        return np.asarray(seen + a**2 * self.unsampled[..., A] + b**2 * self.unsampled[..., B], dtype=np.float64)


def _quadratic(form: Floats, a: Floats, b: Floats) -> Floats:
    found = a**2 * form[..., 0] + 2 * a * b * form[..., 1] + b**2 * form[..., 2]
    return np.asarray(np.maximum(found, 0), dtype=np.float64)
