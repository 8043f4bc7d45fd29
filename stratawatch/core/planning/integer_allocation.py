"""From relative numbers of labels to whole ones between floors and caps, with an exact sum."""

import numpy as np

from stratawatch.core.population import Counts, Floats


def share_out(weights: Floats, floors: Counts, caps: Counts, total: float, costs: Floats | None = None) -> Counts:
    """n_h = clip(scale x weight_h, floor_h, cap_h) with the scale that spends `total`; largest remainder.

    The sum is exactly `total`, or the sum of the caps when that is less; floors that together exceed `total`
    are kept, and nothing is added to them. What a cap cuts off goes to the others; strata without weight come
    last, in proportion to the room they have. With `costs` of a label, `total` is money: at most that is spent, and
    what is left buys no label more.

    >>> share_out(np.array([1.0, 1.0, 2.0]), np.array([0, 5, 0]), np.array([9, 9, 3]), 12).tolist()
    [4, 5, 3]
    """
    caps = np.maximum(caps, floors)
    costs = np.ones_like(weights) if costs is None else costs
    total = float(np.clip(total, costs @ floors, costs @ caps))
    room = (caps - floors).astype(np.float64)
    largest = float(weights.max(initial=0.0))
    tilted = weights / largest + 1e-9 * room / max(float(room.sum()), 1.0) if largest > 0 else room
    return _rounded(_between(tilted, floors, caps, total, costs), floors, caps, total, costs)


def _between(weights: Floats, floors: Counts, caps: Counts, total: float, costs: Floats) -> Floats:
    """The clipped multiples of the weights that cost the total: what they cost is piecewise linear in the scale."""
    rising = np.flatnonzero((weights > 0) & (caps > floors))
    slopes = (costs * weights)[rising]
    scales = np.concatenate([floors[rising] / weights[rising], caps[rising] / weights[rising]])
    order = np.argsort(scales, kind="stable")
    steps = np.diff(scales[order], prepend=0.0)
    steepness = np.cumsum(np.concatenate([slopes, -slopes])[order])
    spent = float(costs @ floors) + np.cumsum(steps * np.r_[0.0, steepness[:-1]])
    place = int(np.searchsorted(spent, total))
    if place == len(order):
        return caps.astype(np.float64)
    before, reached = (scales[order[place - 1]], spent[place - 1]) if place else (0.0, float(costs @ floors))
    slope = steepness[place - 1] if place else 0.0
    scale = before + (total - reached) / slope if slope > 0 else before
    return np.asarray(np.clip(scale * weights, floors, caps), dtype=np.float64)


def _rounded(wanted: Floats, floors: Counts, caps: Counts, total: float, costs: Floats) -> Counts:
    """Whole numbers below, then one more for the largest remainders that can be paid."""
    whole = np.clip(np.floor(wanted + 1e-9).astype(np.int64), floors, caps)
    by_remainder = np.argsort(whole - wanted, kind="stable")
    # Very large numbers lose their last digits on the way: what is too much goes where there is least remainder.
    while float(costs @ whole) > max(total, float(costs @ floors)) + 1e-9:
        whole[by_remainder[(whole > floors)[by_remainder]][-1]] -= 1
    while True:
        left = total - float(costs @ whole) + 1e-9
        open_ = by_remainder[(whole < caps)[by_remainder] & (costs <= left)[by_remainder]]
        if open_.size == 0:
            return whole
        whole[open_[np.cumsum(costs[open_]) <= left]] += 1
