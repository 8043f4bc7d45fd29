"""The product's joint design, its labels read by balanced replicates, by the delta method and by its own interval."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from benchmarks.coverage.cycles import Frozen, both_sides, labelled
from benchmarks.coverage.draws import pools
from benchmarks.coverage.panels import PANELS
from benchmarks.coverage.population import Population
from benchmarks.coverage.simulation import said
from benchmarks.papers.strat.brr import ClassifierCalls, expand_counts
from benchmarks.papers.strat.tallies import CONFIDENCE, FAY, GROUPS, NONE, PAIRS, Ends, Reader, Tally
from benchmarks.shape import Row
from stratawatch.core.cells import Cells
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.estimation.interval import logit_ends
from stratawatch.core.estimation.metric_estimates import EstimationRequest, estimate_metrics
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.estimation.variance_methods.brr import BalancedReplication
from stratawatch.core.goals import SurveySpec
from stratawatch.core.labelled_sample import LabelledItems, LabelledSample
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Candidates, Floats

OWN: Final = "the product's"
CHOSEN: Final = 'variance = "brr"'
SMOOTH: Final = "logit delta, smoothed"
METRICS: Final = ("precision", "recall", "f1")
WORLDS: Final = ("panel of four", "panel of all precisions", "panel, hard positives")
TWO_ROUNDS: Final = "two rounds"
ONE_DRAW: Final = "planned before"


@dataclass(frozen=True)
class Cell:
    """A panel and a number of labels, and what every way made of a metric."""

    world: str
    draw: str
    labels: int
    tallies: Mapping[tuple[str, str], Tally]

    def rows(self) -> Iterator[Row]:
        """One a way and metric."""
        for (way, metric), tally in self.tallies.items():
            yield {
                "joint design": self.world,
                "draw": self.draw,
                "labels": self.labels,
                "metric": metric,
                "way": way,
                "coverage": round(tally.coverage, 4),
                "± (MC)": round(tally.error, 4),
                "half-width": round(tally.half_width, 4),
                "told": round(tally.defined, 3),
            }


def cells(seed: int, runs: int, worlds: Sequence[str], labels: Sequence[int]) -> list[Cell]:
    """Every world, draw and number of labels."""
    return [
        cell(name, draw, n, runs, [seed, place, n])
        for place, name in enumerate(worlds)
        for draw in (TWO_ROUNDS, ONE_DRAW)
        for n in labels
    ]


def cell(name: str, draw: str, labels: int, runs: int, seed: Sequence[int]) -> Cell:
    """Cycles of the product on one population: its strata, its plans."""
    panel = next(panel for panel in PANELS if panel.name == name)
    rng = np.random.default_rng(seed)
    items = panel.items(rng, panel.size)
    population = Population.of(items, panel.classifiers, panel.auxiliary)
    frozen = Frozen.of(population, SurveySpec(budget=labels, confidence=CONFIDENCE))
    known = list(frozen.cycles(rng, runs) if draw == TWO_ROUNDS else _planned(frozen, rng, runs))
    truths = {m: np.array([population.truth(m, c) for c in range(len(panel.classifiers))]) for m in METRICS}
    sides = [both_sides(frozen.cells, one) for one in known]
    own, smooth = said(sides), SideEstimates.stack(sides).at((slice(None), 0))
    tallies = {
        (OWN, m): Tally(np.stack([np.stack([i.low, i.high], axis=-1) for i in own[m]], axis=1), truths[m])
        for m in METRICS
    } | {(SMOOTH, m): Tally(_logit_delta(smooth, m), truths[m]) for m in METRICS}
    every = [{**_read(frozen.cells, one, rng), **_chosen(frozen.cells, one, rng)} for one in known]
    for way, metric in every[0]:
        ends: Floats = np.array([run[way, metric] for run in every])
        tallies[way, metric] = Tally(ends, truths[metric])
    return Cell(name, draw, labels, tallies)


def _chosen(cells: Cells, known: LabelledSample, rng: np.random.Generator) -> dict[tuple[str, str], list[Ends]]:
    return {
        (CHOSEN, metric): ends for metric, ends in chosen(cells, known, rng, BalancedReplication(), METRICS).items()
    }


def chosen(
    cells: Cells, known: LabelledSample, rng: np.random.Generator, variance: BalancedReplication, metrics: Sequence[str]
) -> dict[str, list[Ends]]:
    """The product's own reading with variance = "brr"; its labels, and how they are dealt, need rows."""
    folds, atoms = np.divmod(np.arange(known.labelled.size), known.labelled.shape[1])
    n, k = (part.ravel().astype(np.int64) for part in (known.labelled, known.positive))
    places, yes = expand_counts(n, k)
    digests = tuple(f"{number:032x}" for number in rng.permutation(len(places)).tolist())
    pool = Candidates(digests, atoms[places], digests)
    rows = LabelledItems(pool, np.arange(len(places)), folds[places], yes.astype(np.float64))
    request, told = EstimationRequest(CONFIDENCE, tuple(metrics), (None,)), replace(known, items=rows)
    found: dict[str, list[Ends]] = {}
    for one in variance.apply(estimate_metrics(cells, (), told, request), cells, (), told, request):
        ends = (one.result.low, one.result.high) if isinstance(one.result, IntervalEstimate) else NONE
        found.setdefault(one.metric, []).append(ends)
    return found


def _logit_delta(sides: SideEstimates, name: str) -> Floats:
    """The delta method on the logit scale with the variances that the product smooths by its working model."""
    metric = metric_named(name)
    value = metric.value(sides.table)
    ends = logit_ends(value, sides.variance_of(*metric.slopes(sides.table)), CONFIDENCE)
    return np.stack([ends.low, ends.high], axis=-1)


def _planned(frozen: Frozen, rng: np.random.Generator, runs: int) -> Iterator[LabelledSample]:
    """All labels at once, as many a stratum as another cycle's second round came to: no plan follows its own labels."""
    totals = next(iter(frozen.cycles(rng, 1))).drawn
    cells = frozen.cells
    made = pools(rng, cells.strata, cells.sizes.astype(np.int64), frozen.yes, totals.tolist(), runs)
    yield from labelled(made.counted(totals[None]), np.broadcast_to(totals, (runs, len(totals))))


def _read(cells: Cells, known: LabelledSample, rng: np.random.Generator) -> dict[tuple[str, str], list[Ends]]:
    """Intervals by (way, metric), a classifier each: counts by atom become labels again."""
    n, k = (part.sum(axis=0).astype(np.int64) for part in (known.labelled, known.positive))
    atoms, yes = expand_counts(n, k)
    strata = StratifiedUnits(cells.strata[atoms], cells.stratum_sizes)
    reader = Reader(strata, (GROUPS, FAY, PAIRS), rng)
    found: dict[tuple[str, str], list[Ends]] = {}
    for classifier in range(len(cells.classifiers)):
        positive, negative = cells.positive[:, classifier], cells.negative[:, classifier]
        calls = ClassifierCalls(
            positive[atoms], negative[atoms], float(cells.sizes @ positive), float(cells.sizes @ negative)
        )
        for metric in METRICS:
            for way, ends in reader.ends(metric, yes, calls).items():
                found.setdefault((way, metric), []).append(ends)
    return found
