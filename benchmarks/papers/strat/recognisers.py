"""Metrics of a recogniser, which names one of many classes: ranks, identification rates, misclassification by class."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.estimate import Undefined
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError


def ranks(scores: Floats, classes: Counts) -> Counts:
    """Of every probe: the scores (probes x gallery) that are at least that of its true class; 1 is best.

    A tie with the true class counts against it, as in the paper (section 2.2).

    >>> ranks(np.array([[0.9, 0.1, 0.5], [0.9, 0.1, 0.1]]), np.array([0, 1])).tolist()
    [1, 3]
    """
    if scores.ndim != 2 or len(scores) != len(classes):
        raise StratawatchError("every probe needs its scores and its true class", expected="probes x gallery")
    if classes.size and not 0 <= int(classes.min()) <= int(classes.max()) < scores.shape[1]:
        raise StratawatchError("a probe's class is not in the gallery", expected=f"0 to {scores.shape[1] - 1}")
    own = np.take_along_axis(scores, classes[:, None], axis=1)
    return np.asarray((scores >= own).sum(axis=1), dtype=np.int64)


def relative_ranks(found: Counts, gallery: int) -> Floats:
    """R = r / m: a rank among m classes, to be compared between galleries of different sizes.

    >>> relative_ranks(np.array([1, 3]), 4).tolist()
    [0.25, 0.75]
    """
    if found.size and int(found.max()) > gallery:
        raise StratawatchError(f"a rank of {int(found.max())} among {gallery} classes", expected=f"at most {gallery}")
    return np.asarray(found / gallery, dtype=np.float64)


def identified(found: Counts, within: int) -> Floats:
    """1 where the true class is among the first `within`; the mean is the rank-n identification rate.

    >>> identified(np.array([1, 3, 2]), 2).tolist()
    [1.0, 0.0, 1.0]
    """
    if within < 1:
        raise StratawatchError(f"nothing is identified within rank {within}", expected="a rank of 1 at least")
    return (found <= within).astype(np.float64)


@dataclass(frozen=True)
class ByClass:
    """A rate with every true class a stratum: W_h and the share in each, the estimate and its variance."""

    shares: Floats
    weights: Floats
    value: float
    variance: float


def stratified_rate(events: Floats, classes: Counts, weights: Floats | None = None) -> ByClass | Undefined:
    """Sum W_h (events_h / n_h) over true classes, v = sum W_h^2 p_h (1 - p_h) / (n_h - 1); equal weights by default.

    With `events` = 1 where the class that was named is not the true one it is the misclassification rate.

    >>> round(stratified_rate(np.array([1.0, 0, 0, 0, 1, 1]), np.array([0, 0, 0, 0, 1, 1])).value, 3)
    0.625
    """
    count = len(weights) if weights is not None else int(classes.max(initial=-1)) + 1
    if classes.size and int(classes.max()) >= count:
        raise StratawatchError("a class has no weight", expected=f"classes 0 to {count - 1}")
    n = np.bincount(classes, minlength=count).astype(np.float64)
    wanted = np.ones(count) if weights is None else weights
    if bool((wanted < 0).any()) or wanted.sum() <= 0:
        raise StratawatchError("the weights of classes do not add up to anything", expected="0 or more, not all 0")
    w = wanted / wanted.sum()
    thin = np.flatnonzero((w > 0) & (n < 2))
    if thin.size:
        return Undefined(f"{thin.size} of {count} classes have fewer than two probes")
    p = np.bincount(classes, weights=events, minlength=count) / np.maximum(n, 1)
    variance = float((w**2 * p * (1 - p) / np.maximum(n - 1, 1)).sum())
    return ByClass(p, w, float(w @ p), variance)
