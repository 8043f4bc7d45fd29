"""How often a metric is OK, and how often its state changes, by how far inside its limit it stands: real designs.

Once with items that all change from week to week, once where half of them stay.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Final

import numpy as np

from benchmarks.alarms.chain import Chain, Stream, Watched
from benchmarks.alarms.chain_cells import ITEMS
from benchmarks.alarms.frozen_weeks import GOALS, METRICS, survey
from benchmarks.alarms.losses import with_loss
from benchmarks.alarms.staying_items import NONE_STAY, Staying, StayingItems
from benchmarks.labels.kinds import FOUR
from benchmarks.labels.worlds import Integers, Items
from benchmarks.shape import Row, Verdict
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.judge_state import judge_state
from stratawatch.core.alarms.reading_lengths import MANY
from stratawatch.core.estimate import Estimate, Undefined
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.pooled_windows import PooledWindows
from stratawatch.core.goals import Limit
from stratawatch.core.metrics import SideTotals, metric_named

STATE_CELLS: Final[Mapping[str, Staying]] = {"states": NONE_STAY, "states-50/50": Staying(0.5, 0.5)}
"""Who stays in the worlds whose states are looked at."""
LABELS: Final = 900
WEEKS: Final = 52
INSIDE: Final = (0.05, 0.02, 0.0, -0.02, -0.05)
"""How far inside its limit a metric stands."""
FALL, LOSER, AFTER = 0.10, 1, 8
"""From 5 points inside to 5 outside; whose metric falls; the weeks that are looked at after it."""
MARGINS: Final = {goal.metric: goal.margin for goal in GOALS}
LEAST_OK: Final[Mapping[tuple[str, int], float]] = {
    ("precision", 5): 0.95,
    ("recall", 5): 0.95,
    ("precision", 2): 0.90,
    ("recall", 2): 0.60,
}
MOST_OK: Final = {0: 0.06, -2: 0.005}
MOST_CHANGES, MOST_STILL_OK = 2.0, 0.8
_REQUEST: Final = EstimationRequest(0.95, METRICS, (None,))


@dataclass
class _Years:
    """The states of a metric's streams, a list of weeks for each."""

    of: list[list[AlarmState]] = field(default_factory=list)

    @property
    def changes(self) -> float:
        """Mean changes of a stream in these weeks."""
        return float(np.mean([sum(a != b for a, b in pairwise(weeks)) for weeks in self.of]))

    def share(self, state: AlarmState) -> float:
        """The share of weeks in a state."""
        return float(np.mean([one == state for weeks in self.of for one in weeks]))


def state_rows(cell: str, chains: int, seed: int) -> Iterator[Row]:
    """A row by metric and distance from the limit, and one for a fall; nobody is paged, and labels follow nothing."""
    staying = STATE_CELLS[cell]
    histories = [_healthy_weeks(staying, seed, number) for number in range(chains)]
    for metric in METRICS:
        for inside in INSIDE:
            years = _Years([weeks.states((name, metric), inside) for weeks in histories for name in FOUR.classifiers])
            yield {
                "states": metric,
                "who stays": staying.name,
                "points inside": round(100 * inside),
                "OK": round(years.share(AlarmState.OK), 4),
                "UNPROVEN": round(years.share(AlarmState.UNPROVEN), 4),
                "AT RISK": round(years.share(AlarmState.AT_RISK), 4),
                "changes a year": round(years.changes * 52 / (WEEKS - 1), 2),
                "streams": len(years.of),
            }
    for what in METRICS:
        still = [_weeks_still_ok(staying, seed, number, what) for number in range(2 * chains)]
        weeks = round(float(np.mean(still)), 3)
        yield {"fall of": what, "who stays": staying.name, "weeks still OK": weeks, "runs": len(still)}


def state_verdicts(rows: Sequence[Row]) -> Iterator[Verdict]:
    """What the states must show."""
    for row in rows:
        stay = row["who stays"]
        if "fall of" in row:
            name = f"states where {stay}: weeks still OK after 10 points of {row['fall of']} fell"
            yield Verdict(name, "must", float(str(row["weeks still OK"])), MOST_STILL_OK, "<=")
            continue
        metric, inside, ok = str(row["states"]), int(str(row["points inside"])), float(str(row["OK"]))
        name = f"states where {stay}: {metric} {inside:+d} points inside"
        if (metric, inside) in LEAST_OK:
            yield Verdict(f"{name}, weeks that are OK", "must", ok, LEAST_OK[metric, inside], ">=")
        if inside in MOST_OK:
            yield Verdict(f"{name}, weeks that are OK", "must", ok, MOST_OK[inside], "<=")
        if inside == round(100 * max(INSIDE)):
            changes = float(str(row["changes a year"]))
            yield Verdict(f"{name}, changes a year", "must", changes, MOST_CHANGES, "<=")


@dataclass(frozen=True)
class _Weeks:
    """What the weeks of a chain say: estimates by stream, label by label, and the true totals that limits follow."""

    estimates: tuple[Mapping[Stream, Estimate], ...]
    pooled: PooledWindows
    levels: tuple[SideTotals, ...]

    def states(self, stream: Stream, inside: float) -> list[AlarmState]:
        """The state of every week that has twelve before it; the limit lies so far below the weeks' level.

        The level of a finite week wanders by a fraction of a point; estimates are moved along with it.
        """
        first = self._level(stream, range(1))
        limit, margin = Limit(stream[1], floor=first - inside), MARGINS[stream[1]]
        moved = [
            _moved(one[stream], first - self._level(stream, range(n, n + 1))) for n, one in enumerate(self.estimates)
        ]

        def together(end: int, windows: int) -> Estimate:
            places = range(end - windows, end)
            return _moved(self._of(places)[stream], first - self._level(stream, places))

        return [
            judge_state(moved[end - MANY : end], 1.0, limit, margin, together=partial(together, end)).state
            for end in range(MANY, len(moved) + 1)
        ]

    def _of(self, places: range) -> Mapping[Stream, Estimate]:
        if places not in self._read:
            found = self.pooled.estimates(places, FOUR.classifiers, _REQUEST)
            self._read[places] = {(one.classifier, one.metric): one for one in found}
        return self._read[places]

    @cached_property
    def _read(self) -> dict[range, Mapping[Stream, Estimate]]:
        return {}

    def _level(self, stream: Stream, places: range) -> float:
        classifier, metric = stream
        totals = SideTotals(
            *(np.sum(each, axis=0) for each in zip(*self.levels[places.start : places.stop], strict=True))
        )
        return float(metric_named(metric).value(totals)[FOUR.classifiers.index(classifier)])


def _pooled_weeks(chain: Chain, weeks: Iterable[tuple[Items, Integers, Items]]) -> _Weeks:
    """What a chain says of weeks: the items, which rows of them are new, and the items whose truth is the level."""
    estimates, windows, levels = [], [], []
    for items, new, level in weeks:
        estimates.append(chain.watch(items, new).estimates)
        windows.append(chain.window_labels())
        levels.append(_totals(level))
    return _Weeks(tuple(estimates), PooledWindows(tuple(windows)), tuple(levels))


def _healthy_weeks(staying: Staying, seed: int, number: int) -> _Weeks:
    """A chain, whose history grows in its first weeks."""
    items, chain = _panel(staying, seed, number)
    weeks = (items.next_week() for _ in range(WEEKS + MANY - 1))
    return _pooled_weeks(chain, ((week, new, week) for week, new in weeks))


def _weeks_still_ok(staying: Staying, seed: int, number: int, what: str) -> float:
    """Weeks in which a metric that fell is OK yet."""
    items, chain = _panel(staying, seed, 10_000 + number)
    rng, stream = np.random.default_rng([seed, 8, number]), (FOUR.classifiers[LOSER], what)

    def weeks() -> Iterator[tuple[Items, Integers, Items]]:
        for place in range(MANY + AFTER):
            healthy, new = items.next_week()
            lost = with_loss(healthy, LOSER, "precision" if what == "precision" else "recall", FALL, rng)
            yield healthy if place < MANY else lost, new, healthy

    return float(sum(state == AlarmState.OK for state in _pooled_weeks(chain, weeks()).states(stream, FALL / 2)[1:]))


def _panel(staying: Staying, seed: int, number: int) -> tuple[StayingItems, Chain]:
    items = StayingItems(FOUR, 1000 * seed + number, ITEMS, staying)
    return items, Chain(Watched(FOUR.classifiers, survey(LABELS)), [seed, number, 9])


def _totals(items: Items) -> SideTotals:
    called, found = items.calls.sum(axis=0), items.calls[items.truth].sum(axis=0)
    return SideTotals(called, len(items) - called, found, items.truth.sum() - found)


def _moved(estimate: Estimate, by: float) -> Estimate:
    found = estimate.result
    if isinstance(found, Undefined):
        return estimate
    return replace(estimate, result=replace(found, value=found.value + by, low=found.low + by, high=found.high + by))
