"""The ends of the limits that a panel watches: each of them is tested, and each could page falsely."""

from collections.abc import Mapping
from dataclasses import dataclass

from stratawatch.core.alarms.evidence.linear_tests import LimitTest
from stratawatch.core.goals import Limit, LimitEnd
from stratawatch.engine.model.alarm_records import StreamKey


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
