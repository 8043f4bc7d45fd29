"""The week that a page names as the first of a loss, beside the week in which it began."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from benchmarks.alarms.panel_years import HEALTHY, AfterLoss
from benchmarks.alarms.rules import OURS
from benchmarks.alarms.samples import Cell, Sample
from benchmarks.labels.worlds import Floats
from benchmarks.shape import Row, Verdict
from stratawatch.core.alarms.evidence.onset import Onset, loss_ratio, onset
from stratawatch.core.estimate import IntervalEstimate

RUNS: Final = 400
LOSS: Final = ("precision", 0.05)
NEAR: Final = 1
"""Weeks by which the named one may be off."""


def since_rows(cell: Cell, samples: Sequence[Sample], runs: int = RUNS) -> Iterator[Row]:
    """How far off the named week is, over the runs of all histories."""
    what, points = LOSS
    found = [sample.after(OURS, [sample.lost("precision", points)], runs // len(samples)) for sample in samples]
    named = [onset for one in found for onset in _onsets(one)]
    off = np.array([one.row for one in named]) - HEALTHY
    held = np.array([one.earliest <= HEALTHY <= one.latest for one in named])
    yield {
        "since": cell.name,
        "loss": what,
        "points": f"{100 * points:g}",
        "runs": len(off),
        "within a week": round(float((np.abs(off) <= NEAR).mean()), 3),
        "earlier": round(float((off < -NEAR).mean()), 3),
        "later": round(float((off > NEAR).mean()), 3),
        "weeks off, mean": round(float(np.abs(off).mean()), 2),
        "between": round(float(held.mean()), 3),
        "weeks between, mean": round(float(np.mean([one.latest - one.earliest + 1 for one in named])), 1),
    }


def since_verdicts(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Three quarters of the pages are within a week, and nine tenths hold the first week between two."""
    for row in rows:
        name = f"{row['since']}: pages of 5 points of precision that name the week, give or take one"
        yield Verdict(name, "must", float(str(row["within a week"])), 0.75, ">=")
        name = f"{row['since']}: pages of 5 points of precision that hold the first week between two"
        yield Verdict(name, "aim", float(str(row["between"])), 0.9, ">=")


def _onsets(found: AfterLoss) -> Iterator[Onset]:
    """What every page names, by the leader's evidence and estimates since it began at 0."""
    designs = (found.weeks, *found.weeks.followed)
    log_e, value, low, high = (
        np.stack([getattr(one, name) for one in designs]) for name in ("log_e", "value", "low", "high")
    )
    for run in np.flatnonzero(found.is_paged):
        weeks = slice(HEALTHY + found.waits[run])
        at = found.designs[run, weeks], found.order[run, weeks], found.leaders[run]
        yield onset(log_e[at], _ratios(value[at], low[at], high[at]))


def _ratios(value: Floats, low: Floats, high: Floats) -> Floats:
    """How much likelier a loss makes each week's estimate; all are floors, and less the limit."""
    weeks = zip(value.tolist(), low.tolist(), high.tolist(), strict=True)
    return np.array([loss_ratio(IntervalEstimate(*one, n_eff=0.0), 0.0, is_floor=True) for one in weeks])
