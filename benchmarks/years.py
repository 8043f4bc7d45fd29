"""What everyday commands cost after years: 50 classifiers over 104 weeks in one store on SQLite.

`python -m benchmarks.years` plays one week for real, copies it for every other, and runs the commands as processes of
their own. CPU is theirs, the start of Python and its imports included; the row `version` says how much that is. The
advance is also asked inside one process, as flows run it, where nothing is imported any more.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import select

from benchmarks.shape import Options, Result, Row, Verdict, main
from benchmarks.years_store import START, WEEK, found_installation, opened
from stratawatch.adapters.store import open_store, tables
from stratawatch.adapters.store.database import connect, store_url
from stratawatch.engine.cycle.advance import advance
from stratawatch.wiring import Installation
from tests.support.store.repeated_cycle import repeat_cycle

REPEATS: Final = 3
"""Runs of each command, of which the cheapest counts: the others paid for somebody else's work."""
MOST_PAGE: Final = 600
"""Kilobytes of a report that can be mailed."""
_SECONDS: Final = {"status": 0.5, "estimates": 1.5, "report": 8.0, "idle advance": 1.0, "late label": 1.0}


def run(options: Options) -> Result:
    """Fill the store, run everything, compare with what is promised."""
    classifiers, weeks = (12, 13) if options.quick else (50, 104)
    with TemporaryDirectory(prefix="stratawatch-years-") as scratch:
        folder = Path(scratch) / "installation"
        found_installation(folder, classifiers, 240 if options.quick else 900, 5_000 if options.quick else 20_000)
        engine = connect(store_url(f"sqlite:///{folder / 'store.db'}"))
        repeat_cycle(engine, weeks)
        engine.dispose()
        _settle(folder, weeks)
        rows = [_command(folder, name, *words) for name, words in _commands(weeks).items()]
        rows += _advances(folder, weeks)
        page = (folder / "reports" / "spam" / "latest.html").stat().st_size / 1000
    seconds = {str(row["what"]): float(str(row["cpu_seconds"])) for row in rows}
    verdicts = [Verdict(f"CPU seconds of {name}", "must", seconds[name], most, "<=") for name, most in _SECONDS.items()]
    verdicts.append(Verdict("kilobytes of the report", "must", page, MOST_PAGE, "<="))
    return Result(rows, verdicts)


def _commands(weeks: int) -> dict[str, tuple[str, ...]]:
    now = f"{_after(weeks):%Y-%m-%dT%H:%M:%SZ}"
    return {
        "version": ("--version",),
        "status": ("status",),
        "estimates": ("estimates",),
        "estimates, all windows": ("estimates", "--history"),
        "labels drawn": ("labels", "drawn", "--to", "drawn.csv"),
        "report": ("report", "--now", now),
        "advance, a process": ("advance", "--now", now),
    }


def _after(weeks: int) -> datetime:
    return START + weeks * WEEK + timedelta(days=2)


def _settle(folder: Path, weeks: int) -> None:
    """Let the advances of those years be over: purges go in parts."""
    with opened(folder / "stratawatch.toml", _after(weeks)) as installation:
        for _ in range(weeks // 20 + 2):
            advance(installation.ports)


def _command(folder: Path, what: str, *words: str) -> Row:
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(folder.parent / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a first run would pay for compiling every module
    program = [sys.executable, "-m", "stratawatch.cli", *words]
    measured = [
        _cpu_of(lambda: subprocess.run(program, cwd=folder, env=environment, check=True, capture_output=True))
        for _ in range(REPEATS)
    ]
    return {"what": what, "cpu_seconds": min(measured)}


def _cpu_of(work: Callable[[], object]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _advances(folder: Path, weeks: int) -> list[Row]:
    late = []
    with opened(folder / "stratawatch.toml", _after(weeks)) as installation:
        idle = min(_advance(installation) for _ in range(REPEATS))
        for turn in range(REPEATS):
            _change_a_label(folder, turn)
            late.append(_advance(installation))
    revisions = _newest_revision(folder)
    if revisions != 1 + REPEATS:
        raise RuntimeError(f"{REPEATS} late labels made {revisions - 1} revisions")
    return [{"what": "idle advance", "cpu_seconds": idle}, {"what": "late label", "cpu_seconds": min(late)}]


def _advance(installation: Installation) -> float:
    before = time.process_time()
    done = advance(installation.ports)
    if done.troubles:
        raise RuntimeError("; ".join(done.troubles))
    return time.process_time() - before


def _change_a_label(folder: Path, turn: int) -> None:
    """Somebody takes back what was said of an item of the first week, another item each turn."""
    engine = connect(store_url(f"sqlite:///{folder / 'store.db'}"))
    t = tables.label_events.c
    with engine.connect() as sql:
        said = sql.execute(select(t.item_key, t.value).order_by(t.id).offset(turn).limit(1)).one()
    engine.dispose()
    value = "no" if said.value == "yes" else "yes"
    at = (START + WEEK + timedelta(days=1)).isoformat()
    line = {"key": said.item_key, "value": value, "annotator": "ann", "at": at}
    (folder / "queue" / "in" / f"late-{turn}.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")


def _newest_revision(folder: Path) -> int:
    store = open_store(f"sqlite:///{folder / 'store.db'}")
    with store.begin() as tx:
        newest = tx.estimates.latest(1)
    store.dispose()
    return newest.number if newest else 0


if __name__ == "__main__":
    sys.exit(main("years", run))
