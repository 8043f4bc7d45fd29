"""A panel that is watched week after week: what each cycle's labels said is the history of the next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from benchmarks.labels.cycle import Cycle, Period, past, run_cycle
from benchmarks.labels.kinds import Kind
from benchmarks.labels.worlds import ITEMS, Flags, Integers, Items, World
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.model_trust import with_variance_ratios
from stratawatch.core.history.past_labels import NO_HISTORY, History

MARGINS: Final = {"precision": 0.03, "recall": 0.05}
COMMISSION: Final = SurveySpec(tuple(Goal(*goal) for goal in MARGINS.items()), stop_at_goals=True)
MEMORY: Final = 30
"""Periods whose labels are handed on; older ones do not count any more."""


@dataclass(frozen=True)
class ChainWeek:
    """A week of one chain, by goal (precisions, then recalls): does the interval hold the truth, its half-width over
    the margin, and how far off the value is, over the margin too.
    """

    world: int
    chain: int
    week: int
    labels_new: int
    covered: tuple[bool, ...]
    widths: tuple[float, ...]
    errors: tuple[float, ...]

    @property
    def held(self) -> bool:
        """Whether every reported interval is within its margin."""
        return max(self.widths) <= 1


@dataclass(frozen=True)
class Watch:
    """What is to be simulated: chains of the same weeks of one world; `persisting` is the share of items that stay."""

    kind: Kind
    world: int
    weeks: int
    chains: Sequence[int]
    seed: int
    persisting: float = 0.0
    survey: SurveySpec = COMMISSION
    items: int = ITEMS


def watch(what: Watch) -> list[ChainWeek]:
    """All weeks of all chains; a week's items are made once and shared."""
    world = World(what.kind, what.seed + what.world, what.items)
    chains = [Chain(what, number) for number in what.chains]
    return [
        chain.cycle(week, Period(what.kind.classifiers, items), new)
        for week, items, new in weeks_of(world, what)
        for chain in chains
    ]


class Chain:
    """One panel's own luck: its random numbers, its labels, its history."""

    def __init__(self, what: Watch, number: int) -> None:
        self._what, self._number = what, number
        self._rng = np.random.default_rng([what.seed, 2, what.world, number])
        self._history, self._rows = NO_HISTORY, np.zeros(0, dtype=np.int64)
        self._u, self._known = np.zeros(0), np.zeros(0, dtype=np.bool_)

    def cycle(self, week: int, period: Period, new: Integers) -> ChainWeek:
        """Label a week and hold its estimates against the truth; the rows `new` hold other items than before."""
        return self._result(week, period, self.draw(period, new))

    def draw(self, period: Period, new: Integers) -> Cycle:
        """Label and estimate a week; the rows `new` hold other items than the week before."""
        if len(self._u) == 0:
            self._u, self._known = np.empty(len(period.items)), np.zeros(len(period.items), dtype=np.bool_)
        self._u[new], self._known[new] = self._rng.random(len(new)), False
        self._history = gone(self._history, self._rows, new)
        known = self._known if self._what.persisting else None
        cycle = run_cycle(period, self._what.survey, self._u, history=self._history, known=known)
        fresh = ~self._known[cycle.drawn]
        self._known[cycle.drawn] = True
        self._remember(period, cycle, fresh)
        return cycle

    def _remember(self, period: Period, cycle: Cycle, fresh: Flags) -> None:
        drawable = np.ones(len(cycle.drawn), dtype=np.bool_)
        latest = replace(past(period, cycle), drawable=drawable, first_use=fresh)
        self._history = with_variance_ratios(handed_on(self._history, latest))
        self._rows = np.concatenate([cycle.drawn, self._rows])[: len(self._history)]

    def _result(self, week: int, period: Period, cycle: Cycle) -> ChainWeek:
        truths = {metric: period.truth_of(metric) for metric in MARGINS}
        estimates = sorted(cycle.estimates, key=lambda one: list(MARGINS).index(one.metric))
        return ChainWeek(
            world=self._what.world,
            chain=self._number,
            week=week,
            labels_new=cycle.labels_new,
            covered=tuple(_covers(one, truths[one.metric][one.classifier]) for one in estimates),
            widths=tuple(_width(one) for one in estimates),
            errors=tuple(_error(one, truths[one.metric][one.classifier]) for one in estimates),
        )


def gone(history: History, rows: Integers, new: Integers) -> History:
    """The history when the items in the rows `new` have been replaced: their labels cannot come again."""
    if len(history) == 0:
        return history
    replaced = np.zeros(int(max(rows.max(), new.max(initial=0))) + 1, dtype=np.bool_)
    replaced[new] = True
    return replace(history, drawable=history.drawable & ~replaced[rows])


def handed_on(history: History, latest: History) -> History:
    """The history a period later: the latest labels first, everything else older by one, the oldest forgotten."""
    young = int((history.ages < MEMORY).sum())
    return History(
        ages=np.concatenate([latest.ages, history.ages[:young] + 1]),
        patterns=latest.patterns + history.patterns[:young],
        scores=np.concatenate([latest.scores, history.scores[:young]]),
        positive=np.concatenate([latest.positive, history.positive[:young]]),
        weights=np.concatenate([latest.weights, history.weights[:young]]),
        drawable=np.concatenate([latest.drawable, history.drawable[:young]]),
        ratios={age + 1: ratio for age, ratio in history.ratios.items()},
        goal_ratios={age + 1: ratio for age, ratio in history.goal_ratios.items()},
        first_use=np.concatenate([_first_use(latest), _first_use(history)[:young]]),
        called={age + 1: part for age, part in (history.called or {}).items() if age < MEMORY}
        | dict(latest.called or {}),
    )


def _first_use(history: History) -> Flags:
    return np.ones(len(history), dtype=np.bool_) if history.first_use is None else history.first_use


def weeks_of(world: World, what: Watch) -> Iterator[tuple[int, Items, Integers]]:
    """Every week's items, and the rows whose items were not there the week before."""
    rng = np.random.default_rng([what.seed, 3, what.world])
    items = world.week(1)
    yield 1, items, np.arange(len(items))
    for week in range(2, what.weeks + 1):
        new = np.flatnonzero(_leaving(rng, len(items), what.persisting))
        items = items.replaced(new, world.week(week, len(new))) if len(new) < len(items) else world.week(week)
        yield week, items, new


def _leaving(rng: np.random.Generator, items: int, persisting: float) -> Flags:
    return rng.random(items) >= persisting


def _covers(estimate: Estimate, truth: float) -> bool:
    outcome = estimate.result
    return isinstance(outcome, IntervalEstimate) and outcome.low <= truth <= outcome.high


def _width(estimate: Estimate) -> float:
    """An estimate that cannot tell is as wide as can be."""
    outcome = estimate.result
    return outcome.half_width / MARGINS[estimate.metric] if isinstance(outcome, IntervalEstimate) else float("inf")


def _error(estimate: Estimate, truth: float) -> float:
    outcome = estimate.result
    return (outcome.value - truth) / MARGINS[estimate.metric] if isinstance(outcome, IntervalEstimate) else float("nan")
