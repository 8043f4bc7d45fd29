"""Weeks of labels from a frozen design: what each adds to the evidence, and which intervals it gives."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

import numpy as np

from benchmarks.labels.chain import handed_on
from benchmarks.labels.cycle import Period, past, run_cycle
from benchmarks.labels.worlds import Flags, Floats, Items
from stratawatch.core.alarms.evidence.betting_round import BettingRound, KnownItems
from stratawatch.core.alarms.evidence.linear_tests import LimitTest, linear_test
from stratawatch.core.alarms.evidence.stakes import stakes_of
from stratawatch.core.alarms.evidence.time_to_page import PlannedWindow
from stratawatch.core.alarms.least_precise import are_precise_enough
from stratawatch.core.cells import Cells
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.interval import metric_intervals
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.goals import Focus, Goal, SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.labelled_sample import FOLDS, LabelCounts
from stratawatch.core.metrics import metric_named
from stratawatch.core.planning.allocation import drawable_items
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.planning.round_planner import RoundPlanner
from stratawatch.core.population import Atom, Counts
from stratawatch.core.stratification.stratify import stratify
from stratawatch.core.tuning import EVIDENCE

METRICS: Final = ("precision", "recall")
GOALS: Final = (Goal("precision", 0.03), Goal("recall", 0.05))
HEALTHY_WEEKS: Final = 6


@dataclass(frozen=True)
class FrozenWeek:
    """A design with a history: atoms, labels by stratum, and the true share of positives in every cell."""

    atoms: tuple[Atom, ...]
    cells: Cells
    totals: Counts
    truth: Floats


@dataclass(frozen=True)
class Weeks:
    """Many weeks of labels, by stream: log E (weeks x streams x bets), and by confidence whose interval lies outside.

    `value`, `low` and `high` are those of 95% intervals, less the limit. `followed` are as many weeks of the designs
    whose labels follow a stream, in the order of the streams.
    """

    log_e: Floats
    outside: dict[float, Flags]
    value: Floats
    low: Floats
    high: Floats
    followed: tuple["Weeks", ...] = ()

    def then(self, after: "Weeks") -> "Weeks":
        """These weeks and after them those."""
        outside = {level: np.concatenate([flags, after.outside[level]]) for level, flags in self.outside.items()}
        names = ("log_e", "value", "low", "high")
        columns = {name: np.concatenate([getattr(self, name), getattr(after, name)]) for name in names}
        followed = tuple(one.then(other) for one, other in zip(self.followed, after.followed, strict=True))
        return Weeks(outside=outside, followed=followed, **columns)

    def repeated(self, times: int) -> "Weeks":
        """The same weeks several times over, for resampling beside designs of more weeks."""
        return reduce(Weeks.then, [self] * times)

    def counting(self, counted: Flags) -> "Weeks":
        """The weeks if those of a stream that are not counted add nothing to its evidence."""
        return replace(self, log_e=np.where(counted[:, :, None], self.log_e, 0.0))


def survey(labels: int, focus: Focus | None = None) -> SurveySpec:
    """Precision and recall of everybody, with a budget; labels may follow one of them."""
    return SurveySpec(GOALS, budget=labels, focus=focus)


def history_of(classifiers: tuple[str, ...], items: Items, labels: int, rng: np.random.Generator) -> History:
    """The history after some healthy weeks through the product."""
    period, history = Period(classifiers, items), NO_HISTORY
    for _ in range(HEALTHY_WEEKS):
        cycle = run_cycle(period, survey(labels), rng.random(len(items)), history=history)
        history = handed_on(history, past(period, cycle))
    return history


def freeze(
    classifiers: tuple[str, ...], items: Items, labels: int, history: History, focus: Focus | None = None
) -> FrozenWeek:
    """The design of the next week; its labels may follow a classifier's metric."""
    period, asked = Period(classifiers, items), survey(labels, focus)
    atoms = stratify(period.census, asked, history)
    cells = Cells.of_atoms(classifiers, atoms)
    nothing = np.zeros(len(atoms))
    so_far = LabelsSoFar(1, np.zeros(cells.stratum_count, dtype=np.int64), nothing, nothing)
    totals = RoundPlanner(cells, asked, history).totals(so_far, drawable_items(cells))
    homes = period.atoms_of_items(atoms)
    counts = np.bincount(homes, minlength=len(atoms))
    truth = np.bincount(homes, items.truth, len(atoms)) / np.maximum(counts, 1)
    return FrozenWeek(atoms, cells, np.asarray(totals, dtype=np.int64), truth)


def planned_week(week: FrozenWeek) -> PlannedWindow:
    """What a plan knows of the week."""
    return PlannedWindow(week.cells, week.atoms, _rates(week.cells), week.totals)


def _rates(cells: Cells) -> Floats:
    return cells.imputed_scores if cells.prior_rate is None else cells.prior_rate


def limits_of(classifiers: tuple[str, ...], items: Items) -> list[LimitTest]:
    """A floor for precision and recall of every classifier where it stands."""
    period = Period(classifiers, items)
    truths = {metric: period.truth_of(metric) for metric in METRICS}
    return [
        LimitTest(name, metric, None, "floor", truths[metric][name], is_floor=True)
        for name in classifiers
        for metric in METRICS
    ]


def simulate(
    week: FrozenWeek,
    limits: Sequence[LimitTest],
    number: int,
    confidences: Sequence[float],
    rng: np.random.Generator,
) -> Weeks:
    """So many weeks of labels from this design, each judged against the limits."""
    answers, yes = draw_labels(week, number, rng)
    log_e = np.stack([_log_e(week, test, answers, yes) for test in limits], axis=1)
    sides = SideEstimates.stack([_sides(week, n, y) for n, y in zip(answers, yes, strict=True)])
    floors = np.array([test.limit for test in limits])
    outside = {}
    for level in confidences:
        value, low, high = _intervals(week, limits, sides, level)
        outside[level] = (high < floors) & are_precise_enough(value, low, high, floors, level)
    value, low, high = (found - floors for found in _intervals(week, limits, sides, 0.95))
    return Weeks(log_e, outside, value, low, high)


def estimates(week: FrozenWeek, limits: Sequence[LimitTest], answers: Floats, yes: Floats) -> Floats:
    """The estimate of every stream in every week (weeks x streams)."""
    sides = SideEstimates.stack([_sides(week, n, y) for n, y in zip(answers, yes, strict=True)])
    return _intervals(week, limits, sides, 0.95)[0]


def _intervals(
    week: FrozenWeek, limits: Sequence[LimitTest], sides: SideEstimates, confidence: float
) -> tuple[Floats, Floats, Floats]:
    """Value, low and high of every stream (weeks x streams)."""
    reading = SideIntervals(sides, confidence)
    found = {metric: metric_intervals(metric_named(metric), reading) for metric in METRICS}
    places = [(test.metric, week.cells.classifiers.index(test.classifier)) for test in limits]
    value, low, high = (
        np.stack([getattr(found[metric], name)[:, 0, place] for metric, place in places], axis=1)
        for name in ("value", "low", "high")
    )
    return value, low, high


def draw_labels(week: FrozenWeek, number: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Answers and yeses by week and atom."""
    answers = np.zeros((number, len(week.atoms)))
    for stratum, labels in enumerate(week.totals.tolist()):
        rows = np.flatnonzero(week.cells.strata == stratum)
        if labels and rows.size:
            shares = week.cells.sizes[rows] / week.cells.sizes[rows].sum()
            answers[:, rows] = rng.multinomial(labels, shares, size=number)
    return answers, rng.binomial(answers.astype(np.int64), week.truth).astype(np.float64)


def _log_e(week: FrozenWeek, test: LimitTest, answers: Floats, yes: Floats) -> Floats:
    """Log E of every week by bet; 0 where the design cannot bet on the test."""
    cells, totals = week.cells, week.totals.astype(np.float64)
    nothing = KnownItems.none(len(cells.sizes))
    bet = BettingRound.of(linear_test(test, cells, week.atoms), cells, _rates(cells), nothing, totals, totals)
    if bet is None:
        return np.zeros((len(answers), len(EVIDENCE.losses)))
    touched = np.isin(cells.strata, np.unique(cells.strata[bet.betting]))
    columns = []
    for stake in stakes_of(bet, EVIDENCE.losses).values():
        on_yes, on_no, _ = bet.log_factors(stake)
        columns.append(yes @ (on_yes * touched) + (answers - yes) @ (on_no * touched))
    return np.stack(columns, axis=1)


def _sides(week: FrozenWeek, answers: Floats, yes: Floats) -> SideEstimates:
    """The estimates of one week; a history needs no folds, so that all labels lie in the first."""
    none = np.zeros((FOLDS - 1, len(answers)))
    counts = LabelCounts(np.vstack([answers, none]), np.vstack([yes, none]))
    evidence = DifferenceEstimator.of(week.cells, counts)
    return evidence.sides([evidence.everything])
