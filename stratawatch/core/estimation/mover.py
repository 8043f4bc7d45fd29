"""MOVER: the method of variance estimates recovery, which makes an interval of a function from those of its parts."""

from typing import NamedTuple

import numpy as np

from stratawatch.core.metrics import RatioMetric, SideTotals
from stratawatch.core.population import Floats


class IntervalEnds(NamedTuple):
    """The lower and upper ends of intervals."""

    low: Floats
    high: Floats


def ratio_interval(one: Floats, two: Floats, of_one: IntervalEnds, of_two: IntervalEnds) -> IntervalEnds:
    """Ends of one/(one + two), by MOVER-R on the odds one/two.

    Donner and Zou 2012, Statistical Methods in Medical Research 21:347, equation 9, for a ratio of independent
    totals. two = 0 leaves the upper end at 1 and one = 0 the lower end at 0.

    >>> ends = ratio_interval(*(np.array(x) for x in (80.0, 20.0)), IntervalEnds(70.0, 88.0), IntervalEnds(12.0, 30.0))
    >>> [round(float(end), 4) for end in ends]
    [0.7226, 0.8704]
    """
    product = one * two
    low_part = of_one.low * (2 * one - of_one.low)
    low_root = np.sqrt(np.maximum(product**2 - of_two.high * (2 * two - of_two.high) * low_part, 0.0))
    two_part = of_two.low * (2 * two - of_two.low)
    high_root = np.sqrt(np.maximum(product**2 - two_part * of_one.high * (2 * one - of_one.high), 0.0))
    # Shares o/(1 + o) of the odds o = numerator/denominator, without dividing by zero where the odds are infinite.
    low = _share(low_part, product + low_root)
    high = np.where((two_part <= 0) & (of_one.high > 0), 1.0, _share(product + high_root, two_part))
    return IntervalEnds(low, high)


def metric_interval(metric: RatioMetric, totals: SideTotals, of_tp: IntervalEnds, of_fn: IntervalEnds) -> IntervalEnds:
    """Ends of a metric from those of its TP and FN, taken as independent.

    Labels of a stratum that mixes patterns serve both, but what is expanded are errors of a working model that knows
    the calls: their means are near 0 on either side, and so is the covariance (docs/adr/0012-the-one-interval.md).
    A share of two outcomes, one on either side (recall: TP and FN), is their odds: MOVER-R. Any other metric is
    monotone in TP and in FN, so each end is as far away as the root of the squared changes that the two make alone
    (Zou and Donner 2008, Statistics in Medicine 27:1693, for a sum).
    """
    outcomes = (
        (totals.tp, of_tp),
        (totals.positive - totals.tp, complement_ends(of_tp, totals.positive)),
        (totals.fn, of_fn),
        (totals.negative - totals.fn, complement_ends(of_fn, totals.negative)),
    )
    if metric.odds is not None:
        (one, of_one), (two, of_two) = (outcomes[place] for place in metric.odds)
        return ratio_interval(one, two, of_one, of_two)
    value = metric.value(totals)
    by_tp = [metric.value(totals._replace(tp=end)) for end in of_tp]
    by_fn = [metric.value(totals._replace(fn=end)) for end in of_fn]
    low = np.hypot(value - np.minimum(*by_tp), value - np.minimum(*by_fn))
    high = np.hypot(np.maximum(*by_tp) - value, np.maximum(*by_fn) - value)
    return IntervalEnds(np.maximum(value - low, 0.0), np.minimum(value + high, 1.0))


def complement_ends(ends: IntervalEnds, size: Floats | float = 1.0) -> IntervalEnds:
    """The interval of a size less a quantity, from the quantity's interval."""
    return IntervalEnds(np.asarray(size - ends.high), np.asarray(size - ends.low))


def difference_interval(
    one: Floats, two: Floats, of_one: IntervalEnds, of_two: IntervalEnds, correlation: Floats | float
) -> IntervalEnds:
    """Ends of one - two, MOVER-D: Zou and Donner 2008, Statistics in Medicine 27:1693, equations 9 and 10.

    >>> ends = difference_interval(*(np.array(x) for x in (.8, .7)), IntervalEnds(.7, .9), IntervalEnds(.65, .8), 0.0)
    >>> [round(float(end), 4) for end in ends]
    [-0.0414, 0.2118]
    """
    below, above = one - of_one.low, of_one.high - one
    under, over = two - of_two.low, of_two.high - two
    low = np.sqrt(np.maximum(below**2 + over**2 - 2 * correlation * below * over, 0.0))
    high = np.sqrt(np.maximum(above**2 + under**2 - 2 * correlation * above * under, 0.0))
    return IntervalEnds(one - two - low, one - two + high)


def _share(numerator: Floats, denominator: Floats) -> Floats:
    return np.asarray(numerator / np.maximum(numerator + denominator, 1e-300), dtype=np.float64)
