"""A measurement in a process of its own: its seconds, its processor time, and the most memory that it held."""

import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

MEGABYTE: Final = 1e6


@dataclass(frozen=True)
class Measured:
    """What a task returned, and what it cost. `peak_mb` counts the whole process, libraries included."""

    value: Any
    seconds: float
    cpu_s: float
    peak_mb: float


def apart(task: Callable[..., Any], *arguments: Any, before: Callable[[], object] | None = None) -> Measured:
    """Run a task in a fresh process; `before` runs there first, and only its memory counts."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_measure, task, arguments, before).result()


def peak_mb() -> float:
    """The most memory this process ever held; NaN where the system does not say."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii")) if status.exists() else None
    return int(found[1]) * 1024 / MEGABYTE if found else float("nan")


def _measure(task: Callable[..., Any], arguments: tuple[Any, ...], before: Callable[[], object] | None) -> Measured:
    if before is not None:
        before()
    start, spent = perf_counter(), process_time()
    value = task(*arguments)
    return Measured(value, perf_counter() - start, process_time() - spent, peak_mb())
