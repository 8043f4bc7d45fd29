"""What labels say about one metric: a value inside its interval, or no value and the reason."""

from dataclasses import dataclass

from stratawatch.core.population import Segment


@dataclass(frozen=True)
class Known:
    """A value inside its interval. `n_eff`: the simple random sample that would know it as well."""

    value: float
    low: float
    high: float
    n_eff: float

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Undefined:
    """No information, and the reason why, in words for a person."""

    reason: str


@dataclass(frozen=True)
class Estimate:
    """One metric of one classifier, over the whole population or inside one segment.

    `deff` is the design effect of labels that come in clusters, which the interval counts; None: no clusters are known.
    """

    classifier: str
    metric: str
    segment: Segment | None
    outcome: Known | Undefined
    labels_used: int
    method: str
    confidence: float
    deff: float | None = None
