"""What labels say about one metric: a value inside its interval, or no value and the reason."""

from dataclasses import dataclass

from stratawatch.core.population import Segment


@dataclass(frozen=True)
class IntervalEstimate:
    """A value inside its interval. `n_eff` is the size of a simple random sample that would be as precise.

    >>> round(IntervalEstimate(value=0.8, low=0.71, high=0.87, n_eff=98.0).half_width, 3)
    0.08
    """

    value: float
    low: float
    high: float
    n_eff: float

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    def complement(self) -> "IntervalEstimate":
        """The same about one minus the value."""
        return IntervalEstimate(1 - self.value, 1 - self.high, 1 - self.low, self.n_eff)


@dataclass(frozen=True)
class Undefined:
    """No information, and the reason why, in words for a person. It is never a 0, a NaN or a None.

    >>> Undefined("lr called nothing positive").reason
    'lr called nothing positive'
    """

    reason: str


@dataclass(frozen=True)
class Estimate:
    """One metric of one classifier, over the whole population or inside one segment.

    `deff` is the design effect of labels that come in clusters, which the interval counts; None: no clusters are known.

    >>> nothing = Undefined("lr called nothing positive")
    >>> Estimate("lr", "precision", None, nothing, labels_used=0, method="", confidence=0.95).result.reason
    'lr called nothing positive'
    """

    classifier: str
    metric: str
    segment: Segment | None
    result: IntervalEstimate | Undefined
    labels_used: int
    method: str
    confidence: float
    deff: float | None = None
