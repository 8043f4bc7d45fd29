"""The real stream as an installation: a window a period, whose drawn items people answer with the truth."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pandas as pd

from benchmarks.years_store import opened
from stratawatch.adapters.store import SqlStore
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.model.states import CycleState

LENGTH: Final = timedelta(days=60)
START: Final = datetime(2024, 1, 1, tzinfo=UTC)
FIRST: Final = 3
"""Periods whose values the floors come from."""
BELOW: Final = 0.05
"""How far below them the floors lie."""
METRICS: Final = ("precision", "recall")
VOTE: Final = "vote"
"""A majority has calls and no score of its own."""
MOST_TURNS: Final = 12
_PANEL: Final = """
[store]
url = "sqlite:///store.db"
[panels.prices]
question = "Does the price go up?"
guideline = "As it was published."
seed = "{seed}"
budget = {budget}
deadline = "3d"
[panels.prices.source]
kind = "files"
path = "predictions/*.parquet"
[panels.prices.columns]
item = "item_id"
time = "at"
payload = ["record"]
[panels.prices.schedule]
start = {start:%Y-%m-%dT%H:%M:%SZ}
every = "60d"
"""

Stream = tuple[str, str]
"""Classifier and metric."""


@dataclass(frozen=True)
class Periods:
    """The items of all periods in order, their truth, and every classifier's scores and calls."""

    frame: pd.DataFrame

    @classmethod
    def of(cls, file: Path) -> "Periods":
        """Read the stream."""
        with duckdb.connect() as session:
            return cls(session.execute("SELECT * FROM read_parquet(?) ORDER BY period", [str(file)]).df())

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The periods, the first one first."""
        return tuple(sorted(self.frame["period"].unique()))

    @cached_property
    def classifiers(self) -> tuple[str, ...]:
        """The six classifiers."""
        return tuple(name.removeprefix("pred_") for name in self.frame.columns if name.startswith("pred_"))

    def items(self, period: int) -> pd.DataFrame:
        """The items of a period."""
        return self.frame[self.frame["period"] == self.names[period]]

    def values(self, classifier: str, metric: str) -> list[float]:
        """The true value of precision or recall in every period."""
        return [_value(self.items(period), classifier, metric) for period in range(len(self))]

    def floor(self, classifier: str, metric: str) -> float:
        """Five points below the value of the first three periods."""
        first = self.frame[self.frame["period"].isin(self.names[:FIRST])]
        return _value(first, classifier, metric) - BELOW


def _value(items: pd.DataFrame, classifier: str, metric: str) -> float:
    calls, truth = items[f"pred_{classifier}"] == 1, items["label"] == 1
    return float((calls & truth).sum() / (calls if metric == "precision" else truth).sum())


@dataclass(frozen=True)
class Paged:
    """An incident that somebody was paged about: the stream and the window."""

    stream: Stream
    period: int


def play(folder: Path, periods: Periods, number: int, seed: int, budget: int) -> list[Paged]:
    """Watch so many periods, one after the other; whom was paged about what."""
    config = _found(folder, periods, number, seed, budget)
    truth = dict(zip(periods.frame["item_id"].astype(str), periods.frame["label"] == 1, strict=True))
    for period in range(number):
        end = START + (period + 1) * LENGTH
        for hours in range(1, MOST_TURNS + 1):
            with opened(config, end + timedelta(hours=hours)) as installation:
                open_cycles(installation.ports, installation.panels)
                if troubles := advance(installation.ports).troubles:
                    raise RuntimeError("; ".join(troubles))
                with installation.ports.store.begin() as tx:
                    states = [cycle.state for cycle in tx.cycles.find(panel="prices")]
            if states == [CycleState.JUDGED] * (period + 1):
                break
            _answer(folder, truth, end + timedelta(hours=hours))
        else:
            raise RuntimeError(f"period {period} is not judged after {MOST_TURNS} hours")
    with opened(config, START + number * LENGTH) as installation, installation.ports.store.begin() as tx:
        cycles = {cycle.id: cycle.period for cycle in tx.cycles.find(panel="prices")}
        incidents = tx.alarms.incidents(panel="prices")
    return [
        Paged((one.key.classifier, one.key.metric), cycles[one.cycle_id])
        for one in incidents
        if one.kind == AlarmState.BREACH
    ]


def paged_in(pages: Sequence[Paged]) -> dict[Stream, list[int]]:
    """The periods in which each stream was paged."""
    found: dict[Stream, list[int]] = {}
    for page in sorted(pages, key=lambda one: one.period):
        found.setdefault(page.stream, []).append(page.period)
    return found


def _found(folder: Path, periods: Periods, number: int, seed: int, budget: int) -> Path:
    """The configuration of a new installation, with the predictions of so many periods."""
    (folder / "predictions").mkdir()
    lines = [_PANEL.format(seed=seed, budget=budget, start=START)]
    for name in periods.classifiers:
        score = "" if name == VOTE else f'score = "score_{name}"\n'
        lines.append(f'[panels.prices.classifiers.{name}]\n{score}call = "pred_{name}"\n')
        for metric in METRICS:
            floor = round(periods.floor(name, metric), 4)
            lines.append(f'[[panels.prices.limits]]\nmetric = "{metric}"\nfloor = {floor}\nclassifiers = ["{name}"]\n')
    config = folder / "stratawatch.toml"
    config.write_text("".join(lines), encoding="utf-8")
    SqlStore(f"sqlite:///{folder / 'store.db'}", create=True).dispose()
    with duckdb.connect() as db:
        for period in range(number):
            db.register("frame", _predictions(periods, period))
            db.execute(f"COPY frame TO '{folder}/predictions/{period:02d}.parquet' (FORMAT parquet)")
    return config


def _predictions(periods: Periods, period: int) -> pd.DataFrame:
    """What the source has of a period: its items, spread over the window, without their labels."""
    items = periods.items(period).drop(columns=["label", "period", f"score_{VOTE}"])
    seconds = np.linspace(0, LENGTH.total_seconds() - 1, len(items))
    at = [START + period * LENGTH + timedelta(seconds=float(second)) for second in seconds]
    calls = {f"pred_{name}": items[f"pred_{name}"] == 1 for name in periods.classifiers}
    return items.assign(item_id=items["item_id"].astype(str), record=items["item_id"].astype(str), at=at, **calls)


def _answer(folder: Path, truth: Mapping[str, bool], at: datetime) -> None:
    """Answer every batch that has no answers yet."""
    for batch in sorted((folder / "queue" / "out").glob("*.jsonl")):
        reply = folder / "queue" / "in" / f"{batch.stem}.ann.jsonl"
        if reply.exists():
            continue
        tasks = [json.loads(line) for line in batch.read_text(encoding="utf-8").splitlines() if '"key"' in line]
        lines = [json.dumps(_label(task, truth, at)) for task in tasks]
        reply.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _label(task: Mapping[str, Any], truth: Mapping[str, bool], at: datetime) -> dict[str, str]:
    value = "yes" if truth[task["payload"]["record"]] else "no"
    return {"key": task["key"], "value": value, "annotator": "truth", "at": at.isoformat()}
