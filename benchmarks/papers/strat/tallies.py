"""How often intervals held the truth, with the Monte Carlo error of that."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.papers.strat.brr import ClassifierCalls, brr, of_metric, positives
from benchmarks.papers.strat.linearised import linearised
from benchmarks.papers.strat.replicates import ReplicationOptions, make_replicates
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.replication.replicated_estimate import ReplicatedEstimate
from stratawatch.core.estimation.replication.replicates import Replicates
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Floats

CONFIDENCE: Final = 0.95
DELTA: Final = "delta"
GROUPS: Final = "BRR, 2 groups"
FAY: Final = "BRR, 2 groups, Fay .5"
PAIRS: Final = "BRR, pairs"
REPLICATIONS: Final = {
    GROUPS: ReplicationOptions(),
    FAY: ReplicationOptions(fay=0.5),
    PAIRS: ReplicationOptions(split=True),
}

Ends = tuple[float, float]
NONE: Final[Ends] = (np.nan, np.nan)
"""An interval that could not be told."""


@dataclass(frozen=True)
class Tally:
    """Intervals of one way (runs x classifiers, two ends) held against the truths of the classifiers."""

    ends: Floats
    truths: Floats

    @property
    def defined(self) -> float:
        """Share of the intervals that could be told."""
        return float((~np.isnan(self.ends[..., 0])).mean())

    @property
    def coverage(self) -> float:
        """Share of those that held the truth."""
        told = ~np.isnan(self.ends[..., 0])
        return float(self._held[told].mean()) if told.any() else float("nan")

    @property
    def error(self) -> float:
        """The standard error of the coverage; classifiers share labels, so runs are what is independent."""
        told = ~np.isnan(self.ends[..., 0])
        residuals = np.where(told, self._held - self.coverage, 0.0).sum(axis=1)
        return float(np.sqrt((residuals**2).sum()) / max(told.sum(), 1))

    @property
    def half_width(self) -> float:
        """Half the mean length."""
        return float(np.nanmean(self.ends[..., 1] - self.ends[..., 0]) / 2)

    @property
    def _held(self) -> Floats:
        return ((self.ends[..., 0] <= self.truths) & (self.truths <= self.ends[..., 1])).astype(np.float64)


class Reader:
    """One run's labels, read in every way: replicates once made serve all classifiers and metrics."""

    def __init__(self, strata: StratifiedUnits, ways: Sequence[str], rng: np.random.Generator) -> None:
        self._strata = strata
        self._made = {name: make_replicates(strata, REPLICATIONS[name], rng) for name in ways}

    def ends(self, metric: str, yes: Flags, calls: ClassifierCalls) -> dict[str, Ends]:
        """The interval of every way, the delta method first."""
        found = {DELTA: _ends(linearised(self._strata, yes, calls, metric))}
        for name, made in self._made.items():
            found[name] = _ends(self._brr(made, metric, yes, calls))
        return found

    def _brr(
        self, made: Replicates | Undefined, metric: str, yes: Flags, calls: ClassifierCalls
    ) -> ReplicatedEstimate | Undefined:
        if isinstance(made, Undefined):
            return made
        return brr(made, positives(yes, calls), of_metric(metric_named(metric), calls))


def _ends(found: ReplicatedEstimate | Undefined) -> Ends:
    """The plain symmetric interval: what is cut off at 0 and 1 holds no truth."""
    return NONE if isinstance(found, Undefined) else found.ends(CONFIDENCE)
