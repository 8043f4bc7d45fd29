"""A real little installation: three classifiers, three thousand messages a week, SQLite, a folder queue."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from stratawatch.adapters.store import SqlStore
from stratawatch.wiring import Installation, build
from tests.support.configurations import PANEL, changed

START = datetime(2026, 1, 5, tzinfo=UTC)
WEEK = timedelta(days=7)
CLASSIFIERS = ("lr", "nb", "trees")

CONFIGURATION = (
    changed(
        PANEL,
        ("budget = 120", "budget = 150"),
        ("2026-01-05T00:00:00Z", "{start}"),
        ('call = "pred_lr"', "cut_off = 0.5"),
    )
    + """
[panels.spam.classifiers.nb]
score = "score_nb"
cut_off = 0.5
[panels.spam.classifiers.trees]
score = "score_trees"
cut_off = 0.6
[[panels.spam.goals]]
metric = "precision"
margin = 0.05
[[panels.spam.limits]]
metric = "precision"
floor = {floor}
classifiers = ["lr"]
[store]
url = "sqlite:///store.db"
[queue]
kind = "folder"
root = "queue"
[report]
folder = "reports"
[[alerts]]
kind = "console"
[schedule]
open_cron = "* * * * *"
advance_cron = "* * * * *"
"""
)


@dataclass
class SmallInstallation:
    """A folder with everything in it, and people who know the truth."""

    folder: Path
    start: datetime
    truth: dict[str, bool]

    @classmethod
    def found(cls, folder: Path, *, start: datetime = START, weeks: int = 2, floor: float = 0.2) -> "Installation":
        for name in ("predictions", "queue", "reports"):
            (folder / name).mkdir()
        text = CONFIGURATION.format(start=f"{start:%Y-%m-%dT%H:%M:%SZ}", floor=floor)
        (folder / "stratawatch.toml").write_text(text)
        SqlStore(f"sqlite:///{folder / 'store.db'}", create=True)
        made = cls(folder, start, {})
        for week in range(weeks):
            made.produce(week)
        return made

    @property
    def config(self) -> str:
        return str(self.folder / "stratawatch.toml")

    def wired(self, now: datetime | None = None) -> Installation:
        return build(self.config, now)

    def after(self, weeks: int, **delta: float) -> datetime:
        """A moment counted from the end of the first `weeks` windows."""
        return self.start + weeks * WEEK + timedelta(**delta)

    def produce(self, week: int, size: int = 3000) -> None:
        """One week of predictions, as one Parquet file."""
        rng = np.random.default_rng(week)
        z = rng.beta(0.4, 2.0, size)
        scores = {f"score_{name}": np.clip(z + rng.normal(0, 0.08, size), 0, 1) for name in CLASSIFIERS}
        truth = rng.random(size) < z**0.8
        seconds = np.sort(rng.uniform(0, WEEK.total_seconds() - 1, size))
        begin = self.start + week * WEEK
        frame = pd.DataFrame(
            {
                "id": [f"w{week}-{i}" for i in range(size)],
                "at": [begin + timedelta(seconds=float(s)) for s in seconds],
                "text": [f"message {week} {i}" for i in range(size)],
                "country": rng.choice(["DE", "FR"], size),
                **scores,
            }
        )
        self.truth |= dict(zip(frame["text"], map(bool, truth), strict=True))
        with duckdb.connect() as db:
            db.register("frame", frame)
            db.execute(f"COPY frame TO '{self.folder}/predictions/week{week}.parquet' (FORMAT parquet)")

    def answer(self, at: datetime) -> int:
        """Answer every batch that lies in the queue's out folder and was not answered yet."""
        answered = 0
        for batch in sorted((self.folder / "queue" / "out").glob("*.jsonl")):
            reply = self.folder / "queue" / "in" / f"{batch.stem}.ann.jsonl"
            if reply.exists():
                continue
            lines = [self._reply(json.loads(line), at) for line in batch.read_text().splitlines() if '"key"' in line]
            reply.parent.mkdir(exist_ok=True)
            reply.write_text("".join(json.dumps(line) + "\n" for line in lines))
            answered += len(lines)
        return answered

    def _reply(self, task: dict, at: datetime) -> dict[str, str]:
        value = "yes" if self.truth[task["payload"]["text"]] else "no"
        key = task["key"]
        return {"key": key, "value": value, "annotator": "ann", "event_id": f"ann-{key}", "at": at.isoformat()}
