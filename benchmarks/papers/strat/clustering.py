"""What clusters do to an interval: drawn whole as in Cochran's example, and met by a random draw of items."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.papers.strat.brr import ClassifierCalls
from benchmarks.papers.strat.cluster_shares import cluster_share, kish_error
from benchmarks.papers.strat.linearised import Clustered, clustered, linearised
from benchmarks.papers.strat.tallies import CONFIDENCE, NONE, Ends, Tally
from benchmarks.shape import Row
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.population import Counts, Floats

CORRELATIONS: Final = (0.0, 0.02, 0.05, 0.1, 0.2, 0.45)
DRAWN, SITES, SHARE = 61, 6, 0.418
"""Clusters as in the leprosy example."""
CUSTOMERS, LABELS, ITEMS = 60, 600, 30_000
"""A window of large customers, and labels drawn from its items at random."""
MADE_OF_60: Final = 0.1
BINOMIAL, CLUSTERS = "binomial", "clusters"


@dataclass(frozen=True)
class Whole:
    """Coverage with whole clusters of one correlation."""

    correlation: float
    tallies: Mapping[str, Tally]

    @property
    def foretold(self) -> float:
        """What Kish's formula says of the binomial interval."""
        return 1 - kish_error(self.correlation * (SITES - 1))

    def rows(self) -> Iterator[Row]:
        """One a way."""
        for way, tally in self.tallies.items():
            yield {
                "clusters drawn whole, rho": self.correlation,
                "interval": way,
                "coverage": round(tally.coverage, 4),
                "± (MC)": round(tally.error, 4),
                "by Kish's formula": round(self.foretold, 4) if way == BINOMIAL else "",
            }


@dataclass(frozen=True)
class Items:
    """Coverage where items are drawn, not clusters: of the window's own precision, and of the customers' in general."""

    tallies: Mapping[tuple[str, str], Tally]
    design_effect: float

    def rows(self) -> Iterator[Row]:
        """One a question and way."""
        for (question, way), tally in self.tallies.items():
            yield {
                "items drawn at random, about": question,
                "interval": way,
                "coverage": round(tally.coverage, 4),
                "± (MC)": round(tally.error, 4),
                "mean design effect": round(self.design_effect, 2) if way == CLUSTERS else 1.0,
            }


def whole(seed: int, runs: int) -> list[Whole]:
    """Clusters drawn whole, every correlation."""
    return [_whole(rho, runs, np.random.default_rng([seed, 3, place])) for place, rho in enumerate(CORRELATIONS)]


def _whole(rho: float, runs: int, rng: np.random.Generator) -> Whole:
    yes = rng.binomial(SITES, _chances(rho, (runs, DRAWN), rng)).astype(np.float64)
    found = [cluster_share(row, np.full(DRAWN, float(SITES))) for row in yes]
    ends: dict[str, list[list[Ends]]] = {BINOMIAL: [], CLUSTERS: []}
    for one in found:
        errors = (np.nan, np.nan) if isinstance(one, Undefined) else (one.binomial_error, one.standard_error)
        share = np.nan if isinstance(one, Undefined) else one.share
        for way, error in zip(ends, errors, strict=True):
            half = normal_quantile(CONFIDENCE) * error
            ends[way].append([(share - half, share + half)])
    return Whole(rho, {way: Tally(np.array(every), np.array([SHARE])) for way, every in ends.items()})


def items(seed: int, runs: int) -> Items:
    """600 labels of a window of 30,000 items that 60 customers made."""
    rng = np.random.default_rng([seed, 4])
    ends: dict[str, list[list[Ends]]] = {BINOMIAL: [], CLUSTERS: []}
    windows, effects = [], []
    for _ in range(runs):
        customers = rng.integers(CUSTOMERS, size=ITEMS)
        right = rng.random(ITEMS) < _chances(MADE_OF_60, (CUSTOMERS,), rng)[customers]
        plain, grouped = _read(customers, right, rng.choice(ITEMS, LABELS, replace=False))
        ends[BINOMIAL].append([plain])
        ends[CLUSTERS].append([NONE if isinstance(grouped, Undefined) else grouped.spread.ends(CONFIDENCE)])
        effects.append(np.nan if isinstance(grouped, Undefined) else grouped.design_effect)
        windows.append([right.mean()])
    truths = {"this window": np.array(windows), "windows to come": np.array([SHARE])}
    tallies = {(q, way): Tally(np.array(ends[way]), truth) for q, truth in truths.items() for way in ends}
    return Items(tallies, float(np.nanmean(effects)))


def _read(customers: Counts, right: Flags, drawn: Counts) -> tuple[Ends, Clustered | Undefined]:
    everything = np.ones(LABELS, dtype=np.bool_)
    calls = ClassifierCalls(everything, ~everything, float(ITEMS), 0.0)
    strata = StratifiedUnits(np.zeros(LABELS, dtype=np.int64), np.array([float(ITEMS)]), customers[drawn])
    plain = linearised(strata, right[drawn], calls, "precision")
    found = NONE if isinstance(plain, Undefined) else plain.ends(CONFIDENCE)
    return found, clustered(strata, right[drawn], calls, "precision")


def _chances(rho: float, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Chances of clusters: Beta with mean SHARE, whose elements are correlated by rho."""
    if rho == 0:
        return np.full(shape, SHARE)
    certain = 1 / rho - 1
    return rng.beta(SHARE * certain, (1 - SHARE) * certain, size=shape)
