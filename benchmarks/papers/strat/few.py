"""Windows whose labels hardly disagree: how many must say yes, and how many no, before replicates tell anything.

Every run is a new window of 10,000 items. A classifier calls 15% of them positive, of which `precision` are; of the
others `missed` are positive as well. Scores say little more than the calls do.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.coverage.cycles import Frozen
from benchmarks.coverage.population import Items, Population
from benchmarks.papers.strat.joint import chosen
from benchmarks.papers.strat.tallies import CONFIDENCE, Ends, Tally
from benchmarks.shape import Row, Verdict
from stratawatch.core.estimation.variance_methods.brr import MIN_LABELS_OF_EACH_VERDICT, BalancedReplication
from stratawatch.core.goals import SurveySpec
from stratawatch.core.population import NEGATIVE, POSITIVE

METRICS: Final = ("precision", "recall", "f1", "false_omission_rate", "accuracy")
LEAST: Final = (0, 1, 2, 3, MIN_LABELS_OF_EACH_VERDICT, 8)
LABELS: Final = (100, 300)
ITEMS: Final = 10_000
CALLED: Final = 0.15
ENOUGH: Final = 0.3
"""A coverage is judged where at least this part of the intervals is told."""


@dataclass(frozen=True)
class World:
    """How often people say yes on either side of the classifier."""

    name: str
    precision: float
    missed: float


WORLDS: Final = (World("sharp", 0.98, 0.005), World("fair", 0.9, 0.02), World("soft", 0.7, 0.08))


@dataclass(frozen=True)
class Cell:
    """Coverage by metric and by the least number of labels that say yes, and no."""

    world: World
    labels: int
    tallies: Mapping[tuple[str, int], Tally]

    def rows(self) -> Iterator[Row]:
        """One a metric and least number."""
        for (metric, least), tally in self.tallies.items():
            yield {
                "few labels disagree": self.world.name,
                "labels": self.labels,
                "metric": metric,
                "at least": least,
                "coverage": round(tally.coverage, 4) if tally.defined else None,
                "± (MC)": round(tally.error, 4),
                "half-width": round(tally.half_width, 4) if tally.defined else None,
                "told": round(tally.defined, 3),
            }


def cells(seed: int, runs: int) -> list[Cell]:
    """Every world and number of labels."""
    return [
        cell(world, labels, runs, np.random.default_rng([seed, 6, place, labels]))
        for place, world in enumerate(WORLDS)
        for labels in LABELS
    ]


def aims(cells: list[Cell]) -> list[Verdict]:
    """The lowest coverage of what is told in enough windows, with the number that the product wants and with none."""
    lowest = {
        least: min(
            one.tallies[metric, least].coverage
            for one in cells
            for metric in METRICS
            if one.tallies[metric, least].defined >= ENOUGH
        )
        for least in (0, MIN_LABELS_OF_EACH_VERDICT)
    }
    return [
        Verdict(
            f"strat: lowest coverage of BRR with {MIN_LABELS_OF_EACH_VERDICT} labels of each",
            "aim",
            lowest[MIN_LABELS_OF_EACH_VERDICT],
            0.90,
            ">=",
        ),
        Verdict("strat: with labels that agree", "aim", lowest[0], 0.50, "<="),
    ]


def cell(world: World, labels: int, runs: int, rng: np.random.Generator) -> Cell:
    """So many windows."""
    truths = np.empty((runs, len(METRICS)))
    ends = np.empty((len(LEAST), runs, len(METRICS), 2))
    for run in range(runs):
        population = Population.of(_items(world, rng), ("c1",))
        truths[run] = [population.truth(metric, 0) for metric in METRICS]
        frozen = Frozen.of(population, SurveySpec(budget=labels, confidence=CONFIDENCE))
        (known,) = frozen.cycles(rng, 1)
        seed = int(rng.integers(2**32))
        for place, least in enumerate(LEAST):
            found = chosen(frozen.cells, known, np.random.default_rng(seed), BalancedReplication(least), METRICS)
            told: list[Ends] = [found[metric][0] for metric in METRICS]
            ends[place, run] = told
    tallies = {
        (metric, least): Tally(ends[place, :, column : column + 1], truths[:, column : column + 1])
        for place, least in enumerate(LEAST)
        for column, metric in enumerate(METRICS)
    }
    return Cell(world, labels, tallies)


def _items(world: World, rng: np.random.Generator) -> Items:
    called = rng.random(ITEMS) < CALLED
    scores = np.where(called, world.precision, world.missed) + 0.01 * rng.normal(size=ITEMS)
    labels = rng.random(ITEMS) < np.where(called, world.precision, world.missed)
    return Items(np.where(called, POSITIVE, NEGATIVE)[:, None], np.clip(scores, 0, 1), labels)
