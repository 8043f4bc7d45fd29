"""The week that a page names as the first of a loss, beside the week in which it began."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from benchmarks.alarms.panel_years import HEALTHY, AfterLoss
from benchmarks.alarms.rules import UNFOCUSED
from benchmarks.alarms.samples import Cell, Sample
from benchmarks.shape import Row, Verdict
from stratawatch.core.alarms.evidence.e_detector import onset

RUNS: Final = 400
LOSS: Final = ("precision", 0.05)
NEAR: Final = 1
"""Weeks by which the named one may be off."""


def since_rows(cell: Cell, samples: Sequence[Sample], runs: int = RUNS) -> Iterator[Row]:
    """How far off the named week is, over the runs of all histories."""
    what, points = LOSS
    found = [sample.after(UNFOCUSED, [sample.lost("precision", points)], runs // len(samples)) for sample in samples]
    off = np.concatenate([_weeks_off(one) for one in found])
    yield {
        "since": cell.name,
        "loss": what,
        "points": f"{100 * points:g}",
        "runs": len(off),
        "within a week": round(float((np.abs(off) <= NEAR).mean()), 3),
        "earlier": round(float((off < -NEAR).mean()), 3),
        "later": round(float((off > NEAR).mean()), 3),
        "weeks off, mean": round(float(np.abs(off).mean()), 2),
    }


def since_verdicts(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Three quarters of the pages are within a week."""
    for row in rows:
        name = f"{row['since']}: pages of 5 points of precision that name the week, give or take one"
        yield Verdict(name, "must", float(str(row["within a week"])), 0.75, ">=")


def _weeks_off(found: AfterLoss) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Of every page: the named week less the first one of the loss, by the leader's evidence since it began at 0."""
    paged = zip(found.order[found.is_paged], found.waits[found.is_paged], found.leaders[found.is_paged], strict=True)
    weeks = [found.weeks.log_e[order[: HEALTHY + wait], leader] for order, wait, leader in paged]
    return np.array([onset(log_e) - HEALTHY for log_e in weeks], dtype=np.int64)
