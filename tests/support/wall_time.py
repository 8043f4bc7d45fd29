"""How long something takes by the clock on the wall, on a machine that may be busy with other things."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Final

from tests.support.machine_speed import slowness

TRIES: Final = 3
_SCHEDULED: Final = Path("/proc/thread-self/schedstat")


def seconds_within(limit: float, work: Callable[[], object]) -> float:
    """The seconds that work took, as a machine of usual speed has them; the least of three where it is not within the limit.

    What this thread waited for a processor that others had is taken off, where the system says it (Linux does). Waiting
    for disks and servers counts.
    """
    least, slow = float("inf"), slowness()
    for _ in range(TRIES):
        begun, waited = perf_counter(), _seconds_waited()
        work()
        least = min(least, (perf_counter() - begun - (_seconds_waited() - waited)) / slow)
        if least < limit:
            break
    return least


def _seconds_waited() -> float:
    return int(_SCHEDULED.read_text().split()[1]) / 1e9 if _SCHEDULED.exists() else 0.0
