"""The e-detector: e-values of windows folded into evidence that a metric left its limit in some window of late.

M <- (M + 1) E: every window, a loss may have begun. While all metrics keep their limits, the sum of M over the ends
minus windows times ends is a supermartingale. So with a page, and a new start, wherever it reaches c there are at most
(windows x ends)/c pages on average: whatever the dependence between ends, and however long it goes on (Shin, Ramdas and
Rinaldo, E-detectors, arXiv:2203.03532).
"""

from collections.abc import Mapping, Sequence
from math import exp, log
from typing import Final

import numpy as np

from stratawatch.core.population import Floats
from stratawatch.core.tuning import EVIDENCE

MOST_LOG_EVIDENCE: Final = log(1e290)
"""The largest evidence, as a logarithm: sums of it stay finite."""


def log_e_by_bet(windows: Sequence[Mapping[float, float]]) -> Floats:
    """Log E of every window (oldest first) by bet, from what each window's rounds add up to by loss.

    The bets are those of the first window that made any; one that a later window did not make has a factor of 1 there.
    Bets that join later would move a mean that is under way.

    >>> log_e_by_bet([{}, {0.03: 0.5, 0.06: 0.75}, {0.03: -0.5, 0.25: 2.0}]).tolist()
    [[0.0, 0.0], [0.5, 0.75], [-0.5, 0.0]]
    """
    bets = sorted(next((window for window in windows if window), {}))
    table = [[window.get(loss, 0.0) for loss in bets] for window in windows]
    return np.array(table, dtype=np.float64).reshape(len(windows), len(bets))


def evidence_of(log_e_by_window: Floats) -> float:
    """The evidence of an end: M <- (M + 1) E over windows (rows, oldest first) from 0, the mean over bets (columns).

    Windows are those since the last restart. It is at most 1e290; without a bet it is 0.

    >>> round(evidence_of(np.log([[2.0, 1.0], [3.0, 0.5]])), 9)
    5.0
    """
    if log_e_by_window.size == 0:
        return 0.0
    folded = np.full(log_e_by_window.shape[1], -np.inf)
    for log_e in log_e_by_window:
        folded = np.logaddexp(folded, 0.0) + log_e
    mean = float(np.logaddexp.reduce(folded)) - log(len(folded))
    return exp(min(mean, MOST_LOG_EVIDENCE))


def page_threshold(ends: int, periods_a_year: float, false_pages_per_year: float) -> float:
    """What the evidence of all ends together has to reach for a page: M T/(.8 F).

    M ends, T periods a year, F false pages a year; the other fifth of the promise is that of one window's interval.

    >>> page_threshold(ends=8, periods_a_year=52, false_pages_per_year=1)
    520.0
    """
    promise = EVIDENCE.evidence_share * false_pages_per_year
    return max(ends, 1) * max(periods_a_year, 1e-9) / max(promise, 1e-9)
