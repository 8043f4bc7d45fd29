"""Cycle after cycle in one process and one store, with retention on: what has a period must not grow.

`python -m benchmarks.soak` plays 2,000 windows of a small panel from opening to judgement. It looks at memory, open
files, CPU a cycle and the store. What is kept for ever (ids, random numbers, weights, verdicts, estimates) makes the
store longer by the same bytes for each cycle; payload, moves of rounds and batches, and rows set aside stand still.
"""

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import Engine, create_engine, text

from benchmarks.shape import Options, Result, Row, Verdict, main
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.idempotency_keys import item_key, question_wording
from stratawatch.engine.model.label_events import PollResult
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.retention import Retention
from tests.support.fakes import MONDAY, WEEK, FakeQueue, production, spec
from tests.support.scenario import Scenario, open_all
from tests.support.stores import empty_store

PERIOD: Final = timedelta(days=28)
RETENTION: Final = Retention(**dict.fromkeys(Retention.__dataclass_fields__, PERIOD))
QUARTERS: Final = 4
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_PERIODIC: Final = {
    "payload": "SELECT COALESCE(SUM(LENGTH(payload)), 0) - 2 * COUNT(*) FROM candidates",
    "tasks' payload": "SELECT COUNT(*) FROM batches WHERE tasks LIKE '%text of%'",
    "moves": "SELECT COUNT(*) FROM transitions WHERE entity <> 'cycle'",
    "bad rows": "SELECT COUNT(*) FROM quarantine",
}
_USED: Final = """
SELECT (p.page_count - f.freelist_count) * s.page_size
FROM pragma_page_count AS p, pragma_freelist_count AS f, pragma_page_size AS s
"""


class ForgetfulQueue(FakeQueue):
    """People whose answers are read once, and whose batches are forgotten when they are answered."""

    def poll(self, cursor: Mapping[str, object]) -> PollResult:
        said, read = tuple(self.said), int(str(cursor.get("at", 0)))
        self.said.clear()
        return PollResult(said, (), {"at": read + len(said)})

    def close(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.published.pop(key, None)
        self.sends.clear()


@dataclass(frozen=True)
class Look:
    """What one cycle left behind."""

    seconds: float
    memory: float
    files: int
    store: int
    periodic: Mapping[str, int]


def run(options: Options) -> Result:
    """Play the cycles; compare the last quarter with the second, in which every period has passed once."""
    cycles = 32 if options.quick else int(options.given.cycles)
    with TemporaryDirectory(prefix="stratawatch-soak-") as scratch:
        looks = _play(Path(scratch) / "store.db", cycles)
    quarter = len(looks) // QUARTERS
    second, last = looks[quarter : 2 * quarter], looks[-quarter:]
    rows: list[Row] = [
        {"cycles": f"{start + 1} to {start + quarter}", **_row(looks[start : start + quarter])}
        for start in range(0, quarter * QUARTERS, quarter)
    ]
    growth = [(part[-1].store - part[0].store) / (quarter - 1) for part in (second, last)]
    verdicts = [
        Verdict("megabytes more at the end", "must", last[-1].memory - second[-1].memory, 30, "<="),
        Verdict("open files more at the end", "must", last[-1].files - second[-1].files, 0, "<="),
        # In the short form the labels that plans look back at are still gathering; they level off after some 40 weeks.
        Verdict(
            "CPU of a cycle, last quarter to second",
            "aim" if options.quick else "must",
            _seconds(last) / _seconds(second),
            1.5,
            "<=",
        ),
        Verdict("bytes a cycle adds, last quarter to second", "must", growth[1] / growth[0], 1.1, "<="),
        *(
            Verdict(f"{name}, last quarter to second", "must", _most(last, name) / _most(second, name), 1.25, "<=")
            for name in _PERIODIC
        ),
    ]
    return Result(rows, verdicts)


def _play(file: Path, cycles: int) -> list[Look]:
    store = empty_store(file)
    scenario = Scenario.around(store, spec(limits=(), budget=60))
    scenario.queue = ForgetfulQueue({})
    scenario.ports = replace(scenario.ports, queue=scenario.queue, retention=RETENTION)
    engine = create_engine(f"sqlite:///{file}")
    looks = []
    for period in range(cycles):
        before = time.process_time()
        _play_cycle(scenario, period)
        looks.append(_look(engine, time.process_time() - before))
    engine.dispose()
    store.dispose()
    return looks


def _play_cycle(scenario: Scenario, period: int) -> None:
    scenario.source.windows.clear()
    scenario.source.calls.clear()
    scenario.queue.truth.clear()
    # Ten worlds, with other ids in every window, so that nothing is known before.
    rows = [replace(row, item=f"{period}-{row.item}") for row in production(period % 10, 400)]
    scenario.source.windows[MONDAY + period * WEEK] = rows
    question = question_wording(scenario.panel.question, scenario.panel.guideline, None)
    scenario.queue.truth |= {item_key(scenario.panel.name, row.item, question): row.truth for row in rows}
    scenario.clock.moment = MONDAY + (period + 1) * WEEK
    open_all(scenario)
    for _ in range(4):
        scenario.clock.advance(hours=7)
        troubles = advance(scenario.ports).troubles
        if troubles:
            raise RuntimeError("; ".join(troubles))
        scenario.queue.answer(scenario.clock.now())
    with scenario.ports.store.begin() as tx:
        tx.cycles.quarantine(None, [QuarantinedRow("label", f"k{period}", "junk", {})], scenario.clock.now())
        tx.commit()
        (cycle,) = tx.cycles.find(newest=1)
    if cycle.state != "judged":
        raise RuntimeError(f"cycle {cycle.id} is {cycle.state}")


def _look(engine: Engine, seconds: float) -> Look:
    with engine.connect() as sql:
        store = int(sql.scalar(text(_USED)) or 0)
        periodic = {name: int(sql.scalar(text(query)) or 0) for name, query in _PERIODIC.items()}
    resident = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return Look(seconds, resident * _PAGE / 1e6, len(os.listdir("/proc/self/fd")), store, periodic)  # noqa: PTH208


def _row(looks: Sequence[Look]) -> Row:
    end = looks[-1]
    megabytes = {"memory_mb": round(end.memory, 1), "store_mb": round(end.store / 1e6, 2)}
    return {"cpu_ms_a_cycle": 1000 * _seconds(looks), **megabytes, "files": end.files, **end.periodic}


def _seconds(looks: Sequence[Look]) -> float:
    return mean(look.seconds for look in looks)


def _most(looks: Sequence[Look], name: str) -> int:
    return max(look.periodic[name] for look in looks)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cycles", type=int, default=2000, help="windows that are played")


if __name__ == "__main__":
    sys.exit(main("soak", run, extra=_arguments))
