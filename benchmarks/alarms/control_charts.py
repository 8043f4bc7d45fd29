"""Rules for alarms that are in use elsewhere, set to one false page a panel-year where they can be: to compare with."""

from math import exp
from statistics import NormalDist
from typing import Final

import numpy as np
from scipy.special import ndtr

from benchmarks.alarms.frozen_weeks import Weeks
from benchmarks.alarms.panel_years import WEEKS_A_YEAR, Paged, Rule, paged
from benchmarks.labels.worlds import Flags, Floats, Integers

REFERENCE: Final = 13
"""Weeks before a week whose mean and standard deviation it is compared with."""
_Z95: Final = NormalDist().inv_cdf(0.975)


def cusum_rule(streams: int, slack: float = 0.5) -> Rule:
    """Page when a stream's sum of z - slack, never below 0, reaches h; then it begins anew.

    z is how far the value lies below the limit, in standard errors of its interval. h is such that normal z of so many
    streams page once a panel-year in all.
    """
    most = _cusum_limit(streams * WEEKS_A_YEAR, slack)

    def pages(weeks: Weeks, order: Integers) -> Paged:
        z = _below(weeks)[order]
        found, first = np.zeros(order.shape, dtype=np.bool_), np.zeros(order.shape, dtype=np.int64)
        gathered = np.zeros((len(order), streams))
        for week in range(order.shape[1]):
            gathered = np.maximum(gathered + z[:, week] - slack, 0.0)
            first[:, week] = gathered.argmax(axis=1)
            out = gathered >= most
            found[:, week] = out.any(axis=1)
            gathered[out] = 0.0
        return paged(found, first)

    return pages


def false_discovery_rule(streams: int, rate: float = 0.05) -> Rule:
    """Page where Benjamini and Hochberg's procedure, over a week's streams at this rate, finds a stream outside."""
    steps = rate * np.arange(1, streams + 1) / streams

    def pages(weeks: Weeks, order: Integers) -> Paged:
        p = ndtr(-_below(weeks))
        found: Flags = np.asarray((np.sort(p, axis=1) <= steps).any(axis=1))
        return paged(found[order], np.asarray(p.argmin(axis=1)[order], dtype=np.int64))

    return pages


def three_deviations_rule() -> Rule:
    """Page when a value lies three standard deviations below the mean of the weeks before; it knows no limit."""

    def pages(weeks: Weeks, order: Integers) -> Paged:
        values = weeks.value[order]
        found, first = np.zeros(order.shape, dtype=np.bool_), np.zeros(order.shape, dtype=np.int64)
        for week in range(REFERENCE, order.shape[1]):
            before = values[:, week - REFERENCE : week]
            spread = np.maximum(before.std(axis=1, ddof=1), 1e-9)
            distance = (values[:, week] - before.mean(axis=1)) / spread
            found[:, week] = (distance < -3).any(axis=1)
            first[:, week] = distance.argmin(axis=1)
        return paged(found, first)

    return pages


def _below(weeks: Weeks) -> Floats:
    """How many standard errors every value lies below its limit, by the half of its interval on that side."""
    return np.asarray(-weeks.value * _Z95 / np.maximum(weeks.high - weeks.value, 1e-9))


def _cusum_limit(weeks_between: float, slack: float) -> float:
    """The limit at which a stream of normal z pages every so many weeks, by Siegmund's approximation (1985).

    >>> round(_cusum_limit(938, 0.5), 2)
    5.0
    """
    low, high = 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        reach = 2 * slack * (middle + 1.166)
        low, high = (middle, high) if exp(reach) - reach - 1 < 2 * slack**2 * weeks_between else (low, middle)
    return high
