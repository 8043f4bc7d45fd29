"""An installation of many classifiers whose first week is played for real: every drawn item answered, all judged."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import duckdb
import numpy as np
import pandas as pd

from stratawatch.adapters.store import SqlStore
from stratawatch.config.loading import load_configuration
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.wiring import Installation, wire

WEEK: Final = timedelta(days=7)
START: Final = datetime(2024, 1, 1, tzinfo=UTC)
FILE: Final = "sqlite:///store.db"
_PANEL: Final = """
[store]
url = "{url}"
[[alerts]]
kind = "console"
[panels.spam]
question = "Is it spam?"
guideline = "Spam is what nobody asked for."
seed = "years"
budget = {budget}
deadline = "3d"
[panels.spam.source]
kind = "files"
path = "predictions/*.parquet"
[panels.spam.columns]
item = "id"
time = "at"
payload = ["text"]
segments = ["country"]
[panels.spam.schedule]
start = {start:%Y-%m-%dT%H:%M:%SZ}
every = "7d"
[[panels.spam.limits]]
metric = "precision"
floor = 0.2
[[panels.spam.limits]]
metric = "recall"
floor = 0.05
"""


def found_installation(folder: Path, classifiers: int, budget: int, rows: int, url: str = FILE) -> Path:
    """Play the first week of a new installation: every drawn item is answered, the cycle is judged."""
    config = new_installation(folder, classifiers, budget, rows, url)
    for hours in range(1, 6):
        at = START + WEEK + timedelta(hours=hours)
        with opened(config, at) as installation:
            open_cycles(installation.ports, installation.panels)
            troubles = advance(installation.ports).troubles
        if troubles:
            raise RuntimeError("; ".join(troubles))
        _answer(folder, at)
    return config


def new_installation(folder: Path, classifiers: int, budget: int, rows: int, url: str = FILE) -> Path:
    """An installation with the predictions of one week, of which nothing was read; its store is made."""
    (folder / "predictions").mkdir(parents=True)
    names = [f"model_{number:02d}" for number in range(classifiers)]
    lines = [f'[panels.spam.classifiers.{name}]\nscore = "{name}"\ncut_off = 0.5\n' for name in names]
    config = folder / "stratawatch.toml"
    config.write_text(_PANEL.format(url=url, budget=budget, start=START) + "".join(lines), encoding="utf-8")
    SqlStore(address(config), create=True).dispose()
    _produce(folder, names, rows)
    return config


@contextmanager
def opened(config: Path, now: datetime) -> Iterator[Installation]:
    """The installation at a moment, its store closed afterwards."""
    store = SqlStore(address(config))
    try:
        yield wire(load_configuration(config), store, now)
    finally:
        store.dispose()


def address(config: Path) -> str:
    """The store's."""
    return load_configuration(config).store_url().get_secret_value()


def _produce(folder: Path, names: list[str], rows: int) -> None:
    rng = np.random.default_rng(1)
    z = rng.beta(0.4, 2.0, rows)
    seconds = np.sort(rng.uniform(0, WEEK.total_seconds() - 1, rows))
    frame = pd.DataFrame(
        {
            "id": [f"m{number}" for number in range(rows)],
            "at": [START + timedelta(seconds=float(second)) for second in seconds],
            "text": [f"{'yes' if yes else 'no'} {'text ' * 40}" for yes in rng.random(rows) < z**0.8],
            "country": rng.choice(["DE", "FR", "IT"], rows),
            **{name: np.clip(z + rng.normal(0, 0.02 + 0.001 * i, rows), 0, 1) for i, name in enumerate(names)},
        }
    )
    with duckdb.connect() as db:
        db.register("frame", frame)
        db.execute(f"COPY frame TO '{folder}/predictions/week.parquet' (FORMAT parquet)")


def _answer(folder: Path, at: datetime) -> None:
    for batch in sorted((folder / "queue" / "out").glob("*.jsonl")):
        reply = folder / "queue" / "in" / f"{batch.stem}.ann.jsonl"
        tasks = [json.loads(line) for line in batch.read_text(encoding="utf-8").splitlines() if '"key"' in line]
        lines = [
            {"key": task["key"], "value": task["payload"]["text"].split()[0], "annotator": "ann", "at": at.isoformat()}
            for task in tasks
        ]
        reply.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
