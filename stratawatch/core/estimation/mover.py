"""MOVER-R: an interval for recall from the intervals of its two totals."""

from math import inf, sqrt


def recall_interval(
    tp: float, fn: float, tp_ends: tuple[float, float], fn_ends: tuple[float, float]
) -> tuple[float, float]:
    """Ends of TP/(TP + FN), by the method of variance estimates recovery on the odds TP/FN.

    Donner and Zou 2012, Statistical Methods in Medical Research 21:347, equation 9, for a ratio of independent
    totals. FN = 0 leaves the upper end at 1 and TP = 0 the lower end at 0.

    >>> [round(end, 4) for end in recall_interval(80, 20, (70, 88), (12, 30))]
    [0.7226, 0.8704]
    """
    (low_tp, high_tp), (low_fn, high_fn) = tp_ends, fn_ends
    square = (tp * fn) ** 2
    low_part = low_tp * (2 * tp - low_tp)
    low_root = sqrt(max(square - high_fn * (2 * fn - high_fn) * low_part, 0.0))
    low = _odds(low_part, tp * fn + low_root)
    fn_part = low_fn * (2 * fn - low_fn)
    high_root = sqrt(max(square - fn_part * high_tp * (2 * tp - high_tp), 0.0))
    high = inf if fn_part <= 0 < high_tp else _odds(tp * fn + high_root, fn_part)
    return _share(low), _share(high)


def _odds(numerator: float, denominator: float) -> float:
    if denominator > 0:
        return numerator / denominator
    return inf if numerator > 0 else 0.0


def _share(odds: float) -> float:
    return 1.0 if odds == inf else odds / (1 + odds)
