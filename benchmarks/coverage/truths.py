"""What every metric really is, from counts of the whole population."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Confusion:
    """One classifier's items: called positive and negative, and the positives among them."""

    called: float
    passed: float
    found: float
    missed: float


TRUTHS: Final[Mapping[str, Callable[[Confusion], float]]] = {
    "precision": lambda c: c.found / c.called,
    "recall": lambda c: c.found / (c.found + c.missed),
    "false_omission_rate": lambda c: c.missed / c.passed,
    "f1": lambda c: 2 * c.found / (c.called + c.found + c.missed),
    "accuracy": lambda c: (c.found + c.passed - c.missed) / (c.called + c.passed),
    "specificity": lambda c: (c.passed - c.missed) / (c.called + c.passed - c.found - c.missed),
    "negative_predictive_value": lambda c: 1 - c.missed / c.passed,
    "prevalence": lambda c: (c.found + c.missed) / (c.called + c.passed),
}
MAIN: Final = ("precision", "recall", "false_omission_rate")
"""The metrics that the promises are about; the others are reported and aimed at."""
