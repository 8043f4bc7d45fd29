"""The study at size: a million items scored by six classifiers, from the frame to the first items to label.

Seconds are of `Study(...)` and the first `ask()` together, the best of three processes; the frame is there before.
Memory is the most that a process held meanwhile, less what it held before, plus the frame itself, as a multiple of the
frame. Then a second period of ten classifiers with goals, whose history the first one's labels are: the slowest of its
asks, each of which plans a round, or that there is none.
"""

import ctypes
import gc
import re
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final

import numpy as np
import pandas as pd

from benchmarks.shape import Options, Result, Verdict, main
from stratawatch import Goal, Study

ITEMS: Final = 1_000_000
QUICK_ITEMS: Final = 100_000
CLASSIFIERS: Final = 6
REPEATS: Final = 3
MOST_SECONDS: Final = 3.0
MOST_FRAMES: Final = 3.0
MANY: Final = 10
MANY_ITEMS: Final = 100_000
MOST_PLAN_SECONDS: Final = 2.0
_MEGABYTE: Final = 1e6


@dataclass(frozen=True)
class Case:
    """One kind of frame, of ids, of scores and of wishes."""

    library: str
    ids: str
    scores: str
    wish: str

    @property
    def name(self) -> str:
        return f"{self.library}, {self.ids} ids, {self.scores}, {self.wish}"


CASES: Final = (
    Case("pandas", "text", "probabilities", "budget"),
    Case("pandas", "text", "probabilities", "goals"),
    Case("pandas", "whole", "margins", "budget"),
    Case("pyarrow", "text", "probabilities", "budget"),
    Case("polars", "text", "probabilities", "budget"),
)
WISHES: Final[dict[str, dict[str, Any]]] = {
    "budget": {"budget": 1000},
    "goals": {"goals": [Goal("precision", 0.03), Goal("recall", 0.05)]},
}


def run(options: Options) -> Result:
    """Every case in processes of its own, so that no memory of an earlier one counts."""
    items, repeats = (QUICK_ITEMS, 1) if options.quick else (ITEMS, REPEATS)
    rows, verdicts = [], []
    with TemporaryDirectory() as folder:
        for number, case in enumerate(CASES):
            file = Path(folder) / f"{number}.parquet"
            _apart(write, case, items, options.seed, file)
            runs = [_apart(measure, case, options.seed, file) for _ in range(repeats)]
            best = {key: min(one[key] for one in runs) for key in runs[0]}
            worst = max(one["frames"] for one in runs)
            rows.append({"case": case.name, **best, "frames": worst})
            verdicts.append(Verdict(f"seconds: {case.name}", "must", best["seconds"], MOST_SECONDS, "<="))
            if not options.quick:  # beside a small frame the process itself weighs more
                verdicts.append(Verdict(f"memory in frames: {case.name}", "must", worst, MOST_FRAMES, "<="))
    later = [_apart(later_asks, options.seed) for _ in range(repeats)]
    slowest = min(max(one) for one in later)
    rows.append({"case": f"{MANY} classifiers with a history and goals", "items": MANY_ITEMS, "seconds": slowest})
    verdicts.append(Verdict("seconds: a round of ten classifiers", "must", slowest, MOST_PLAN_SECONDS, "<="))
    return Result(rows, verdicts)


def later_asks(seed: int, items: int = MANY_ITEMS) -> list[float]:
    """Seconds of every ask in a second period, of which the last one finds that all goals hold."""
    history = None
    for period in (0, 1):
        frame = frame_of(CASES[0], items, seed + period, MANY)
        rng = np.random.default_rng([seed, period])
        # Calls of all are right four times in five where most agree: margins of 3 and 5 points take labels.
        votes = frame[[f"call_{number}" for number in range(MANY)]].mean(axis=1).to_numpy()
        truth = dict(zip(frame["id"], rng.random(items) < 0.02 + 0.8 * votes, strict=True))
        study = _begin(frame, CASES[1], seed, MANY, history=history, stop_rule="goals", budget=20_000)
        seconds, batch = [], None
        while batch is None or len(batch):
            start = perf_counter()
            batch = study.ask()
            seconds.append(perf_counter() - start)
            study.tell({one: bool(truth[one]) for one in batch})
        history = study.history()
    return seconds


def _apart(task: Callable[..., Any], *arguments: Any) -> Any:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(task, *arguments).result()


def write(case: Case, items: int, seed: int, file: Path) -> None:
    """Leave a case's frame in a file."""
    frame_of(case, items, seed).to_parquet(file)


def measure(case: Case, seed: int, file: Path) -> dict[str, float]:
    """Seconds and memory of one study."""
    small = file.with_suffix(f".{case.library}")
    write(case, 5000, seed, small)
    _begin(_READERS[case.library](small), case, seed).ask()  # loading libraries is not the frame's fault
    frame = _READERS[case.library](file)
    _give_back()
    before = _memory("VmRSS")
    _forget_peak()
    start, spent = perf_counter(), process_time()
    study = _begin(frame, case, seed)
    made = perf_counter()
    asked = len(study.ask())
    done, cpu = perf_counter(), process_time() - spent
    size, extra = _size(frame) / _MEGABYTE, _memory("VmHWM") - before
    return {
        "items": len(frame),
        "asked": asked,
        "make_s": made - start,
        "ask_s": done - made,
        "seconds": done - start,
        "cpu_s": cpu,
        "frame_mb": size,
        "extra_mb": extra,
        "frames": (size + extra) / size,
    }


def frame_of(case: Case, items: int, seed: int, classifiers: int = CLASSIFIERS) -> pd.DataFrame:
    """Items with noisy scores of one latent risk, and calls at one half."""
    rng = np.random.default_rng(seed)
    risk = 2 * rng.normal(size=items) - 3
    names = np.arange(items) * 7 if case.ids == "whole" else [f"item-{number:07d}" for number in range(items)]
    columns: dict[str, Any] = {"id": names}
    for number in range(classifiers):
        margin = risk + 0.7 * rng.normal(size=items)
        columns[f"score_{number}"] = margin if case.scores == "margins" else 1 / (1 + np.exp(-margin))
        columns[f"call_{number}"] = margin > 0
    return pd.DataFrame(columns)


def _begin(frame: Any, case: Case, seed: int, classifiers: int = CLASSIFIERS, **more: Any) -> Study:
    return Study(
        frame,
        item="id",
        classifiers={f"c{number}": (f"score_{number}", f"call_{number}") for number in range(classifiers)},
        seed=seed,
        score_kind="margin" if case.scores == "margins" else "probability",
        **WISHES[case.wish],
        **more,
    )


def _pyarrow(file: Path) -> Any:
    from pyarrow import parquet

    return parquet.read_table(file)


def _polars(file: Path) -> Any:
    import polars as pl

    return pl.read_parquet(file)


_READERS: Final[dict[str, Callable[[Path], Any]]] = {
    "pandas": pd.read_parquet,
    "pyarrow": _pyarrow,
    "polars": _polars,
}


def _size(frame: Any) -> float:
    """Bytes of a frame, by its own library."""
    if hasattr(frame, "memory_usage"):
        return float(frame.memory_usage(deep=True).sum())
    return float(frame.nbytes if hasattr(frame, "nbytes") else frame.estimated_size())


def _memory(what: str) -> float:
    """Megabytes that the process holds (VmRSS) or held at most (VmHWM); NaN where the system does not say."""
    status = Path("/proc/self/status")
    found = re.search(rf"{what}:\s+(\d+) kB", status.read_text(encoding="ascii")) if status.exists() else None
    return int(found[1]) * 1024 / _MEGABYTE if found else float("nan")


def _give_back() -> None:
    """Return what reading the file left behind, or it would hide what the study takes."""
    import pyarrow as pa

    gc.collect()
    pa.default_memory_pool().release_unused()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)


def _forget_peak() -> None:
    """Let VmHWM begin anew."""
    peak = Path("/proc/self/clear_refs")
    if peak.exists():
        peak.write_text("5", encoding="ascii")


if __name__ == "__main__":
    sys.exit(main("study", run))
