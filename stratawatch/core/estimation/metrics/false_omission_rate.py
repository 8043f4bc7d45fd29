"""False-omission rate: how often a negative call is wrong."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.metrics.metric import Called, Domain, known_share, untold
from stratawatch.core.estimation.sides import Side
from stratawatch.core.population import Floats
from stratawatch.core.results import Known, Undefined


@dataclass(frozen=True)
class FalseOmissionRate:
    """P(y = 1 | B) = F/|B|; gradient (1 - I)/|B|."""

    name: str = "false_omission_rate"
    words: str = "false-omission rate"
    small_is_good: bool = True
    default_margin: float = 0.01
    method: str = "stratified share, FF/MID"

    def gradient(self, positive: Flags, negative: Flags, sizes: Floats, rates: Floats) -> Floats:  # noqa: ARG002
        """(1 - I)/|B|."""
        return np.where(negative, 1 / max(float(sizes[negative].sum()), 1.0), 0.0)

    def outcome(self, positive: Side, negative: Side, confidence: float) -> Known | Undefined:  # noqa: ARG002
        """The share of positives among the items called negative."""
        return untold(negative, "negative") or known_share(negative, confidence)

    def labels(self, positive: Side, negative: Side) -> int:  # noqa: ARG002 - one shape for all
        """Labels of items called negative."""
        return negative.labels

    def domain(self, called: Called) -> Domain | None:
        """The items called negative."""
        return Domain(called.negative)
