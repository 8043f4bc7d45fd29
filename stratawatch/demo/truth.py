"""True values: what a metric is when every item's truth is known."""

from collections.abc import Callable, Mapping
from typing import Final

from stratawatch.demo.messages import Booleans
from stratawatch.demo.models import CLASSIFIERS

Values = dict[tuple[str, str], float]
"""By (classifier, metric)."""

_METRICS: Final[Mapping[str, Callable[[Booleans, Booleans], float]]] = {
    "precision": lambda call, truth: _share(of=truth, among=call),
    "recall": lambda call, truth: _share(of=call, among=truth),
    "false_omission_rate": lambda call, truth: _share(of=truth, among=~call),
}
METRICS: Final = tuple(_METRICS)


def true_values(calls: Booleans, truth: Booleans, inside: Booleans | None = None) -> Values:
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
        (name, metric): value(calls[:, column], truth)
        for column, name in enumerate(CLASSIFIERS)
        for metric, value in _METRICS.items()
    }


def _share(of: Booleans, among: Booleans) -> float:
    """The ratio, or NaN for an empty denominator, which lies in no interval."""
    return float(of[among].mean()) if among.any() else float("nan")
