"""What the tuned constants of planner and history are worth: each halved and doubled on the record's populations.

    python -m benchmarks.tuning [--only NAME ...]

Every population is studied with a budget and for goals, in a first and in a later period. Shown are changes against the
constants as they are: of the half-widths that a budget buys (geometric mean over precision and recall of every
classifier), of the labels that goals take, and of the goals' intervals that are within their margins. docs/tuning.md
has the results.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final

import numpy as np

from benchmarks.record.populations import SHAPES, Population, population
from benchmarks.shape import Options, Result, main
from stratawatch import Goal, Study, StudyHistory
from stratawatch.core.tuning import HISTORY, PLANNER, HistoryTuning, PlannerTuning

_METRICS: Final = ("precision", "recall")
_WIDEST: Final = 0.5
_UNSCALED: Final = ("grid", "small_budget", "large_budget", "trust_discount")
"""Tables of two numbers, and discounts whose double is above 1."""


@dataclass(frozen=True)
class Measured:
    """Log half-widths with a budget, labels that goals took, and whether each goal holds."""

    widths: tuple[float, ...]
    labels: tuple[int, ...]
    held: tuple[bool, ...]


def measured() -> Measured:
    """All populations, with a budget and for goals, in two periods."""
    widths: list[float] = []
    labels, held = [], []
    for name in SHAPES:
        for period in (0, 1):
            people = population(name, period)
            history = _history(name) if period else None
            widths += [np.log(width) for width in _widths(_study(people, history, budget=people.budget))]
            goals = [Goal("precision", people.margin), Goal("recall", 1.5 * people.margin)]
            study = _study(people, history, goals=goals)
            labels.append(study.labels_new)
            held += [row.state == "held" for row in study.estimates(_METRICS) if row.segment is None]
    return Measured(tuple(widths), tuple(labels), tuple(held))


@cache
def _history(name: str) -> StudyHistory:
    """A first period's labels by the constants as they are."""
    people = population(name, 0)
    return _study(people, None, budget=people.budget).history()


def _study(people: Population, history: StudyHistory | None, **asked: Any) -> Study:
    study = Study(people.frame, **people.columns, seed=5, history=history, **asked)
    while batch := study.ask():
        study.tell({item: people.truth[item] for item in batch})
    return study


def _widths(study: Study) -> list[float]:
    rows = [row for row in study.estimates(_METRICS) if row.segment is None]
    return [max(row.half_width or 0.0, 1e-3) if row.half_width is not None else _WIDEST for row in rows]


@contextmanager
def changed(table: PlannerTuning | HistoryTuning, name: str, factor: float) -> Iterator[None]:
    """The table with one constant (every number of a tuple) multiplied, for as long as the context lasts."""
    before = getattr(table, name)
    object.__setattr__(table, name, _scaled(before, factor))
    try:
        yield
    finally:
        object.__setattr__(table, name, before)


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, tuple):
        return tuple(_scaled(one, factor) for one in value)
    return max(round(value * factor), 1) if isinstance(value, int) else value * factor


def constants() -> Iterator[tuple[PlannerTuning | HistoryTuning, str, Sequence[float]]]:
    """Every constant and the factors it is tried with; parts of 1 are never more than 1."""
    for table in (PLANNER, HISTORY):
        for one in fields(table):
            value = getattr(table, one.name)
            if one.name not in _UNSCALED:
                share = isinstance(value, float) and 0.5 < value < 1
                yield table, one.name, (0.5,) if share else (0.5, 2.0)


def compared(usual: Measured, now: Measured) -> Mapping[str, object]:
    """The changes, in percent and in goals."""
    return {
        "half-widths": f"{100 * (np.exp(np.mean(now.widths) - np.mean(usual.widths)) - 1):+.1f}%",
        "labels for goals": f"{100 * (sum(now.labels) / sum(usual.labels) - 1):+.1f}%",
        "goals held": f"{sum(now.held) - sum(usual.held):+d} of {len(usual.held)}",
    }


def run(options: Options) -> Result:
    """Every constant that was asked for, or all of them."""
    usual = measured()
    rows = []
    for table, name, factors in constants():
        if options.given.only and name not in options.given.only:
            continue
        for factor in factors:
            with changed(table, name, factor):
                found = compared(usual, measured())
            row = {"constant": name, "now": str(getattr(table, name)), "times": factor, **found}
            rows.append(row)
            print(*row.values(), sep="  ", flush=True)
    return Result(rows)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", nargs="*", metavar="NAME", help="these constants, instead of all")


if __name__ == "__main__":
    raise SystemExit(main("tuning", run, extra=_arguments))
