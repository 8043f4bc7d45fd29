"""Many panels, several workers: what it costs when all are due at once, and that nothing is lost or done twice.

Real processes of `stratawatch advance` share a store, a queue folder and the panels. CPU and memory are theirs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import IO, Any, Final

import numpy as np

from benchmarks.chaos.children import in_child
from benchmarks.chaos.databases import Databases, databases
from benchmarks.shape import Options, Result, Verdict, main

START: Final = datetime(2026, 1, 5, tzinfo=UTC)
WEEK: Final = timedelta(days=7)
ROWS: Final = 2500
MOST_MOMENTS: Final = 12
QUICK_PANELS: Final = 6
SCORES: Final = ("a", "b", "c", "d")

HEAD: Final = """\
[store]
url = "{store}"
[queue]
kind = "folder"
root = "queue"
[report]
folder = "reports"
[[alerts]]
kind = "console"
"""
PANEL: Final = """\
[panels.{name}]
question = "Is it spam?"
guideline = "Spam is what nobody asked for."
seed = "{name}"
budget = 150
deadline = "3d"
source = {{ kind = "files", path = "predictions/*.parquet" }}
columns = {{ item = "id", time = "at", payload = ["text"], segments = ["country"] }}
schedule = {{ start = 2026-01-05T00:00:00Z, every = "7d" }}
limits = [{{ metric = "precision", floor = 0.99 }}]
"""
CLASSIFIER: Final = 'classifiers.{name} = {{ score = "score_{name}", cut_off = 0.5 }}\n'


@dataclass
class Cost:
    """What the workers of one moment took."""

    wall: float = 0.0
    cpu: float = 0.0
    memory: float = 0.0
    """The largest of a worker, in MB."""
    said: str = ""
    steps: Counter[str] = field(default_factory=Counter)


@dataclass
class Installation:
    """A configuration of many panels, and people who answer what lies in the queue."""

    folder: Path
    answered: set[str] = field(default_factory=set)

    @classmethod
    def build(cls, folder: Path, panels: int, seed: int, stores: Databases) -> "Installation":
        """Write predictions and configuration, and create the store."""
        (folder / "predictions").mkdir(parents=True)
        _write_window(folder / "predictions" / "week.parquet", seed)
        classifiers = "".join(CLASSIFIER.format(name=name) for name in SCORES)
        parts = [PANEL.format(name=f"panel-{number:03d}") + classifiers for number in range(panels)]
        (folder / "stratawatch.toml").write_text("".join([HEAD.format(store=stores.url("panels")), *parts]))
        in_child(lambda: stores.create("panels", folder), folder)
        return cls(folder)

    def advance(self, workers: int, hours: float) -> Cost:
        """Let so many workers advance at once, at a moment counted from the end of the window."""
        cost, began = Cost(), monotonic()
        running = [self._start("advance", hours) for _ in range(workers)]
        for process, output in running:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            cost.cpu += used.ru_utime + used.ru_stime
            cost.memory = max(cost.memory, used.ru_maxrss / 1024)
            output.seek(0)
            text = output.read()
            if process.returncode:
                raise RuntimeError(f"an advance ended with {process.returncode}:\n{text[-3000:]}")
            cost.said += text
            cost.steps.update(_document(text)["steps"])
        cost.wall = monotonic() - began
        return cost

    def open(self) -> None:
        """Open a cycle for every panel."""
        process, _ = self._start("open", 1)
        if process.wait():
            raise RuntimeError("the cycles were not opened")

    def _start(self, command: str, hours: float) -> tuple["subprocess.Popen[str]", IO[str]]:
        now = (START + WEEK + timedelta(hours=hours)).isoformat()
        output = tempfile.TemporaryFile("w+")  # noqa: SIM115 - read when the process has ended
        arguments = [sys.executable, "-m", "stratawatch.cli", command, "--json", "--now", now]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        return (
            subprocess.Popen(
                arguments, cwd=self.folder, stdout=output, stderr=subprocess.STDOUT, text=True, env=environment
            ),
            output,
        )

    def answer(self, hours: float) -> int:
        """Answer everything that is asked and was not answered; returns how much."""
        at = (START + WEEK + timedelta(hours=hours)).isoformat()
        lines = []
        for batch in sorted((self.folder / "queue" / "out").glob("*.jsonl")):
            for text in batch.read_text().splitlines():
                task = json.loads(text)
                if "key" in task and task["key"] not in self.answered:
                    self.answered.add(task["key"])
                    value = "yes" if task["payload"]["text"].startswith("buy") else "no"
                    lines.append({"key": task["key"], "value": value, "annotator": "ann", "at": at})
        if lines:
            inbox = self.folder / "queue" / "in"
            inbox.mkdir(exist_ok=True)
            draft = inbox / f"{hours}.draft"
            draft.write_text("".join(json.dumps(line) + "\n" for line in lines))
            draft.rename(inbox / f"ann-{hours}.jsonl")
        return len(lines)

    def faults(self, panels: int, said: str) -> dict[str, int]:
        """What was lost or done twice, by kind; everything is 0 when all is well."""
        from stratawatch.wiring import build

        with build(self.folder / "stratawatch.toml").ports.store.begin() as tx:
            cycles = tx.cycles.find()
            rounds = [round_ for cycle in cycles for round_ in tx.rounds.of(cycle.id)]
            draws = [(cycle.panel, draw) for cycle in cycles for draw in tx.rounds.draws(cycle.id)]
            keys, events = tx.rounds.batch_keys(), tx.labels.newest_event_id()
            told = [row for row in tx.outbox.all() if row.severity == "page"]
            leases = tx.leases.names()
        batches = [path for place in ("out", "done") for path in (self.folder / "queue" / place).glob("*.jsonl")]
        files = [path.stem for path in batches]
        tasks = (json.loads(line) for path in batches for line in path.read_text().splitlines())
        asked = Counter(task["key"] for task in tasks if "key" in task)
        due = {draw.item_key for _, draw in draws if not draw.reused}
        pages = Counter(line for line in said.splitlines() if line.startswith("key: ") and ":breach:" in line)
        return {
            "panels not judged": panels - sum(cycle.state == "judged" for cycle in cycles),
            "rounds planned twice": len(rounds) - len({(r.cycle_id, r.ordinal) for r in rounds}),
            "items drawn twice": len(draws) - len({(panel, draw.item) for panel, draw in draws}),
            "items not asked about once": sum(asked[key] != 1 for key in due) + len(set(asked) - due),
            "batches not in the queue": len(set(keys) - set(files)),
            "batches nobody planned": len(set(files) - set(keys)) + len(files) - len(set(files)),
            "answers not counted": len(self.answered) - events,
            "pages not sent": sum(row.state != "sent" for row in told) + (0 if told else panels),
            "pages that nobody heard": max(0, len(told) - len(pages)),
            "pages sent twice": pages.total() - len(pages),
            "leases left behind": len(leases),
        }


def run(options: Options) -> Result:
    """Play one window of every panel and hold its costs and its outcome against the promises."""
    panels, workers = options.given.panels, options.given.workers
    if options.quick:
        panels = min(panels, QUICK_PANELS)
    with tempfile.TemporaryDirectory(prefix="stratawatch-panels-") as name:
        stores = databases(options.given.db, Path(name))
        try:
            return _play(Path(name) / "installation", panels, workers, options.seed, stores, full=not options.quick)
        finally:
            stores.close()


def _play(folder: Path, panels: int, workers: int, seed: int, stores: Databases, *, full: bool) -> Result:
    installation = Installation.build(folder, panels, seed, stores)
    installation.open()
    costs = {"all panels due": installation.advance(workers, 1)}
    costs["nothing due"] = installation.advance(1, 2)
    said = ""
    for hours in range(3, MOST_MOMENTS):
        asked = installation.answer(hours)
        cost = costs[f"{asked} answers"] = installation.advance(workers, hours + 0.5)
        said += cost.said
        if not asked and not cost.steps["settle"] + cost.steps["judge"]:
            break
    faults = in_child(lambda: installation.faults(panels, said), folder)
    rows = [
        {
            "moment": what,
            "wall s": cost.wall,
            "CPU s": cost.cpu,
            "ms of CPU a panel": 1000 * cost.cpu / panels,
            "MB": cost.memory,
        }
        for what, cost in costs.items()
    ]
    first, idle = costs["all panels due"], costs["nothing due"]
    return Result(
        rows,
        [
            *(Verdict(what, "must", number, 0, "<=") for what, number in faults.items()),
            Verdict("seconds of wall, all panels due", "must" if full else "aim", first.wall, 60, "<="),
            Verdict("seconds of CPU, nothing due", "must", idle.cpu, 30, "<="),
            Verdict("MB of the largest worker", "must", max(cost.memory for cost in costs.values()), 1000, "<="),
        ],
    )


def _document(text: str) -> Mapping[str, Any]:
    """The JSON in what an advance said, before or after what the console was told."""
    begin = text.index("{\n")
    found: Mapping[str, Any] = json.JSONDecoder().raw_decode(text[begin:])[0]
    return found


def _write_window(path: Path, seed: int) -> None:
    import duckdb
    import pandas as pd

    rng = np.random.default_rng(seed)
    z = rng.beta(0.5, 2.5, ROWS)
    scores = {f"score_{name}": np.clip(z + rng.normal(0, 0.08, ROWS), 0, 1) for name in SCORES}
    truth = rng.random(ROWS) < z**0.8
    frame = pd.DataFrame(
        {
            "id": [f"i{number}" for number in range(ROWS)],
            "at": [START + number * WEEK / ROWS for number in range(ROWS)],
            "text": [f"{'buy' if true else 'hello'} {number}" for number, true in enumerate(truth)],
            "country": rng.choice(["DE", "FR"], ROWS),
            **scores,
        }
    )
    with duckdb.connect() as db:
        db.register("frame", frame)
        db.execute(f"COPY frame TO '{path}' (FORMAT parquet)")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--panels", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--db", choices=("sqlite", "postgres"), default="sqlite")


if __name__ == "__main__":
    raise SystemExit(main("panels", run, extra=_arguments))
