"""Weeks of labels from a frozen design: what each adds to the evidence, and which intervals it gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.labels.chain import handed_on
from benchmarks.labels.cycle import Period, past, run_cycle
from benchmarks.labels.worlds import Flags, Floats, Items
from stratawatch.core.alarms.evidence.betting_round import BettingRound, KnownItems
from stratawatch.core.alarms.evidence.linear_tests import LimitTest, linear_test
from stratawatch.core.alarms.evidence.time_to_page import PlannedWindow
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
    """Many weeks of labels of one or more designs.

    Log E (designs x weeks x streams x bets), and by confidence which streams' intervals lie outside (designs x weeks x
    streams). The first design follows the goals alone; where there are more, labels of each of them follow one stream,
    in the order of the streams.
    """

    log_e: Floats
    outside: dict[float, Flags]

    @property
    def number(self) -> int:
        """Weeks of each design."""
        return int(self.log_e.shape[1])

    @classmethod
    def of_designs(cls, designs: Sequence["Weeks"]) -> "Weeks":
        """The weeks of several designs together."""
        return cls._joined(designs, axis=0)

    def then(self, later: "Weeks") -> "Weeks":
        """These weeks, and later ones of the same designs after them."""
        return self._joined((self, later), axis=1)

    def repeated(self, times: int) -> "Weeks":
        """The same weeks several times over, for resampling beside designs of more weeks."""
        return self._joined([self] * times, axis=1)

    @classmethod
    def _joined(cls, parts: Sequence["Weeks"], axis: int) -> "Weeks":
        outside = {level: np.concatenate([one.outside[level] for one in parts], axis) for level in parts[0].outside}
        return cls(np.concatenate([one.log_e for one in parts], axis), outside)


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
    """So many weeks of labels from this one design, each judged against the limits."""
    answers, yes = draw_labels(week, number, rng)
    log_e = np.stack([_log_e(week, test, answers, yes) for test in limits], axis=1)
    sides = SideEstimates.stack([_sides(week, n, y) for n, y in zip(answers, yes, strict=True)])
    places = [week.cells.classifiers.index(test.classifier) for test in limits]
    outside = {}
    for confidence in confidences:
        reading = SideIntervals(sides, confidence)
        highs = {metric: metric_intervals(metric_named(metric), reading).high for metric in METRICS}
        outside[confidence] = np.stack(
            [highs[test.metric][:, 0, place] < test.limit for test, place in zip(limits, places, strict=True)], axis=1
        )
    return Weeks(log_e[None], {confidence: flags[None] for confidence, flags in outside.items()})


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
    for loss in EVIDENCE.losses:
        on_yes, on_no, _ = bet.log_factors(bet.stake(loss))
        columns.append(yes @ (on_yes * touched) + (answers - yes) @ (on_no * touched))
    return np.stack(columns, axis=1)


def _sides(week: FrozenWeek, answers: Floats, yes: Floats) -> SideEstimates:
    """The estimates of one week; a history needs no folds, so that all labels lie in the first."""
    none = np.zeros((FOLDS - 1, len(answers)))
    counts = LabelCounts(np.vstack([answers, none]), np.vstack([yes, none]))
    evidence = DifferenceEstimator.of(week.cells, counts)
    return evidence.sides([evidence.everything])
