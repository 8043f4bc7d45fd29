"""Worlds with known truth, and cycles on them that draw counts instead of items.

Drawing the smallest digests of a stratum is simple random sampling without replacement, so a cycle's labels are
hypergeometric counts in random order: the same plan and the same estimator as `FrozenDesign`, a thousand times faster.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator, ItemSubset
from stratawatch.core.estimation.interval import metric_intervals
from stratawatch.core.estimation.round_weights import mean_scores, weights_of_counts
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.estimation.undefined import is_defined, undefined_reason
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.labelled_sample import FOLDS, LabelCounts, LabelledSample, assign_folds
from stratawatch.core.metrics import METRICS, SideTotals
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.planning.round_planner import RoundPlanner
from stratawatch.core.planning.round_sizes import most_rounds
from stratawatch.core.population import Atom, Census, Segment
from stratawatch.core.score_bins import bins_of
from stratawatch.core.stratification.stratify import stratify


@dataclass(frozen=True)
class World:
    """A frozen design with the truth: positives by atom and segment (atoms x segments)."""

    classifiers: tuple[str, ...]
    atoms: tuple[Atom, ...]
    segments: tuple[Segment, ...]
    sizes: NDArray[np.int64]
    positives: NDArray[np.int64]

    @cached_property
    def cells(self) -> Cells:
        return Cells.of_atoms(self.classifiers, self.atoms)

    def truth(self, metric: str, classifier: int, segment: int | None = None) -> float:
        size = self.sizes.sum(axis=1) if segment is None else self.sizes[:, segment]
        yes = self.positives.sum(axis=1) if segment is None else self.positives[:, segment]
        sides = [members[:, classifier] for members in (self.cells.positive, self.cells.negative)]
        counts = [float(column[side].sum()) for column in (size, yes) for side in sides]
        return float(METRICS[metric].value(SideTotals(*(np.array(count) for count in counts))))


def world(
    classifiers: Sequence[str],
    patterns: NDArray[np.str_],
    scores: NDArray[np.float64],
    labels: NDArray[np.bool_],
    budget: int,
    segment: NDArray[np.str_] | None = None,
) -> World:
    """Count items into a census, cut it, and count the truth of every atom."""
    segment = np.full(len(labels), "all") if segment is None else segment
    names = np.unique(segment)
    bins = bins_of(scores)
    kinds, kind = np.unique(patterns, return_inverse=True)
    rows, row = np.unique(kind * 2048 + bins, return_inverse=True)
    table = np.zeros((len(rows), len(names), 2), dtype=np.int64)
    np.add.at(table, (row, np.searchsorted(names, segment), labels.astype(int)), 1)
    keys = tuple(Segment("region", str(name)) for name in names)
    census = Census(
        classifiers=tuple(classifiers),
        patterns=tuple(str(kinds[r // 2048]) for r in rows),
        bins=rows % 2048,
        counts=table.sum(axis=(1, 2)),
        segments={key: table[:, i].sum(axis=1) for i, key in enumerate(keys)},
    )
    atoms = stratify(census, SurveySpec(budget=budget))
    home = {(atom.pattern, b): i for i, atom in enumerate(atoms) for b in range(atom.first_bin, atom.last_bin + 1)}
    truth = np.zeros((len(atoms), len(names), 2), dtype=np.int64)
    for r, (pattern, b) in enumerate(zip(census.patterns, census.bins.tolist(), strict=True)):
        truth[home[pattern, b]] += table[r]
    return World(tuple(classifiers), atoms, keys, truth.sum(axis=2), truth[:, :, 1])


@dataclass(frozen=True)
class Cycle:
    """The labels of one cycle and what they say of both sides of everything, and then of every segment."""

    labelled: LabelledSample
    sides: SideEstimates


def run_cycles(
    world: World,
    goals: Sequence[Goal],
    budget: int,
    rng: np.random.Generator,
    repeats: int,
    answering: float = 1.0,
    history: History = NO_HISTORY,
) -> list[Cycle]:
    """Cycles whose rounds are planned as the engine plans them; a share of the labels may never come.

    Before any label comes all cycles know the same: their first plan is made once.
    """
    survey = SurveySpec(goals=tuple(goals), budget=budget)
    nothing = np.zeros(world.cells.stratum_count, dtype=np.int64)
    first = _totals(RoundPlanner(world.cells, survey, history), 1, nothing, _labelled(world, (), nothing))
    return [
        _run_cycle(world, RoundPlanner(world.cells, survey, history), first, rng, answering) for _ in range(repeats)
    ]


def _run_cycle(
    world: World, planner: RoundPlanner, first: NDArray[np.int64], rng: np.random.Generator, answering: float
) -> Cycle:
    strata = [_Stratum.of(world, h, rng) for h in range(world.cells.stratum_count)]
    drawn, totals = np.zeros_like(first), first
    rounds = []
    for ordinal in range(1, most_rounds(planner.survey) + 1):
        if ordinal > 1:
            rounds.append(_labelled(world, strata, drawn))
            totals = _totals(planner, ordinal, drawn, rounds[-1])
        for stratum, more in zip(strata, (totals - drawn).tolist(), strict=True):
            stratum.draw(more, answering)
        drawn = totals
    known = _joined(world, [*rounds, _labelled(world, strata, drawn)])
    return Cycle(known, _sides(world, known))


def _totals(planner: RoundPlanner, ordinal: int, drawn: NDArray[np.int64], known: LabelledSample) -> NDArray[np.int64]:
    so_far = LabelsSoFar(ordinal, drawn, known.labelled.sum(axis=0), known.positive.sum(axis=0))
    return planner.totals(so_far, planner.cells.stratum_sizes.astype(np.int64))


@dataclass
class _Stratum:
    """What is left of a stratum, as counts of its kinds (atom x segment x label), and the kinds of its answers."""

    kinds: NDArray[np.int64]
    left: NDArray[np.int64]
    answers: NDArray[np.int64]
    rng: np.random.Generator

    @classmethod
    def of(cls, world: World, number: int, rng: np.random.Generator) -> "_Stratum":
        counts = np.stack([world.sizes - world.positives, world.positives], axis=2)
        inside = np.broadcast_to((world.cells.strata == number)[:, None, None], counts.shape).ravel()
        kinds = np.flatnonzero(inside)
        return cls(kinds, counts.ravel()[kinds], np.zeros(0, dtype=np.int64), rng)

    def draw(self, more: int, answering: float) -> None:
        """Draw without replacement, in random order; what is not answered is gone too."""
        counts = self.rng.multivariate_hypergeometric(self.left, more, method="marginals")
        self.left = self.left - counts
        drawn = self.rng.permutation(np.repeat(self.kinds, counts))
        came = drawn if answering >= 1 else drawn[self.rng.random(len(drawn)) < answering]
        self.answers = np.concatenate([self.answers, came])


def _labelled(world: World, strata: Sequence[_Stratum], drawn: NDArray[np.int64]) -> LabelledSample:
    kinds = np.concatenate([np.zeros(0, dtype=np.int64), *(stratum.answers for stratum in strata)])
    folds = assign_folds(
        np.repeat(np.arange(len(strata)), np.array([len(one.answers) for one in strata], dtype=np.int64))
    )
    shape = (FOLDS, *world.sizes.shape, 2)
    counts = np.bincount(folds * world.sizes.size * 2 + kinds, minlength=int(np.prod(shape))).reshape(shape)
    answered, yes = counts.sum(axis=3).astype(float), counts[..., 1].astype(float)
    parts = {key: LabelCounts(answered[:, :, i], yes[:, :, i]) for i, key in enumerate(world.segments)}
    return LabelledSample(drawn, answered.sum(axis=2), yes.sum(axis=2), segments=parts)


def _joined(world: World, rounds: Sequence[LabelledSample]) -> LabelledSample:
    """The labels of the last of these cumulative samples, its rounds joined as a design without a history does."""
    known, cells = rounds[-1], world.cells
    if len(rounds) == 1 or cells.prior_rate is not None:
        return known
    counts = np.diff([cells.by_stratum(one.labelled.sum(axis=0)) for one in rounds], axis=0, prepend=0)
    weights = weights_of_counts(counts.T, cells.stratum_sizes, mean_scores(cells))[cells.strata].T

    def weighted(of: Callable[[LabelledSample], LabelCounts]) -> LabelCounts:
        sums = [
            np.einsum("ra,rfa->fa", weights, np.diff([getattr(of(one), name) for one in rounds], axis=0, prepend=0))
            for name in ("labelled", "positive")
        ]
        return LabelCounts(*sums)

    parts = {
        key: replace(counted, weighted=weighted(lambda one, key=key: one.segments[key]))
        for key, counted in known.segments.items()
    }
    return replace(known, segments=parts, weighted=weighted(lambda one: one.everywhere))


def _sides(world: World, known: LabelledSample) -> SideEstimates:
    evidence = DifferenceEstimator.of(world.cells, known.everywhere)
    parts = [ItemSubset(world.sizes[:, i].astype(float), known.inside(key)) for i, key in enumerate(world.segments)]
    return evidence.sides([evidence.everything, *parts])


Outcomes = list[IntervalEstimate | Undefined]


def outcomes(
    world: World, cycles: Sequence[Cycle], metric: str, classifier: int, segment: int | None = None, confidence=0.95
) -> Outcomes:
    """One metric's outcome in every cycle; one computation for all of them."""
    part = 0 if segment is None else segment + 1
    reading = SideIntervals(SideEstimates.stack([cycle.sides.at((part, classifier)) for cycle in cycles]), confidence)
    found, clear = metric_intervals(METRICS[metric], reading), is_defined(METRICS[metric], reading.sides)
    columns = (found.value, found.low, found.high, found.n_eff, clear)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [
        IntervalEstimate(*numbers) if defined else Undefined(undefined_reason(METRICS[metric], reading.sides, (run,)))
        for run, (*numbers, defined) in enumerate(rows)
    ]


@dataclass(frozen=True)
class Score:
    """How a metric's intervals did: coverage, mean half-width, root mean square error, bias in standard deviations."""

    coverage: float
    half_width: float
    rmse: float
    bias: float
    undefined: float
    below: float  # the whole interval lies below the truth
    above: float


def score(found: Outcomes, truth: float) -> Score:
    known = [outcome for outcome in found if isinstance(outcome, IntervalEstimate)]
    values = np.array([k.value for k in known])
    low, high = np.array([k.low for k in known]), np.array([k.high for k in known])
    covered = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
    return Score(
        coverage=float(covered.mean()),
        half_width=float((high - low).mean() / 2),
        rmse=float(np.sqrt(((values - truth) ** 2).mean())),
        bias=float((values.mean() - truth) / max(values.std(), 1e-12)),
        undefined=1 - len(known) / len(found),
        below=float((high < truth - 1e-12).mean()),
        above=float((low > truth + 1e-12).mean()),
    )
