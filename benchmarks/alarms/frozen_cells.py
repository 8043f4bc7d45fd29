"""Frozen designs: false pages of every rule while all metrics sit at their limits, and delays after a loss of one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.alarms.losses import LOSSES, Loss
from benchmarks.alarms.panel_years import AfterLoss, upper_rate
from benchmarks.alarms.rules import (
    ADR_6,
    CONTROL,
    CUSUM,
    EVIDENCE_PART,
    FALLBACK,
    OURS,
    UNFOCUSED,
    WINDOW_PART,
    rules_of,
)
from benchmarks.alarms.samples import Cell, Sample
from benchmarks.shape import Row, Verdict

POINTS: Final = (0.03, 0.05, 0.1)
LONGEST: Final[Mapping[tuple[str, str], tuple[float, float, float]]] = {
    ("K10/300", "precision"): (11, 5.7, 1.7),
    ("K10/300", "recall"): (11.2, 6.4, 2.5),
    ("K4/300", "precision"): (13, 6.4, 2.1),
    ("K4/300", "recall"): (25, 10.1, 4.4),
    ("K4/900", "precision"): (4.6, 2.1, 1.1),
    ("K4/900", "recall"): (9.7, 4.3, 1.5),
    ("K4/100", "precision"): (26, 12.5, 5.3),
    ("K4/100", "recall"): (39, 20, 10.2),
}
"""Weeks until losses of 3, 5 and 10 points are paged, at most, by cell and loss."""
SAID: Final = (0.05, 0.1)
"""Losses of which a plan says in how many weeks they are paged."""
STEP, DEEPEST = 0.005, 0.15
"""What a gradual loss loses every week, and where it stops."""
GRADUAL_AT, GRADUAL_HISTORIES = 300, 4
"""Labels a week at which losses are gradual too, and the histories that are shown them: each has sixty stages."""
DELAYED: Final = (OURS, UNFOCUSED, EVIDENCE_PART, WINDOW_PART, ADR_6, CUSUM)
"""The rules whose delays are measured."""
NAMED_FROM: Final = 100
"""Labels a week from which pages must name the loser first."""
BROKEN_FROM: Final = 100
"""Labels a week from which ordinary intervals break the promise for sure."""


@dataclass(frozen=True)
class Size:
    """How much is simulated, over all histories: weeks of labels, panel-years of false pages, runs of a delay.

    One history's delays differ from another's by a sixth, so that means over few of them say little.

    `stage` are the weeks of every stage of a gradual loss; 0: there is none.
    """

    histories: int
    weeks: int
    years: float
    runs: int
    points: tuple[float, ...]
    losses: tuple[Loss, ...]
    stage: int


FULL: Final = Size(12, 8_000, 2_000, 1_200, POINTS, LOSSES, 200)
QUICK: Final = Size(2, 3_000, 600, 300, (0.05,), ("precision", "recall"), 0)


def frozen_rows(cell: Cell, size: Size, samples: Sequence[Sample]) -> Iterator[Row]:
    """A row for the false pages of every rule, and one for each loss: means over several histories of the panel."""
    for name in rules_of(2 * len(cell.kind.classifiers)):
        counts = [sample.false_pages(name, size.years / size.histories) for sample in samples]
        pages, years = sum(count for count, _ in counts), sum(years for _, years in counts)
        upper = upper_rate(pages, years)
        yield {"cell": cell.name, "rule": name, "false pages a year": round(pages / years, 3), "upper": round(upper, 3)}
    if cell.screens:
        return
    runs = size.runs // size.histories
    for what in size.losses:
        for points in size.points:
            lost = [[sample.lost(what, points)] for sample in samples]
            for name in DELAYED:
                found = [sample.after(name, one, runs) for sample, one in zip(samples, lost, strict=True)]
                row = _delay_row(cell, name, what, f"{100 * points:g}", found, samples)
                if name == UNFOCUSED and what != "both" and points in SAID:
                    said = [sample.plan_says(what, points) for sample in samples]
                    row = {**row, "plan says": round(float(np.mean(said)), 2)}
                yield row
        if size.stage and what != "both" and cell.labels == GRADUAL_AT:
            depths = np.arange(STEP, DEEPEST + STEP / 2, STEP).tolist()
            few = samples[:GRADUAL_HISTORIES]
            stages = [[sample.lost(what, depth, size.stage) for depth in depths] for sample in few]
            for name in DELAYED:
                found = [sample.after(name, one, runs) for sample, one in zip(few, stages, strict=True)]
                yield _delay_row(cell, name, what, "1/2 a week", found, few)


def _delay_row(
    cell: Cell, rule: str, what: Loss, points: str, found: Sequence[AfterLoss], samples: Sequence[Sample]
) -> Row:
    named = [one.names_loser(sample.losers) for one, sample in zip(found, samples, strict=True)]
    return {
        "cell": cell.name,
        "rule": rule,
        "loss": what,
        "points": points,
        "weeks": round(float(np.mean([one.mean_wait for one in found])), 2),
        "names the loser": round(float(np.mean(named)), 3),
    }


def frozen_verdicts(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The promise, the delays, whom pages name, and a control that must break the promise."""
    for row in rows:
        if "upper" in row and row["rule"] in (OURS, FALLBACK):
            name = f"{row['cell']}: false pages a year, upper end"
            name += "" if row["rule"] == OURS else " where items stay"
            yield Verdict(name, "must", float(str(row["upper"])), 1.0, "<=")
        if "upper" in row and row["rule"] == CONTROL and _labels_of(row) >= BROKEN_FROM:
            pages = float(str(row["false pages a year"]))
            yield Verdict(f"{row['cell']}: control, false pages by a {CONTROL}", "must", pages, 1.0, ">=")
        if row["rule"] == OURS and "weeks" in row:
            yield from _delay_verdicts(row)
        if "plan says" in row:
            name = f"{row['cell']}: {row['points']} points of {row['loss']}, weeks that plans say over those it took"
            part = round(float(str(row["plan says"])) / float(str(row["weeks"])), 3)
            yield Verdict(name, "aim", part, 1.333, "<=")
            yield Verdict(name, "aim", part, 0.667, ">=")


def _labels_of(row: Row) -> int:
    """The labels a week of a row's cell."""
    return int(str(row["cell"]).partition("/")[2])


def _delay_verdicts(row: Row) -> Iterator[Verdict]:
    cell, what, points = str(row["cell"]), str(row["loss"]), str(row["points"])
    known = [f"{100 * one:g}" for one in POINTS]
    if (cell, what) in LONGEST and points in known:
        most = LONGEST[cell, what][known.index(points)]
        name = f"{cell}: weeks until {points} points of {what} are paged"
        yield Verdict(name, "aim", float(str(row["weeks"])), most, "<=")
    if points == "5" and _labels_of(row) >= NAMED_FROM:
        name = f"{cell}: 5 points of {what}, pages that name the loser first"
        yield Verdict(name, "must", float(str(row["names the loser"])), 0.8, ">=")
