"""What it costs to form random groups: 240 labels in few or many strata, alike or of very different weight."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.papers.strat.brr import ClassifierCalls
from benchmarks.papers.strat.tallies import DELTA, GROUPS, PAIRS, Reader, Tally
from benchmarks.shape import Row
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.planning.integer_allocation import clip_and_round
from stratawatch.core.population import Floats

LABELS: Final = 240
STRATA: Final = (3, 6, 12, 24, 60)
WAYS: Final = (DELTA, GROUPS, PAIRS)
SKEW: Final = 0.65
"""Of unlike strata each has this part of the one before, until the smallest has a hundredth of the largest."""


@dataclass(frozen=True)
class Cell:
    """So many strata, alike or not, with 240 labels in proportion to their sizes, two at least."""

    alike: bool
    strata: int
    tallies: Mapping[str, Tally]

    def rows(self) -> Iterator[Row]:
        """One a way."""
        for way, tally in self.tallies.items():
            yield {
                "240 labels, strata": self.strata,
                "of weights": "alike" if self.alike else "unlike",
                "way": way,
                "coverage": round(tally.coverage, 4),
                "± (MC)": round(tally.error, 4),
                "half-width": round(tally.half_width, 4),
            }


def cells(seed: int, runs: int) -> list[Cell]:
    """Every number of strata, of both kinds."""
    return [
        _cell(alike, strata, runs, np.random.default_rng([seed, strata, alike]))
        for alike in (True, False)
        for strata in STRATA
    ]


def weights(strata: int, *, alike: bool) -> Floats:
    """W_h."""
    found = np.ones(strata) if alike else np.maximum(SKEW ** np.arange(strata), 0.01)
    return np.asarray(found / found.sum(), dtype=np.float64)


def _cell(alike: bool, strata: int, runs: int, rng: np.random.Generator) -> Cell:
    shares, w = np.linspace(0.3, 0.7, strata), weights(strata, alike=alike)
    each = clip_and_round(w, np.full(strata, 2), np.full(strata, LABELS), LABELS)
    known = StratifiedUnits(np.repeat(np.arange(strata), each), 1e7 * w)
    everything = np.ones(LABELS, dtype=np.bool_)
    calls = ClassifierCalls(everything, ~everything, 1e7, 0.0)
    ends: dict[str, list[list[tuple[float, float]]]] = {way: [] for way in WAYS}
    for _ in range(runs):
        yes = rng.random(LABELS) < np.repeat(shares, each)
        for way, found in Reader(known, (GROUPS, PAIRS), rng).ends("precision", yes, calls).items():
            ends[way].append([found])
    truth = np.array([float(w @ shares)])
    return Cell(alike, strata, {way: Tally(np.array(found), truth) for way, found in ends.items()})
