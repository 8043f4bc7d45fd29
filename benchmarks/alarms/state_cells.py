"""How often a metric is OK, and how often its state changes, by how far inside its limit it stands: real designs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

import numpy as np

from benchmarks.alarms.chain import Chain, Stream, Watched
from benchmarks.alarms.chain_cells import ITEMS
from benchmarks.alarms.frozen_weeks import GOALS, METRICS, survey
from benchmarks.alarms.losses import with_loss
from benchmarks.alarms.staying_items import NONE_STAY, StayingItems
from benchmarks.labels.cycle import Period
from benchmarks.labels.kinds import FOUR
from benchmarks.labels.worlds import Items
from benchmarks.shape import Row, Verdict
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.judge_state import judge_state
from stratawatch.core.alarms.readings import MANY
from stratawatch.core.estimate import Estimate, Undefined
from stratawatch.core.goals import Limit

NAME: Final = "states"
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


def state_rows(chains: int, seed: int) -> Iterator[Row]:
    """A row by metric and distance from the limit, and one for a fall; nobody is paged, and labels follow nothing."""
    histories = [_healthy_weeks(seed, number) for number in range(chains)]
    for metric in METRICS:
        for inside in INSIDE:
            streams = [(weeks, stream) for weeks in histories for stream in weeks if stream[1] == metric]
            years = _Years([_states(weeks, stream, inside) for weeks, stream in streams])
            yield {
                "states": metric,
                "points inside": round(100 * inside),
                "OK": round(years.share(AlarmState.OK), 4),
                "UNPROVEN": round(years.share(AlarmState.UNPROVEN), 4),
                "AT RISK": round(years.share(AlarmState.AT_RISK), 4),
                "changes a year": round(years.changes * 52 / (WEEKS - 1), 2),
                "streams": len(years.of),
            }
    for what in METRICS:
        still = [_weeks_still_ok(seed, number, what) for number in range(2 * chains)]
        yield {"fall of": what, "weeks still OK": round(float(np.mean(still)), 3), "runs": len(still)}


def state_verdicts(rows: Sequence[Row]) -> Iterator[Verdict]:
    """What the states must show."""
    for row in rows:
        if "fall of" in row:
            name = f"states: weeks still OK after 10 points of {row['fall of']} fell"
            yield Verdict(name, "must", float(str(row["weeks still OK"])), MOST_STILL_OK, "<=")
            continue
        metric, inside, ok = str(row["states"]), int(str(row["points inside"])), float(str(row["OK"]))
        name = f"states: {metric} {inside:+d} points inside"
        if (metric, inside) in LEAST_OK:
            yield Verdict(f"{name}, weeks that are OK", "must", ok, LEAST_OK[metric, inside], ">=")
        if inside in MOST_OK:
            yield Verdict(f"{name}, weeks that are OK", "must", ok, MOST_OK[inside], "<=")
        if inside == round(100 * max(INSIDE)):
            changes = float(str(row["changes a year"]))
            yield Verdict(f"{name}, changes a year", "must", changes, MOST_CHANGES, "<=")


_Weeks = Mapping[Stream, list[tuple[Estimate, float]]]
"""Of every stream the estimates of a chain's weeks, each with the true value."""


def _healthy_weeks(seed: int, number: int) -> _Weeks:
    """A chain after its first weeks, in which its history grows."""
    items, chain = _panel(seed, number)
    found: dict[Stream, list[tuple[Estimate, float]]] = {}
    for _ in range(WEEKS + MANY - 1):
        week = chain.watch(*items.next_week())
        for stream, estimate in week.estimates.items():
            found.setdefault(stream, []).append((estimate, week.truth[stream]))
    return found


def _states(weeks: _Weeks, stream: Stream, inside: float) -> list[AlarmState]:
    """The state of every week but the first ones; the limit lies so far below each week's true value.

    The true value of a finite week wanders by a fraction of a point; estimates are moved along with it.
    """
    first = weeks[stream][0][1]
    estimates = [_moved(estimate, first - truth) for estimate, truth in weeks[stream]]
    return _judged(estimates, Limit(stream[1], floor=first - inside))


def _weeks_still_ok(seed: int, number: int, what: str) -> float:
    """Weeks in which a metric that fell is OK yet."""
    items, chain = _panel(seed, 10_000 + number)
    rng, stream = np.random.default_rng([seed, 8, number]), (FOUR.classifiers[LOSER], what)
    found: list[Estimate] = []
    floors: list[float] = []
    for place in range(MANY + AFTER):
        healthy, new = items.next_week()
        lost = with_loss(healthy, LOSER, "precision" if what == "precision" else "recall", FALL, rng)
        week = chain.watch(healthy if place < MANY else lost, new)
        found.append(week.estimates[stream])
        floors.append(_true(healthy, stream) - FALL / 2)
    moved = [_moved(estimate, floors[0] - floor) for estimate, floor in zip(found, floors, strict=True)]
    return float(sum(state == AlarmState.OK for state in _judged(moved, Limit(what, floor=floors[0]))[1:]))


def _judged(estimates: Sequence[Estimate], limit: Limit) -> list[AlarmState]:
    """The state of every week that has twelve before it."""
    ends = range(MANY, len(estimates) + 1)
    margin = MARGINS[limit.metric]
    return [judge_state(estimates[end - MANY : end], 1.0, limit, margin).state for end in ends]


def _panel(seed: int, number: int) -> tuple[StayingItems, Chain]:
    items = StayingItems(FOUR, 1000 * seed + number, ITEMS, NONE_STAY)
    return items, Chain(Watched(FOUR.classifiers, survey(LABELS)), [seed, number, 9])


def _true(items: Items, stream: Stream) -> float:
    return Period(FOUR.classifiers, items).truth_of(stream[1])[stream[0]]


def _moved(estimate: Estimate, by: float) -> Estimate:
    found = estimate.result
    if isinstance(found, Undefined):
        return estimate
    return replace(estimate, result=replace(found, value=found.value + by, low=found.low + by, high=found.high + by))
