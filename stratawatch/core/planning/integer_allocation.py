"""From relative numbers of labels to whole ones between floors and caps, with an exact sum."""

import numpy as np

from stratawatch.core.population import Counts, Floats


def clip_and_round(weights: Floats, floors: Counts, caps: Counts, total: int) -> Counts:
    """n_h = clip(scale x weight_h, floor_h, cap_h) with the scale that spends `total`, rounded by largest remainders.

    The sum is exactly `total`, or the sum of the caps when that is less; floors that together exceed `total`
    are kept, and nothing is added to them. What a cap cuts off goes to the others; strata without weight come
    last, in proportion to what their caps leave above their floors.

    >>> clip_and_round(np.array([1.0, 1.0, 2.0]), np.array([0, 5, 0]), np.array([9, 9, 3]), 12).tolist()
    [4, 5, 3]
    """
    caps = np.maximum(caps, floors)
    total = int(np.clip(total, floors.sum(), caps.sum()))
    free = (caps - floors).astype(np.float64)
    largest = float(weights.max(initial=0.0))
    # A tiny weight for every stratum lets strata without weight take what the capped ones leave, and only that.
    positive = weights / largest + 1e-9 * free / max(float(free.sum()), 1.0) if largest > 0 else free
    return _rounded(_clipped_multiples(positive, floors, caps, total), floors, caps, total)


def _clipped_multiples(weights: Floats, floors: Counts, caps: Counts, total: int) -> Floats:
    """clip(scale x weight_h, floor_h, cap_h) with the scale whose sum is the total."""
    # The sum is piecewise linear in the scale: a stratum begins to grow at floor/weight and ends at cap/weight.
    growing = np.flatnonzero((weights > 0) & (caps > floors))
    slopes = weights[growing]
    scales = np.concatenate([floors[growing] / weights[growing], caps[growing] / weights[growing]])
    order = np.argsort(scales, kind="stable")
    steps = np.diff(scales[order], prepend=0.0)
    steepness = np.cumsum(np.concatenate([slopes, -slopes])[order])
    spent = float(floors.sum()) + np.cumsum(steps * np.r_[0.0, steepness[:-1]])
    place = int(np.searchsorted(spent, total))
    if place == len(order):
        return caps.astype(np.float64)
    before, reached = (scales[order[place - 1]], spent[place - 1]) if place else (0.0, float(floors.sum()))
    slope = steepness[place - 1] if place else 0.0
    scale = before + (total - reached) / slope if slope > 0 else before
    return np.asarray(np.clip(scale * weights, floors, caps), dtype=np.float64)


def _rounded(exact: Floats, floors: Counts, caps: Counts, total: int) -> Counts:
    """Round down, then give one label more to the largest remainders until the sum is the total."""
    whole = np.clip(np.floor(exact + 1e-9).astype(np.int64), floors, caps)
    by_remainder = np.argsort(whole - exact, kind="stable")
    # Very large numbers lose their last digits on the way: what is too much goes where there is least remainder.
    while whole.sum() > total:
        whole[by_remainder[(whole > floors)[by_remainder]][-1]] -= 1
    while (left := total - int(whole.sum())) > 0:
        whole[by_remainder[(whole < caps)[by_remainder]][:left]] += 1
    return whole
