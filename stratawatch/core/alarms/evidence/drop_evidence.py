"""The evidence that a metric fell by more than is allowed below a baseline that is itself known from labels only.

At each value m that the baseline may have had: M <- (M + B) E, where E speaks against a present metric of m less the
largest drop, and B, of the baseline's own labels, against a baseline of m or less. At the true m, B is at most 1 on
average and M grows as that of a floor. The evidence is the smallest M over all m: whatever the true one is, it is no
larger than M there, so that it counts as one end among the others, with the baseline's error in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from stratawatch.core.alarms.evidence.e_detector import MOST_LOG_EVIDENCE
from stratawatch.core.population import Counts, Floats
from stratawatch.core.tuning import EVIDENCE

ByLoss = Mapping[float, Sequence[float]]
"""Log e-values at the points of a grid, by the loss that was bet on."""


@dataclass(frozen=True)
class DropEvidence:
    """The evidence of a drop, and log E by window and bet at the baseline's value where it is smallest."""

    value: float
    log_e: Floats


def log_e_by_point(windows: Sequence[ByLoss], points: int) -> Floats:
    """Log E of windows (oldest first) x bets x points.

    The bets are those of the first window that made any; one that a later window did not make has a factor of 1 there.
    """
    bets = sorted(next((window for window in windows if window), {}))
    nothing = [0.0] * points
    table = [[window.get(loss, nothing) for loss in bets] for window in windows]
    return np.array(table, dtype=np.float64).reshape(len(windows), len(bets), points)


def drop_evidence(log_e: Floats, log_b: Floats, growth: Floats, grown: Counts) -> DropEvidence:
    """Fold windows since the last restart (log E: windows x bets x points) with a baseline (log B: losses x points).

    `growth` is log B of later windows that the baseline takes in (windows x losses x points), of which it has the first
    `grown` before each window. Between two points both are taken to be straight, which is a lower bound (see
    `drop_tests`); between two values on that line each counts with the smaller of its ends.
    """
    if log_e.size == 0:
        return DropEvidence(0.0, log_e[:, :, 0])
    falls = low_ends(log_e)
    so_far = np.concatenate([log_b[None], log_b + np.cumsum(growth, axis=0)])
    better = low_ends(so_far)
    mean_b = np.logaddexp.reduce(better, axis=1) - log(better.shape[1])
    folded = np.full(falls.shape[1:], -np.inf)
    for number, window in zip(grown.tolist(), falls, strict=True):
        folded = np.logaddexp(folded, mean_b[number]) + window
    mean = np.logaddexp.reduce(folded, axis=0) - log(len(folded))
    smallest = int(mean.argmin())
    return DropEvidence(exp(min(float(mean[smallest]), MOST_LOG_EVIDENCE)), falls[:, :, smallest])


def low_ends(at_points: Floats) -> Floats:
    """The smaller of the two ends of every step on the straight lines between points, which are the last axis."""
    points = at_points.shape[-1]
    steps = np.linspace(0, points - 1, (points - 1) * EVIDENCE.grid_steps + 1)
    left = np.minimum(steps.astype(np.int64), points - 2)
    right_share = steps - left
    values = at_points[..., left] * (1 - right_share) + at_points[..., left + 1] * right_share
    return np.asarray(np.minimum(values[..., :-1], values[..., 1:]), dtype=np.float64)
