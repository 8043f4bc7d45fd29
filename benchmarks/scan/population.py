"""A population at any size: Parquet parts of a million rows, each made, written and forgotten."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns, PanelSpec, Window, WindowRule

START: Final = datetime(2026, 1, 5, tzinfo=UTC)
WEEK: Final = timedelta(days=7)
WINDOW: Final = Window(START, START + WEEK)
COUNTRIES: Final = np.array(["DE", "ES", "FR", "IT", "NL", "PL"])
PART: Final = 1_000_000
SILENT: Final = 0.02
"""Share of the items that a family of classifiers says nothing about."""
FAMILIES: Final = 8
"""More classifiers than these are variants of them: alike in most they say, silent about the same items."""
WEEK_US: Final = WEEK // timedelta(microseconds=1)
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Size:
    """How large a population is."""

    rows: int
    classifiers: int
    segments: int = 0
    families: int = FAMILIES

    def __str__(self) -> str:
        more = [f", {self.segments} segments"] if self.segments else []
        more += [f", {self.families} families"] if self.families != FAMILIES else []
        return f"{self.rows:,} x {self.classifiers}{''.join(more)}"

    @property
    def bytes(self) -> int:
        """A little more than its parts will take on a disk."""
        return self.rows * (30 + 9 * self.classifiers + self.segments)


def panel_of(size: Size) -> PanelSpec:
    """A panel that reads what `write` wrote."""
    return PanelSpec(
        name="scan",
        question="Is it?",
        guideline="Look.",
        seed="scan",
        classifiers=tuple(
            ClassifierSpec(f"c{k}", f"score_{k}", call=f"call_{k}") for k in range(1, size.classifiers + 1)
        ),
        columns=Columns("id", "ts", segments=tuple(f"segment_{i}" for i in range(1, size.segments + 1))),
        windows=WindowRule(START, WEEK),
        goals=(),
        limits=(),
        budget=900,
        deadline=timedelta(days=3),
    )


def write(folder: Path, size: Size, seed: int) -> int:
    """Write the parts; the same arguments give the same rows. Returns their bytes."""
    import duckdb

    folder.mkdir(parents=True)
    with duckdb.connect(":memory:") as connection:
        for number, frame in enumerate(frames(size, seed)):
            connection.register("part", frame)
            connection.table("part").write_parquet(str(folder / f"part-{number:05d}.parquet"))
            connection.unregister("part")
    return sum(file.stat().st_size for file in folder.iterdir())


def frames(size: Size, seed: int) -> Iterator[pd.DataFrame]:
    """The population part by part: noisy scores of one latent risk, calls at one half, here and there nothing."""
    for number, first in enumerate(range(0, size.rows, PART)):
        rng = np.random.default_rng([seed, number])
        ordinal = np.arange(first, min(first + PART, size.rows), dtype=np.uint64)
        risk = 2 * rng.normal(size=len(ordinal)) - 3
        leanings = [risk + 0.65 * rng.normal(size=len(risk)) for _ in range(size.families)]
        silences = [rng.random(len(risk)) < SILENT for _ in range(size.families)]
        columns: dict[str, Any] = {
            # Odd times a number is a permutation of all 64-bit numbers: no id comes twice, and none compresses.
            "id": pd.array([f"{one:016x}" for one in (ordinal * _ODD).tolist()], dtype="str"),
            "ts": np.datetime64(START.replace(tzinfo=None), "us")
            + (ordinal * np.uint64(WEEK_US // size.rows)).view("m8[us]"),
        }
        for i in range(1, size.segments + 1):
            columns[f"segment_{i}"] = pd.Categorical(COUNTRIES[rng.integers(len(COUNTRIES), size=len(risk))])
        for k in range(1, size.classifiers + 1):
            family = k % size.families
            score = 1 / (1 + np.exp(-(leanings[family] + 0.25 * rng.normal(size=len(risk)))))
            silent = silences[family]
            columns[f"score_{k}"] = pd.arrays.FloatingArray(score, silent)
            columns[f"call_{k}"] = pd.arrays.BooleanArray(score >= 0.5, silent)
        yield pd.DataFrame(columns)
