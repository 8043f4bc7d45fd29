"""A measured baseline: the metric, the evidence for its value, and when it is in force."""

from dataclasses import dataclass

from stratawatch.core.baselines.baseline_evidence import BaselineShare, TwoSampleBaseline
from stratawatch.core.estimate import IntervalEstimate, Undefined


@dataclass(frozen=True)
class Baseline:
    """One metric of one classifier. `n` are the labelled items; `seed` is None where nothing was drawn.

    It is in force from `valid_from` until before `valid_until`, both as UTC in ISO 8601; None: without end.
    """

    metric: str
    evidence: BaselineShare | TwoSampleBaseline | Undefined
    method: str
    n: int
    seed: int | None = None
    valid_from: str | None = None
    valid_until: str | None = None

    def interval_at(self, confidence: float = 0.95) -> IntervalEstimate | Undefined:
        """The value inside its interval, or why there is none."""
        return self.evidence if isinstance(self.evidence, Undefined) else self.evidence.interval_at(confidence)
