"""What a classifier answered, against the truth: four counts, and the metrics that are shares of them."""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Floats
from stratawatch.errors import StratawatchError


class Answers(NamedTuple):
    """True and false positives, false and true negatives: numbers, or arrays of one shape."""

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats


class Part(NamedTuple):
    """A share as its two counts: `yes` of `of`."""

    yes: Floats
    of: Floats


SHARES: Final[dict[str, Callable[[Answers], Part]]] = {
    "precision": lambda a: Part(a.tp, a.tp + a.fp),
    "recall": lambda a: Part(a.tp, a.tp + a.fn),
    "false_omission_rate": lambda a: Part(a.fn, a.fn + a.tn),
    "accuracy": lambda a: Part(a.tp + a.tn, a.tp + a.fp + a.fn + a.tn),
    "specificity": lambda a: Part(a.tn, a.tn + a.fp),
    "negative_predictive_value": lambda a: Part(a.tn, a.tn + a.fn),
}
"""The metrics that are a share of labelled items. F1 is none, and prevalence says nothing of a classifier."""
REPORTED: Final = ("precision", "recall", "false_omission_rate", "accuracy")
"""What a baseline is taken of where nobody asks for anything else."""
LACKING: Final = {
    "precision": "no labelled item is called positive",
    "recall": "no labelled item is positive",
    "false_omission_rate": "no labelled item is called negative",
    "accuracy": "there are no labelled items",
    "specificity": "no labelled item is negative",
    "negative_predictive_value": "no labelled item is called negative",
}
"""Why a share is of nothing, in words."""


def one_hot(calls: Flags, truth: Flags) -> Answers:
    """Each item's own answer: arrays as long as the items, 1 in one of the four and 0 in the others."""
    if calls.shape != truth.shape:
        raise StratawatchError(
            "calls and truth do not belong together",
            expected="as many of the one as of the other",
            got=f"{calls.size} calls and {truth.size} truths",
        )
    kinds = (calls & truth, calls & ~truth, ~calls & truth, ~calls & ~truth)
    return Answers(*(np.asarray(kind, dtype=np.float64) for kind in kinds))


def count(calls: Flags, truth: Flags) -> Answers:
    """The four counts.

    >>> [int(n) for n in count(np.array([True, True, False]), np.array([True, False, False]))]
    [1, 1, 0, 1]
    """
    return Answers(*(np.asarray(kind.sum(axis=-1)) for kind in one_hot(calls, truth)))


def share(metric: str, answers: Answers) -> Part:
    """The two counts of a metric.

    >>> [float(n) for n in share("recall", Answers(*(np.array(float(n)) for n in (80, 5, 20, 895))))]
    [80.0, 100.0]
    """
    if metric not in SHARES:
        raise StratawatchError(
            f"there is no baseline of '{metric}'", expected=f"one of {', '.join(SHARES)}", hint="others are no shares"
        )
    return SHARES[metric](answers)
