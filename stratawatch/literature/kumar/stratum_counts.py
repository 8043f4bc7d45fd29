"""What has been asked and answered in every stratum."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class StratumCounts:
    """Per stratum: items sent to people, those with a verdict, and the yes among them (right calls, for accuracy)."""

    drawn: Counts
    labels: Counts
    yes: Counts

    def __post_init__(self) -> None:
        if not (len(self.drawn) == len(self.labels) == len(self.yes)):
            raise StratawatchError("a tally does not fit its strata", expected="as many counts of every kind")
        if ((self.yes < 0) | (self.yes > self.labels) | (self.labels > self.drawn)).any():
            raise StratawatchError("a tally contradicts itself", expected="0 <= yes <= labels <= asked in each stratum")

    @classmethod
    def none_drawn(cls, strata: int) -> "StratumCounts":
        """Before the first item is asked about."""
        none = np.zeros(strata, dtype=np.int64)
        return cls(none, none, none)

    @classmethod
    def answered(cls, labels: Counts, yes: Counts) -> "StratumCounts":
        """Every item that was asked about has its verdict."""
        return cls(labels, labels, yes)


def sample_deviation(labels: Counts, yes: Counts, pseudo_labels: float = 0.0) -> Floats:
    """The standard deviation s_k, s_k^2 = n_k/(n_k - 1) a_k (1 - a_k): eq. 3, for arrays of any shape.

    `pseudo_labels` adds so many right and as many wrong labels to every stratum first, so that none looks pure.

    >>> sample_deviation(np.array([2, 5]), np.array([1, 5])).round(4).tolist()
    [0.7071, 0.0]
    >>> sample_deviation(np.array([2, 5]), np.array([1, 5]), pseudo_labels=1).round(4).tolist()
    [0.5774, 0.378]
    """
    count = labels + 2 * pseudo_labels
    share = (yes + pseudo_labels) / np.maximum(count, 1)
    return np.asarray(np.sqrt(count / np.maximum(count - 1, 1) * share * (1 - share)), dtype=np.float64)
