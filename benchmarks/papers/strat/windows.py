"""Windows of customers whose errors hang together, labelled by the product's own design: what the column is worth.

Every run is a new window with new customers. An item's label is 1 if U < p(score); with probability sqrt(rho) U is
its customer's own number, so that two labels of one customer and one score are correlated by rho. Likewise a share
`own` of the calls and of the scores are their customer's: then customers differ in what is foretold of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from benchmarks.papers.strat.tallies import CONFIDENCE, NONE, Ends, Tally
from benchmarks.shape import Row, Verdict
from stratawatch.core.cells import Flags
from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes, stratify_for_survey
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.core.goals import SurveySpec
from stratawatch.core.population import Candidates, Census, Counts, Floats
from stratawatch.core.score_bins import bins_of
from stratawatch.core.verdicts import VerdictsByItem

RHO: Final = 0.3
METRICS: Final = ("precision", "recall", "false_omission_rate")
WAYS = (WITHOUT, WITH) = "without the column", "with it"
THIS, NEXT = "this window", "windows to come"
CALLED: Final = 0.25
TO_COME: Final = (0.75, 2 / 3, 0.125)
"""Scores are chances: uniform from one half up where called; else u^3/2, whose mean is 1/8."""
_HALF: Final = 512
"""The bin of one half."""


@dataclass(frozen=True)
class Shape:
    """Customers of a window, items of each, and labels; `design` draws and reads them, in so many windows."""

    customers: int
    items: int
    labels: int
    rho: float = RHO
    design: str = "joint"
    own: float = 0.0
    windows: int = 2000


SHAPES: Final = (
    Shape(400, 5, 500),
    Shape(60, 500, 600),
    Shape(12, 500, 600),
    Shape(60, 500, 600, design="srs"),
    Shape(4_000, 5, 500),
    Shape(400, 5, 500, rho=0.0, windows=700),
    Shape(60, 500, 600, rho=0.0, own=0.7, windows=500),
    Shape(60, 500, 600, rho=0.0, own=0.7, design="srs", windows=500),
)


@dataclass(frozen=True)
class Cell:
    """Coverage with and without the column, of this window's metrics and of those of windows to come."""

    shape: Shape
    tallies: Mapping[tuple[str, str, str], Tally]
    design_effects: Mapping[str, float]

    def rows(self) -> Iterator[Row]:
        """One a question, metric and way."""
        shape = self.shape
        for (about, metric, way), tally in self.tallies.items():
            yield {
                "labels of windows of": f"{shape.customers:,} customers x {shape.items} items, rho {shape.rho:g}"
                + (f", {shape.own:g} of scores their own" if shape.own else ""),
                "design": shape.design,
                "labels": shape.labels,
                "metric": metric,
                "about": about,
                "cluster column": way,
                "coverage": round(tally.coverage, 4),
                "± (MC)": round(tally.error, 4),
                "half-width": round(tally.half_width, 4),
                "told": round(tally.defined, 3),
                "mean design effect": round(self.design_effects[metric], 2) if way == WITH else 1.0,
            }


def cells(seed: int, runs: int | None, shapes: Sequence[Shape] = SHAPES) -> list[Cell]:
    """Every shape, in its own number of windows unless somebody names another."""
    seeds = [np.random.default_rng([seed, 5, place]) for place in range(len(shapes))]
    return [cell(shape, runs or shape.windows, rng) for shape, rng in zip(shapes, seeds, strict=True)]


def aims(cells: Sequence[Cell]) -> list[Verdict]:
    """What the column is worth where some customers have many labels: of precision in windows to come."""
    many = [one for one in cells if one.shape.items > 5 and one.shape.design == "joint" and not one.shape.own]
    mean = {way: sum(one.tallies[NEXT, "precision", way].coverage for one in many) / len(many) for way in WAYS}
    return [
        Verdict("strat: with the cluster column, windows to come", "aim", mean[WITH], 0.93, ">="),
        Verdict("strat: without it", "aim", mean[WITHOUT], 0.90, "<="),
    ]


def cell(shape: Shape, runs: int, rng: np.random.Generator) -> Cell:
    """So many windows, each with customers of its own."""
    found = [_run(shape, rng) for _ in range(runs)]
    truths = {THIS: np.array([one.truths for one in found]), NEXT: np.tile(TO_COME, (runs, 1))}
    tallies = {
        (about, metric, way): Tally(np.array([[one.ends[way][place]] for one in found]), truth[:, place : place + 1])
        for about, truth in truths.items()
        for place, metric in enumerate(METRICS)
        for way in WAYS
    }
    effects = np.nanmean([one.effects for one in found], axis=0)
    return Cell(shape, tallies, dict(zip(METRICS, effects.tolist(), strict=True)))


@dataclass(frozen=True)
class _Run:
    """By metric: this window's own, the intervals of both ways, and the design effects."""

    truths: list[float]
    ends: Mapping[str, list[Ends]]
    effects: list[float]


@dataclass(frozen=True)
class _Window:
    """The items of one window, sorted by cell, and the number that orders the draw."""

    census: Census
    cell: Counts
    customers: Counts
    labels: Flags
    numbers: Floats

    @classmethod
    def of(cls, shape: Shape, rng: np.random.Generator) -> "_Window":
        """Scores of their own; labels that hang together."""
        size = shape.customers * shape.items
        customers = np.repeat(np.arange(shape.customers), shape.items)

        def numbers_of_their_own() -> Floats:
            each = rng.random(size)
            if not shape.own:
                return each
            return np.where(rng.random(size) < shape.own, rng.random(shape.customers)[customers], each)

        called = numbers_of_their_own() < CALLED
        scores = np.where(called, 0.5 + numbers_of_their_own() / 2, numbers_of_their_own() ** 3 / 2)
        shared = rng.random(size) < shape.rho**0.5
        numbers = np.where(shared, rng.random(shape.customers)[customers], rng.random(size))
        bins = bins_of(scores)
        found, cell = np.unique(bins, return_inverse=True)
        patterns = tuple("1" if bin_ >= _HALF else "0" for bin_ in found.tolist())
        counts = np.bincount(cell).astype(np.int64)
        census = Census(("model",), patterns, found, counts)
        return cls(census, cell.astype(np.int64), customers, numbers < scores, rng.random(size))

    def truths(self) -> list[float]:
        """Precision, recall and false-omission rate of this window."""
        called = np.array([pattern == "1" for pattern in self.census.patterns])[self.cell]
        tp, fn = float((called & self.labels).sum()), float((~called & self.labels).sum())
        return [tp / float(called.sum()), tp / (tp + fn), fn / float((~called).sum())]

    def design(self, survey: SurveySpec) -> FrozenDesign:
        """Cut and pooled as the engine does it, with the customers as clusters."""
        atoms = stratify_for_survey(self.census, survey)
        homes = np.empty(len(self.census.patterns), dtype=np.int64)
        for number, atom in enumerate(atoms):
            inside = (self.census.bins >= atom.first_bin) & (self.census.bins <= atom.last_bin)
            homes[inside & (np.array(self.census.patterns) == atom.pattern)] = number
        strata = np.array([atom.stratum for atom in atoms], dtype=np.int64)[homes[self.cell]]
        order = np.lexsort((self.numbers, strata))
        starts = np.searchsorted(strata[order], np.arange(strata.max() + 1))
        wanted = pool_sizes(atoms, self.census.classifiers, survey)
        rows = np.concatenate([order[a : a + n] for a, n in zip(starts.tolist(), wanted, strict=True)])
        pool = Candidates(
            items=tuple(map(str, rows.tolist())),
            atoms=homes[self.cell[rows]],
            digests=tuple(f"{int(number * 2**52):032x}" for number in self.numbers[rows].tolist()),
            clusters=tuple(map(str, self.customers[rows].tolist())),
        )
        return FrozenDesign(self.census.classifiers, atoms, pool, survey)


def _run(shape: Shape, rng: np.random.Generator) -> _Run:
    window = _Window.of(shape, rng)
    survey = SurveySpec(budget=shape.labels, confidence=CONFIDENCE, design=shape.design)
    design = window.design(survey)
    said: dict[str, Literal["yes", "no", "unresolved"]] = {}
    for ordinal in range(1, design.sampling_design.max_rounds(survey) + 1):
        plan = design.plan(survey, VerdictsByItem(said), said, ordinal=ordinal)
        for row in design.draw(plan):
            item = design.candidates.items[row]
            said[item] = "yes" if window.labels[int(item)] else "no"
    ledger = VerdictsByItem(said)
    ways = {WITHOUT: replace(design, candidates=replace(design.candidates, clusters=None)), WITH: design}
    found = {way: one.estimate(ledger, said, metrics=METRICS) for way, one in ways.items()}
    ends = {way: [_ends(one) for one in every] for way, every in found.items()}
    return _Run(window.truths(), ends, [np.nan if one.deff is None else one.deff for one in found[WITH]])


def _ends(found: Estimate) -> Ends:
    return (found.result.low, found.result.high) if isinstance(found.result, IntervalEstimate) else NONE
