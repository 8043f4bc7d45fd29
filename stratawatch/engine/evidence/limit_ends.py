"""The ends of the limits that a panel watches: each of them is tested, and each could page falsely."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from stratawatch.core.alarms.evidence.drop_tests import DropTest
from stratawatch.core.alarms.evidence.linear_tests import LimitTest
from stratawatch.core.goals import Limit, LimitEnd
from stratawatch.engine.model.alarm_records import StreamKey

Sign = Literal[1, -1]
"""What is bet on: that a limit is broken (1), or that a baseline was better than a point of its grid (-1)."""


@dataclass(frozen=True)
class WatchedEnd:
    """One end of a stream's limit."""

    key: StreamKey
    end: LimitEnd


def limit_tests(limits: Mapping[StreamKey, Limit]) -> dict[WatchedEnd, LimitTest]:
    """The floors and ceilings, as the core tests them."""
    found = {}
    for key, limit in limits.items():
        ends: tuple[tuple[LimitEnd, float | None], ...] = (("floor", limit.floor), ("ceiling", limit.ceiling))
        for end, value in ends:
            if value is not None:
                test = LimitTest(key.classifier, key.metric, limit.segment, end, value, is_floor=end == "floor")
                found[WatchedEnd(key, end)] = test
    return found


def drop_test(key: StreamKey, limit: Limit) -> DropTest | None:
    """The largest drop of a stream's limit, as the core tests it, if it has one."""
    if limit.max_drop is None:
        return None
    return DropTest(key.classifier, key.metric, limit.segment, limit.max_drop)


def grid_tests(drop: DropTest, points: Iterable[float], sign: Sign) -> tuple[LimitTest, ...]:
    """The tests at the points of a grid."""
    return tuple(drop.falls_to(point) if sign > 0 else drop.was_better_than(point) for point in points)
