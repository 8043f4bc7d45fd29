"""Metrics by name, in the order people ask for them. A new one is a file beside these and a line here."""

from typing import Final

from stratawatch.core.estimation.metrics.accuracy import Accuracy
from stratawatch.core.estimation.metrics.f1 import F1
from stratawatch.core.estimation.metrics.false_omission_rate import FalseOmissionRate
from stratawatch.core.estimation.metrics.metric import Metric
from stratawatch.core.estimation.metrics.negative_predictive_value import NegativePredictiveValue
from stratawatch.core.estimation.metrics.precision import Precision
from stratawatch.core.estimation.metrics.prevalence import Prevalence
from stratawatch.core.estimation.metrics.recall import Recall
from stratawatch.core.estimation.metrics.specificity import Specificity
from stratawatch.errors import StratawatchError

_EVERY: Final[tuple[Metric, ...]] = (
    Precision(),
    Recall(),
    FalseOmissionRate(),
    F1(),
    Accuracy(),
    Specificity(),
    NegativePredictiveValue(),
    Prevalence(),
)
METRICS: Final[dict[str, Metric]] = {metric.name: metric for metric in _EVERY}
REPORTED: Final = ("precision", "recall", "false_omission_rate")
"""What is estimated where nobody asks for anything else."""


def metric_named(name: str) -> Metric:
    """The metric of that name."""
    if name not in METRICS:
        raise StratawatchError(f"there is no metric '{name}'", expected=f"one of {', '.join(METRICS)}")
    return METRICS[name]
