"""How fast this machine computes: limits of seconds were set on one of usual speed, and hold on slower ones in its seconds."""

import os
import resource
from time import perf_counter, process_time
from typing import Final

from tests.support.programs import environment, run, start

TRIES: Final = 5
_ROUNDS: Final = 1_000_000
_USUAL: Final = 0.05
"""CPU seconds of the rounds on a machine of usual speed."""
_LONGER: Final = 5
"""How many times the rounds are done where processors are timed together."""
_IMPORTS: Final = "import asyncio, email.message, http.client, json, sqlite3"
_USUAL_START: Final = 0.12
"""CPU seconds of a program that imports so much, on a machine of usual speed."""


def slowness() -> float:
    """How many times as long as a machine of usual speed this one takes now; 1 where it is faster."""
    return max(min(_seconds() for _ in range(TRIES)) / _USUAL, 1.0)


def slowness_of_starts() -> float:
    """How many times as long a program takes to start as on a machine of usual speed; 1 where it is faster."""
    env = environment(without=("COV_", "COVERAGE_", "PYTHONDONTWRITEBYTECODE"))
    return max(min(program_seconds("-c", _IMPORTS, env=env) for _ in range(TRIES)) / _USUAL_START, 1.0)


def slowness_of_processors() -> float:
    """How many times as long as usual work takes by the clock on the wall while each processor has some; at least 1."""
    found = []
    for _ in range(TRIES):
        work = f"from tests.support.machine_speed import rounds_seconds; print(rounds_seconds({_LONGER}))"
        running = [start("-c", work) for _ in range(os.cpu_count() or 1)]
        found.append(max(float(one.communicate()[0]) for one in running) / _LONGER)
    return max(sorted(found)[TRIES // 2] / _USUAL, 1.0)


def rounds_seconds(times: int) -> float:
    """Seconds on the wall that so many times the rounds take."""
    begun = perf_counter()
    for _ in range(times):
        _seconds()
    return perf_counter() - begun


def program_seconds(*arguments: object, env: dict[str, str]) -> float:
    """User and system time of one run of Python."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(*arguments, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _seconds() -> float:
    begun, total = process_time(), 0
    for number in range(_ROUNDS):
        total += number
    assert total == _ROUNDS * (_ROUNDS - 1) // 2
    return process_time() - begun


if __name__ == "__main__":
    print(f"{slowness_of_processors():.2f}")
