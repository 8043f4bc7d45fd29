"""From relative numbers of labels to whole ones between floors and caps, with an exact sum."""

import numpy as np

from stratawatch.core.population import Counts, Floats

_PRECISION = 1e-13


def share_out(weights: Floats, floors: Counts, caps: Counts, total: int) -> Counts:
    """n_a = clip(scale x weight_a, floor_a, cap_a) with the scale that spends `total`; largest remainder.

    The sum is exactly `total`, or the sum of the caps when that is less; floors that together exceed `total`
    are kept, and nothing is added to them. What a cap cuts off goes to the others; cells without weight come
    last, in proportion to the room they have.

    >>> share_out(np.array([1.0, 1.0, 2.0]), np.array([0, 5, 0]), np.array([9, 9, 3]), 12).tolist()
    [4, 5, 3]
    """
    caps = np.maximum(caps, floors)
    total = int(np.clip(total, floors.sum(), caps.sum()))
    room = (caps - floors).astype(np.float64)
    largest = float(weights.max(initial=0.0))
    tilted = weights / largest + 1e-9 * room / max(float(room.sum()), 1.0) if largest > 0 else room
    return _rounded(_between(tilted, floors, caps, total), floors, caps, total)


def _between(weights: Floats, floors: Counts, caps: Counts, total: int) -> Floats:
    """The clipped multiples of the weights that sum to the total, by bisection on the logarithm of the scale."""
    low, high = -80.0, 80.0
    while high - low > _PRECISION:
        middle = (low + high) / 2
        if np.clip(np.exp(middle) * weights, floors, caps).sum() < total:
            low = middle
        else:
            high = middle
    return np.asarray(np.clip(np.exp(high) * weights, floors, caps), dtype=np.float64)


def _rounded(wanted: Floats, floors: Counts, caps: Counts, total: int) -> Counts:
    """Whole numbers below, then one more for the largest remainders."""
    whole = np.clip(np.floor(wanted + 1e-9).astype(np.int64), floors, caps)
    by_remainder = np.argsort(whole - wanted, kind="stable")
    while (missing := total - int(whole.sum())) > 0:
        open_ = by_remainder[whole[by_remainder] < caps[by_remainder]][:missing]
        whole[open_] += 1
    return whole
