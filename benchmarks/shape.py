"""The one shape of all benchmarks: the same options, the same JSON, the same exit status."""

import argparse
import json
import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Literal

from rich.console import Console
from rich.table import Table

from benchmarks.machine import describe_machine

DEFAULT_SEED: Final = 20260105
WIDTH_OF_A_LOG: Final = 160
"""Columns where no terminal says how many there are; 80 would cut tables to pieces."""

Row = Mapping[str, object]
Kind = Literal["must", "aim"]
Direction = Literal[">=", "<="]


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line; `given` holds a benchmark's own arguments."""

    seed: int
    quick: bool
    data: Path | None
    json: Path | None
    given: argparse.Namespace


@dataclass(frozen=True)
class Verdict:
    """One promise: `value` stands on the right side of `bound`. A value that is not a number holds nothing."""

    name: str
    kind: Kind
    value: float
    bound: float
    direction: Direction

    @property
    def holds(self) -> bool:
        """Whether the promise is kept; a comparison with NaN is false on both sides."""
        return bool(self.value >= self.bound if self.direction == ">=" else self.value <= self.bound)


@dataclass(frozen=True)
class Result:
    """What a benchmark found: rows for a table, and verdicts."""

    rows: Sequence[Row] = field(default_factory=tuple)
    verdicts: Sequence[Verdict] = field(default_factory=tuple)

    @property
    def passed(self) -> bool:
        """Whether every must holds; an aim is reported only."""
        return all(verdict.holds for verdict in self.verdicts if verdict.kind == "must")


def main(
    name: str,
    run: Callable[[Options], Result],
    argv: Sequence[str] | None = None,
    extra: Callable[[argparse.ArgumentParser], None] | None = None,
) -> int:
    """Parse the options, run, print tables, write the JSON; 0 only when every must holds."""
    options = parse(name, argv, extra)
    machine = describe_machine()
    # JSON on stdout must be alone there, so that a program can read it.
    console = Console(stderr=options.json == Path("-"))
    if not console.is_terminal:
        console.width = WIDTH_OF_A_LOG
    console.print(f"[bold]{name}[/bold]  seed {options.seed}{'  quick' if options.quick else ''}")
    console.print(
        ", ".join(f"{key} {value}" for key, value in machine.items()), style="dim", highlight=False, soft_wrap=True
    )
    result = run(options)
    for table in _tables(result):
        console.print(table)
    _deliver(name, options, machine, result)
    console.print("[bold]every must holds[/bold]" if result.passed else "[bold]a must does not hold[/bold]")
    return 0 if result.passed else 1


def parse(
    name: str, argv: Sequence[str] | None, extra: Callable[[argparse.ArgumentParser], None] | None = None
) -> Options:
    """Read the common options and a benchmark's own."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}")
    parser.add_argument("--quick", action="store_true", help="a smaller run that ends within 60 s")
    parser.add_argument("--seed", type=_seed, default=DEFAULT_SEED, help="a whole number, or 'random'")
    parser.add_argument("--data", type=Path, help="folder with the data sets a benchmark can use")
    parser.add_argument("--json", type=Path, help="file for the JSON; - writes it to stdout, tables to stderr")
    if extra is not None:
        extra(parser)
    given = parser.parse_args(argv)
    return Options(seed=given.seed, quick=given.quick, data=given.data, json=given.json, given=given)


def as_json(name: str, options: Options, machine: Mapping[str, object], result: Result) -> dict[str, object]:
    """The JSON of a benchmark: exactly these keys."""
    verdicts = [
        {"name": v.name, "kind": v.kind, "value": v.value, "bound": v.bound, "holds": v.holds} for v in result.verdicts
    ]
    shape = {
        "benchmark": name,
        "seed": options.seed,
        "quick": options.quick,
        "machine": dict(machine),
        "rows": [dict(row) for row in result.rows],
        "verdicts": verdicts,
    }
    plain: dict[str, object] = _plain(shape)
    return plain


def _seed(text: str) -> int:
    if text == "random":
        return secrets.randbelow(2**31)
    return int(text)


def _deliver(name: str, options: Options, machine: Mapping[str, object], result: Result) -> None:
    if options.json is None:
        return
    text = json.dumps(as_json(name, options, machine, result), indent=2, allow_nan=False) + "\n"
    if options.json == Path("-"):
        print(text, end="")
        return
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(text, encoding="utf-8")


def _plain(value: Any) -> Any:
    """JSON knows neither numpy scalars nor NaN: the first become Python numbers, the second null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if hasattr(value, "item"):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _tables(result: Result) -> list[Table]:
    tables = []
    # Rows that say something else are another table: one with holes cannot be read.
    for columns, rows in groupby(result.rows, key=tuple):
        table = Table(*columns)
        for row in rows:
            table.add_row(*map(_cell, row.values()))
        tables.append(table)
    if result.verdicts:
        promises = Table("verdict", "kind", "value", "", "bound", "holds")
        for v in result.verdicts:
            promises.add_row(v.name, v.kind, _cell(v.value), v.direction, _cell(v.bound), "yes" if v.holds else "NO")
        tables.append(promises)
    return tables


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
