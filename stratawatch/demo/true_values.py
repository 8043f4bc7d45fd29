"""The true values of metrics, from the truth of every item."""

from stratawatch.core.metrics import METRICS, REPORTED, ConfusionCounts
from stratawatch.demo.messages import Booleans
from stratawatch.demo.models import CLASSIFIERS

TrueValues = dict[tuple[str, str], float]
"""By (classifier, metric)."""


def true_values(calls: Booleans, truth: Booleans, inside: Booleans | None = None) -> TrueValues:
    """Every metric of every classifier, over all items or `inside` a segment.

    >>> import numpy as np
    >>> calls = np.array([[1, 1, 0, 1], [1, 0, 0, 0], [0, 0, 0, 0]], dtype=bool)
    >>> values = true_values(calls, np.array([True, False, True]))
    >>> values["logistic", "precision"], values["logistic", "recall"], values["trees", "precision"]
    (0.5, 0.5, 1.0)
    """
    if inside is not None:
        calls, truth = calls[inside], truth[inside]
    return {
        (name, metric): _value(metric, calls[:, column], truth)
        for column, name in enumerate(CLASSIFIERS)
        for metric in REPORTED
    }


def _value(metric: str, calls: Booleans, truth: Booleans) -> float:
    """The metric, or NaN for an empty denominator, which lies in no interval."""
    hits, size = METRICS[metric].share(ConfusionCounts.of_calls(calls, truth))
    return float(hits / size) if size else float("nan")
