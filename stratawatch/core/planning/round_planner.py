"""The planner: how many labels each stratum gets in a cycle's first and second round."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.interval import z
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.model import usable
from stratawatch.core.history.model_trust import trusted
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.labelled_sample import Labelled
from stratawatch.core.plan import Plan
from stratawatch.core.planning.allocation import (
    ALLOCATION,
    HIGHER_FLOORS,
    Room,
    allocate,
    for_limits,
    second_phase,
    whole_strata,
)
from stratawatch.core.planning.expected_precision import half_width_curves, half_widths
from stratawatch.core.planning.expected_rates import Rates, first_rates, model_rates, robust_rates, second_rates
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS, Wanted, wanted
from stratawatch.core.planning.round_sizes import FIRST_SHARE, LARGEST_PILOT, SMALLEST_PILOT, first_labels
from stratawatch.core.population import Counts, Floats

_ROBUST_FACTOR: Final = 1.0
_MODEL_FACTOR: Final = 1.0
_COLD_FACTOR: Final = 1.25
"""What expected variances are multiplied with: by how they came about."""
_TOP_UP, _TOP_UP_A_GOAL, _FEW_GOALS = 1.08, 0.011, 5
"""The same for a top-up, by the goals beyond a few: the more there are, the likelier one falls short by chance."""
_COLD_TOP_UP: Final = 1.13
"""Times that without a history, whose first labels are few."""
_LARGEST_SURPRISE: Final = 1.5
"""A half-width that is larger than forecast by more rests on one label of much weight; labels do not outvote it."""
_FLOORS: Final = (None, *HIGHER_FLOORS)
"""Floors among which a plan that spends a budget chooses."""
_CHEAPEST: Final = 0.05
"""Least cost of a label in a stratum where most are known already, as a share of a new one's."""
_AROUND: Final = 0.15
"""How far around a plan's last label, as a share of its labels, the cost of one more is read."""
_SPARING_PASSES: Final = 3
_MODEL_PROPORTIONAL: Final = 0.15
_PROPORTIONAL: Final = (0.0, 0.3, 0.6)
"""Proportional parts among which a plan for goals without a history chooses."""
_PASSES: Final = 4
"""Plans made before the one that counts, each with the widths of intervals that the one before would give."""


@dataclass(frozen=True)
class Seen:
    """What a cycle knows when a round is planned.

    `drawn` by stratum, `answered` and `yes` by atom, `half_widths` as estimated from them; `new` counts the items of
    cumulative totals that people have been or would have to be asked about, and `unknown`, by stratum, those among
    cumulative totals without an answer; without it every label is a new one. `earlier`: what is known today of the
    items that each round before had drawn, cumulative.
    """

    ordinal: int
    drawn: Counts
    answered: Floats
    yes: Floats
    half_widths: Mapping[tuple[str, str], float] = field(default_factory=dict)
    new: Callable[[Counts], int] = lambda totals: int(totals.sum())
    unknown: Callable[[Counts], Counts] | None = None
    earlier: Sequence[Labelled] = ()


@dataclass(frozen=True)
class _Task:
    """Goals to plan for: what they need of every stratum, times a factor, and by how much widths surprised so far."""

    rates: Rates
    rows: Wanted
    room: Room
    variances: Floats
    factor: float
    surprise: Floats


@dataclass(frozen=True)
class Planner:
    """Plans for one population, one survey and one history."""

    cells: Cells
    survey: SurveySpec
    history: History = NO_HISTORY

    @cached_property
    def items(self) -> Counts:
        """Items of each stratum that may be drawn."""
        return whole_strata(self.cells)

    @cached_property
    def rates(self) -> Rates:
        """What the first labels are expected to say; planners of the same cells share it."""
        return self.cells.once(("rates", self.survey.stop_at_goals), self.history, self._first_rates)

    def _first_rates(self) -> Rates:
        if not usable(self.history):
            return first_rates(self.cells)
        if self.survey.stop_at_goals:
            return (model_rates if self._trusting else robust_rates)(self.cells, self.history)
        return first_rates(self.cells, self.history)

    def in_all(self) -> Counts:
        """What the whole cycle is expected to draw, before any label."""
        wanted = self._until_goals_in_all()
        return self._narrowest(self.rates, self._outright()) if wanted is None else wanted

    def at_most(self) -> Counts:
        """The most that any plan of the whole cycle would draw from each stratum."""
        wanted = self._until_goals_in_all()
        return np.max(self._outright(), axis=0) if wanted is None else wanted

    def _until_goals_in_all(self) -> Counts | None:
        """The labels that the goals need; None: a budget decides."""
        if not self.survey.stop_at_goals:
            return None
        room = Room(np.zeros_like(self.items), self.items)
        wanted = self._for_goals(self.rates, room)
        if self._cold:
            wanted = np.maximum(wanted, self._pilot(self.rates, room))
        return wanted if self.survey.budget is None or wanted.sum() <= self.survey.budget else None

    def _outright(self) -> list[Counts]:
        """Plans that spend the budget at once."""
        room = Room(np.zeros_like(self.items), self.items)
        return [allocate(self.cells, self._goals, self.rates, self._budget, room, floor) for floor in _FLOORS]

    def plan(self, seen: Seen, pools: Counts) -> Plan:
        """The next round; a plan that adds nothing to what is drawn means: done."""
        rates = self._rates_now(seen)
        totals, exhausted = self._inside(seen, rates, pools)
        return Plan(
            totals=tuple(totals.tolist()),
            half_widths=half_widths(self.cells, rates, totals, self.survey.confidence),
            method=self._method(seen),
            exhausted=tuple(exhausted.tolist()),
        )

    def totals(self, seen: Seen, pools: Counts) -> Counts:
        """The totals of `plan` without its forecast, which takes longer than they do: for simulations."""
        return self._inside(seen, self._rates_now(seen), pools)[0]

    def _inside(self, seen: Seen, rates: Rates, pools: Counts) -> tuple[Counts, Counts]:
        """Totals that the pools can give, and the strata whose pool could not give what was wanted."""
        totals = self._totals(seen, rates, self.items)
        exhausted = np.flatnonzero(totals > pools)
        if exhausted.size:
            totals = self._totals(seen, rates, np.minimum(self.items, pools))
        return totals, exhausted

    @property
    def _cold(self) -> bool:
        return not usable(self.history)

    @property
    def _budget(self) -> int:
        return int(self.items.sum()) if self.survey.budget is None else self.survey.budget

    def _rates_now(self, seen: Seen) -> Rates:
        if seen.ordinal > 1 and self._cold:
            return second_rates(self.cells, seen.yes, seen.answered)
        return self.rates

    def _totals(self, seen: Seen, rates: Rates, caps: Counts) -> Counts:
        room = Room(seen.drawn, caps)
        if not self.survey.stop_at_goals:
            return self._spend(seen, rates, room)
        wanted = self._until_goals(seen, rates, room)
        return wanted if seen.new(wanted) <= self._budget else self._spend(seen, rates, room)

    def _spend(self, seen: Seen, rates: Rates, room: Room) -> Counts:
        """Totals whose new labels are the budget's, or its first share's; labels that are known cost nothing."""
        if seen.ordinal > 1 and not self._cold and not self.survey.stop_at_goals and not self._was_cold(seen):
            return seen.drawn
        most = first_labels(self._budget) if seen.ordinal == 1 and self._cold else self._budget
        share = second_phase if seen.ordinal > 1 and self._cold else allocate

        def plan(floor: float | None) -> Counts:
            return _most(lambda labels: share(self.cells, self._goals, rates, labels, room, floor), seen, most, room)

        return self._narrowest(rates, [plan(floor) for floor in _FLOORS])

    def _was_cold(self, seen: Seen) -> bool:
        """Whether the first round drew no more than one without a history: labels came in the moment it opened."""
        return self._budget > seen.new(seen.drawn) <= first_labels(self._budget)

    def _narrowest(self, rates: Rates, plans: Sequence[Counts]) -> Counts:
        """The plan with the least sum of (half-width/margin)^2 by the intervals that will be reported.

        Variances alone would put as few labels as floors allow where errors are rare; a label that stands for very
        many items then widens the interval by more than the variances say.
        """
        rows = self._rows(rates)
        curves = half_width_curves(self.cells, rates, np.stack(plans), self.survey.confidence, rows.metrics)
        places = [(metric, self.cells.classifiers.index(classifier)) for classifier, metric in rows.names]
        widths = np.array([np.minimum(curves[metric][:, place], 0.5) for metric, place in places])
        return plans[int(((widths.T / rows.margins) ** 2).sum(axis=1).argmin())]

    def _until_goals(self, seen: Seen, rates: Rates, room: Room) -> Counts:
        if seen.ordinal == 1:
            return self._pilot(rates, room) if self._cold else self._sparing(seen, rates, room)
        wide = [seen.half_widths.get(name, np.inf) for name in self._rows(rates).names]
        if bool((np.array(wide) <= self._rows(rates).margins).all()):
            return seen.drawn
        return self._sparing(seen, rates, room, topping_up=True)

    def _sparing(self, seen: Seen, rates: Rates, room: Room, *, topping_up: bool = False) -> Counts:
        """Totals for the margins that ask people about the fewest items.

        Where labels are known, a plan is followed by plans with what one more label cost in each stratum of the plan
        before: little as far as earlier draws reach, a whole one beyond.
        """
        this = seen if topping_up else None
        plans = [self._for_goals(rates, room, this)]
        if seen.unknown is None:
            return plans[0]
        costs = _costs(seen.unknown, plans[0], room.caps)
        for _ in range(_SPARING_PASSES):
            plans.append(self._for_goals(rates, room, this, costs))
            # Halfway in between: a stratum must not jump from one side of the earlier draw's end to the other.
            costs = np.sqrt(costs * _costs(seen.unknown, plans[-1], room.caps))
        return min(plans, key=seen.new)

    def _pilot(self, rates: Rates, room: Room) -> Counts:
        """A first draw that has only scores to go by: a share of what they ask for, neither tiny nor huge."""
        share = FIRST_SHARE * float(self._for_goals(rates, room).sum())
        most = self._budget if self.survey.budget is None else first_labels(self._budget)
        pilot = min(int(np.clip(share, SMALLEST_PILOT, LARGEST_PILOT)), most)
        plans = [allocate(self.cells, self._goals, rates, pilot, room, floor) for floor in _FLOORS]
        return self._narrowest(rates, plans)

    def _rows(self, rates: Rates) -> Wanted:
        return wanted(self.cells, self._goals, rates)

    @property
    def _goals(self) -> tuple[Goal, ...]:
        return self.survey.goals or DEFAULT_GOALS

    def _for_goals(self, rates: Rates, room: Room, seen: Seen | None = None, costs: Floats | None = None) -> Counts:
        """Totals for the margins as the reporting interval will see them: plan, forecast its widths, plan again.

        With labels of this period: widths are those that were seen, where they are known, brought forward. Without a
        history, which would say what to expect of errors that no label has met, the plan is the cheapest of several
        that differ in how much is drawn in proportion to size.
        """
        task = self._task(rates, room, seen)
        if self._cold:
            plans = [self._converged(task, proportional, costs) for proportional in _PROPORTIONAL]
            return min(plans, key=lambda totals: int(totals.sum()))
        return self._converged(task, _MODEL_PROPORTIONAL if seen is None and self._trusting else 0.0, costs)

    def _task(self, rates: Rates, room: Room, seen: Seen | None) -> "_Task":
        rows = self._rows(rates)
        factor = self._factor(seen, len(rows.names))
        variances = factor * rows.needs
        surprise = np.ones(len(rows.names)) if seen is None else self._surprise(seen, rates, rows)
        return _Task(rates, rows, room, variances, factor, surprise)

    def _converged(self, task: "_Task", proportional: float, costs: Floats | None) -> Counts:
        confidence, rows = self.survey.confidence, task.rows
        widening, totals = task.surprise, task.room.drawn
        for _ in range(_PASSES + 1):
            limits = (rows.margins / (z(confidence) * widening)) ** 2
            totals = for_limits(self.cells, task.variances, limits, task.room, proportional, costs)
            widths = _named(half_widths(self.cells, task.rates, totals, confidence, rows.metrics), rows)
            errors = z(confidence) * np.sqrt(self._variances(task.variances, totals) / task.factor)
            wider = task.surprise * np.where(
                np.isfinite(widths) & (errors > 0), widths / np.maximum(errors, 1e-12), 1.0
            )
            # Halfway in between: where margins are wide, the plan after a plan that is too large is too small.
            widening = np.sqrt(widening * wider)
        return totals

    def _surprise(self, seen: Seen, rates: Rates, rows: Wanted) -> Floats:
        """By how much this period's intervals are wider than was forecast for the labels they rest on.

        A goal that they could not tell at all is as surprising as any.
        """
        expected = _named(half_widths(self.cells, rates, seen.drawn, self.survey.confidence, rows.metrics), rows)
        known = _named(seen.half_widths, rows)
        ratio = np.where(np.isfinite(expected), np.nan_to_num(known, nan=1.0) / np.maximum(expected, 1e-12), 1.0)
        return np.clip(ratio, 1.0 if self._cold else 1 / _LARGEST_SURPRISE, _LARGEST_SURPRISE)

    def _variances(self, variances: Floats, totals: Counts) -> Floats:
        """V_j of a plan: sum_h A_jh (1/n_h - 1/N_h)."""
        sizes = np.maximum(self.cells.stratum_sizes, 1)
        left = np.where(totals > 0, 1 / np.maximum(totals, 1) - 1 / sizes, 1.0)
        return np.asarray(variances @ np.maximum(left, 0), dtype=np.float64)

    def _factor(self, seen: Seen | None, goals: int) -> float:
        if seen is not None:
            top_up = _TOP_UP + _TOP_UP_A_GOAL * (goals - _FEW_GOALS)
            return max(_COLD_TOP_UP * top_up, _COLD_FACTOR) if self._cold else max(top_up, 1.0)
        if self._cold:
            return _COLD_FACTOR
        return _MODEL_FACTOR if self._trusting else _ROBUST_FACTOR

    @cached_property
    def _trusting(self) -> bool:
        return self.cells.once("trusted", self.history, lambda: trusted(self.history))

    def _method(self, seen: Seen) -> str:
        source = "scores" if self._cold else "history"
        if seen.ordinal > 1 and self._cold:
            source = "the first labels"
        elif not self._cold and self.survey.stop_at_goals:
            source = "the model of history" if self._trusting else "history, robust"
        what = "margins" if self.survey.stop_at_goals else ALLOCATION
        return f"{what}, from {source}"


def _costs(unknown: Callable[[Counts], Counts], totals: Counts, caps: Counts) -> Floats:
    """What one more label costs in each stratum: the share of items around a plan's last that nobody knows."""
    fewer = np.maximum(np.floor(totals * (1 - _AROUND)).astype(np.int64) - 1, 0)
    more = np.minimum(np.ceil(totals * (1 + _AROUND)).astype(np.int64) + 1, caps)
    share = (unknown(more) - unknown(fewer)) / np.maximum(more - fewer, 1)
    return np.where(more > fewer, np.maximum(share, _CHEAPEST), 1.0)


def _named(widths: Mapping[tuple[str, str], float], rows: Wanted) -> Floats:
    """Half-widths in the order of the rows; NaN where there is none."""
    return np.array([widths.get(name, np.nan) for name in rows.names], dtype=np.float64)


def _most(share: Callable[[int], Counts], seen: Seen, most: int, room: Room) -> Counts:
    """The largest totals whose new labels are at most `most`; labels that are known make room for more."""
    totals = share(most)
    labels, reachable = most, int(room.caps.sum())
    while (missing := most - seen.new(totals)) > 0 and labels < reachable:
        labels = min(labels + missing, reachable)
        larger = share(labels)
        if seen.new(larger) > most:
            break
        totals = larger
    return totals
