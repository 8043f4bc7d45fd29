"""Ends of limits as linear tests: a metric is inside its limit exactly where a mean over items is not negative.

A metric Num/Den is at least L exactly if Num - L Den >= 0, and that is a sum over items of alpha y + beta, y the truth:
no ratio has to be estimated, so small counts and random denominators do no harm.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.goals import LimitEnd
from stratawatch.core.history.working_model import logistic, logit
from stratawatch.core.metrics import Weights, metric_named
from stratawatch.core.population import Atom, Floats, Segment
from stratawatch.errors import StratawatchError

_FURTHEST: Final = 30.0
_TRIED: Final = np.linspace(0.0, 1.0, 33)
_PASSES: Final = 6


@dataclass(frozen=True)
class LimitTest:
    """One end of a limit on a metric of a classifier: the metric is to be at least `limit`, or at most, as said.

    For a largest drop, `limit` is the value that the metric may fall (or rise) to from one assumed baseline.
    """

    classifier: str
    metric: str
    segment: Segment | None
    end: LimitEnd
    limit: float
    is_floor: bool


@dataclass(frozen=True)
class LinearTest:
    """theta = (1/N) sum over items of (alpha y + beta), by cell; the metric is inside its limit where theta >= 0.

    `sizes` are the items that it sums over: those of the segment, or all. `yes_scale` and `no_scale` are what an item
    with that truth adds to the metric's denominator: theta = Den (metric - limit), with the sign turned for ceilings.
    """

    alpha: Floats
    beta: Floats
    sizes: Floats
    yes_scale: Floats
    no_scale: Floats

    def scale(self, rates: Floats) -> float:
        """The denominator that these rates make expect, in items."""
        return float(self.sizes @ (self.yes_scale * rates + self.no_scale * (1 - rates)))


def linear_test(test: LimitTest, cells: Cells, atoms: Sequence[Atom]) -> LinearTest:
    """The test by cell; items that the classifier did not score have no part in it, nor have those of other segments.

    alpha = (n_yes - n_no) - L (d_yes - d_no) and beta = n_no - L d_no, with the weights n, d of the metric's numerator
    and denominator on the item's side; both times -1 for a ceiling.

    >>> cells = Cells.of(["lr"], ["1", "0"], np.array([20.0, 80.0]), np.array([0.8, 0.1]))
    >>> found = linear_test(LimitTest("lr", "recall", None, "floor", 0.75, is_floor=True), cells, ())
    >>> found.alpha.tolist(), found.beta.tolist(), found.scale(np.array([0.8, 0.1]))
    ([0.25, -0.75], [0.0, 0.0], 24.0)
    """
    if test.classifier not in cells.classifiers:
        raise StratawatchError(
            f"the panel has no classifier '{test.classifier}'", expected=f"one of {', '.join(cells.classifiers)}"
        )
    metric, place = metric_named(test.metric), cells.classifiers.index(test.classifier)
    hit = _by_truth(metric.numerator, cells, place)
    of = _by_truth(metric.denominator, cells, place)
    sign = 1.0 if test.is_floor else -1.0
    by_truth = [sign * (n - test.limit * d) for n, d in zip(hit, of, strict=True)]
    sizes = cells.sizes
    if test.segment is not None:
        sizes = np.array([atom.segments.get(test.segment, 0) for atom in atoms], dtype=np.float64)
    return LinearTest(by_truth[0] - by_truth[1], by_truth[1], sizes, *of)


def rates_moved_to(targets: Floats, rates: Floats, alpha: Floats, theta: Callable[[Floats], Floats]) -> Floats:
    """Rates that have moved, each by its logit in proportion to its alpha, so far that theta is what it is to be.

    One row of rates for each target. Theta falls as they move; where nothing is far enough, they are moved as far as
    rates go. It is asked for many rates at once, with the cells on the last axis.
    """
    logits = logit(np.clip(rates, 1e-6, 1 - 1e-6))
    low, high = np.full(np.shape(targets), -_FURTHEST), np.full(np.shape(targets), _FURTHEST)
    for _ in range(_PASSES):
        tried = low[..., None] + (high - low)[..., None] * _TRIED
        moved = logistic(logits - tried[..., 1:-1, None] * alpha)
        place = (theta(moved) > np.asarray(targets)[..., None]).sum(axis=-1)[..., None]
        low, high = (np.take_along_axis(tried, at, axis=-1)[..., 0] for at in (place, place + 1))
    return np.asarray(logistic(logits - high[..., None] * alpha), dtype=np.float64)


def _by_truth(weights: Weights, cells: Cells, place: int) -> tuple[Floats, Floats]:
    """What an item of each cell counts if its truth is yes, and if it is no."""
    tp, fp, fn, tn = weights
    called, passed = cells.positive[:, place], cells.negative[:, place]
    return called * float(tp) + passed * float(fn), called * float(fp) + passed * float(tn)
