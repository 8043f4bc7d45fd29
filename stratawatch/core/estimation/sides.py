"""The two sides of a classifier: the items it calls positive (A) and those it calls negative (B), as estimated."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from stratawatch.core.metrics import A, B, SideTotals
from stratawatch.core.population import Floats


@dataclass(frozen=True)
class SideEstimates:
    """What the labels say about both sides of classifiers.

    The axes of every array are what is estimated at once (segments, runs or plans), the classifiers, and last A and B.
    `sizes` are the items, `totals` the estimated positives among them, `labels` and `yes` the labels and those of them
    that say yes. `max_weight` is the most items that one label stands for, `joint_max_weight` the same of both sides
    taken together, without their axis. `unlabelled_strata` are the items of strata without any label, which enter as
    half positive, give or take all of them. `variance` and `smoothed_variance` are estimated (co)variances of the
    totals: of A, of A with B, of B; `unsampled_variance` that of each side's parts that no label fell into.
    `surprise_weight` is `max_weight` where only these labels inform a stratum, and 0 where earlier labels predicted
    it: there it is no surprise that no positive was drawn.
    """

    sizes: Floats
    totals: Floats
    labels: Floats
    yes: Floats
    max_weight: Floats
    unlabelled_strata: Floats
    variance: Floats
    smoothed_variance: Floats
    unsampled_variance: Floats
    joint_max_weight: Floats
    surprise_weight: Floats

    @classmethod
    def stack(cls, parts: Sequence["SideEstimates"]) -> "SideEstimates":
        """Several stacked along a new first axis."""
        return cls(**{field.name: np.stack([getattr(part, field.name) for part in parts]) for field in fields(cls)})

    def at(self, place: tuple[int | slice, ...]) -> "SideEstimates":
        """The estimates at a place of the leading axes."""
        return SideEstimates(**{field.name: getattr(self, field.name)[place] for field in fields(self)})

    @cached_property
    def table(self) -> SideTotals:
        """The estimated counts."""
        return SideTotals(self.sizes[..., A], self.sizes[..., B], self.totals[..., A], self.totals[..., B])

    @cached_property
    def extremes(self) -> SideTotals:
        """Counts that the labels leave possible: all four of (fewest, most) positives on A and on B, a first axis."""
        least, most = self.yes, self.sizes - (self.labels - self.yes)
        tp = np.stack([least[..., A], least[..., A], most[..., A], most[..., A]])
        fn = np.stack([least[..., B], most[..., B], least[..., B], most[..., B]])
        return SideTotals(self.sizes[..., A], self.sizes[..., B], tp, fn)

    @cached_property
    def neighbours(self) -> SideTotals:
        """Counts with one positive less or more on one side, where labels leave that possible: four, a first axis."""
        known, most = self.labels >= self.sizes, self.sizes - (self.labels - self.yes)
        (fewer_a, fewer_b), (more_a, more_b) = (
            np.moveaxis(np.where(known, self.totals, np.clip(self.totals + step, self.yes, most)), -1, 0)
            for step in (-1.0, 1.0)
        )
        tp, fn = self.totals[..., A], self.totals[..., B]
        sizes = self.sizes[..., A], self.sizes[..., B]
        return SideTotals(*sizes, np.stack([fewer_a, more_a, tp, tp]), np.stack([fn, fn, fewer_b, more_b]))

    def raw_variance_of(self, a: Floats, b: Floats) -> Floats:
        """V of a TP + b FN by this period's labels alone."""
        return _quadratic(self.variance, a, b)

    def smoothed_variance_of(self, a: Floats, b: Floats) -> Floats:
        """V of a TP + b FN, smoothed by a model."""
        return _quadratic(self.smoothed_variance, a, b)

    def variance_of(self, a: Floats, b: Floats) -> Floats:
        """V of a TP + b FN: the larger of both variances, and what unsampled parts may add."""
        sampled = np.maximum(self.raw_variance_of(a, b), self.smoothed_variance_of(a, b))
        return np.asarray(
            sampled + a**2 * self.unsampled_variance[..., A] + b**2 * self.unsampled_variance[..., B], dtype=np.float64
        )


def _quadratic(form: Floats, a: Floats, b: Floats) -> Floats:
    found = a**2 * form[..., 0] + 2 * a * b * form[..., 1] + b**2 * form[..., 2]
    return np.asarray(np.maximum(found, 0), dtype=np.float64)
