"""Intervals of labelled predictions, over all counts that can come: no simulation."""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from scipy.stats import binom

from stratawatch.core.baselines.baseline_evidence import BaselineShare, TwoSampleBaseline
from stratawatch.core.baselines.labelled import share_from_counts
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.metrics import ConfusionCounts

NUMBERS: Final = (30, 100, 300, 1000)
SHARES: Final = (0.5, 0.8, 0.9, 0.95, 0.99)
_NEVER: Final = 1e-7
"""Counts that come less often are left out, as if their interval failed."""


@dataclass(frozen=True)
class Apart:
    """Labels drawn apart: precision, false-omission rate, labels of either side, and the share called positive."""

    precision: float
    omission: float
    called_labels: int
    passed_labels: int
    share: float


DRAWS: Final = (
    Apart(0.8, 0.02, 100, 200, 0.10),
    Apart(0.8, 0.02, 100, 400, 0.10),
    Apart(0.5, 0.05, 100, 200, 0.20),
    Apart(0.95, 0.01, 100, 400, 0.05),
    Apart(0.9, 0.1, 60, 60, 0.50),
)


def share_coverage(n: int, p: float) -> float:
    """How often Wilson's interval of a share holds it."""
    return float(sum(chance * _holds(_share(yes, n), p) for yes, chance in _counts(n, p)))


@cache
def apart_coverage(draw: Apart, metric: str) -> tuple[float, float]:
    """How often the interval of both sides holds the metric, given that there is one, and how often there is none."""
    sizes = 1e5 * draw.share, 1e5 * (1 - draw.share)
    tp, fn = sizes[0] * draw.precision, sizes[1] * draw.omission
    truth = tp / (tp + fn) if metric == "recall" else (tp + sizes[1] - fn) / 1e5
    held = none = 0.0
    for called, chance in _counts(draw.called_labels, draw.precision):
        for passed, other in _counts(draw.passed_labels, draw.omission):
            if metric == "recall" and called == passed == 0:
                none += chance * other
                continue
            sides = _share(called, draw.called_labels), _share(passed, draw.passed_labels)
            held += chance * other * _holds(TwoSampleBaseline(metric, *sides, *sizes), truth)
    return held / (1 - none), none


def _share(yes: int, n: int) -> BaselineShare:
    found = share_from_counts(
        "precision", ConfusionCounts(*(np.asarray(float(count)) for count in (yes, n - yes, 0, 0)))
    )
    if isinstance(found, Undefined):
        raise TypeError(found.reason)
    return found


def _holds(evidence: BaselineShare | TwoSampleBaseline, truth: float) -> bool:
    known: IntervalEstimate = evidence.interval_at(0.95)
    return known.low <= truth <= known.high


def _counts(n: int, p: float) -> list[tuple[int, float]]:
    chances = binom.pmf(np.arange(n + 1), n, p)
    return [(yes, float(chance)) for yes, chance in enumerate(chances) if chance > _NEVER]
