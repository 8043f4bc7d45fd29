"""Precision: how often a positive call is right."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.metrics.metric import Called, Domain, known_share, untold
from stratawatch.core.estimation.sides import Side
from stratawatch.core.population import Floats
from stratawatch.core.results import Known, Undefined


@dataclass(frozen=True)
class Precision:
    """P(y = 1 | A) = T/|A|; gradient I/|A|."""

    name: str = "precision"
    words: str = "precision"
    small_is_good: bool = False
    default_margin: float = 0.03
    method: str = "stratified share, FF/MID"

    def gradient(self, positive: Flags, negative: Flags, sizes: Floats, rates: Floats) -> Floats:  # noqa: ARG002
        """I/|A|."""
        return np.where(positive, 1 / max(float(sizes[positive].sum()), 1.0), 0.0)

    def outcome(self, positive: Side, negative: Side, confidence: float) -> Known | Undefined:  # noqa: ARG002
        """The share of positives among the items called positive."""
        return untold(positive, "positive") or known_share(positive, confidence)

    def labels(self, positive: Side, negative: Side) -> int:  # noqa: ARG002 - one shape for all
        """Labels of items called positive."""
        return positive.labels

    def domain(self, called: Called) -> Domain | None:
        """The items called positive."""
        return Domain(called.positive)
