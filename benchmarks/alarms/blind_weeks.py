"""Weeks too wide to see: they count like all others, and leaving them out by their own labels breaks the promise."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from benchmarks.alarms.panel_years import false_pages, upper_rate
from benchmarks.alarms.rules import UNFOCUSED
from benchmarks.alarms.samples import Cell, Sample
from benchmarks.labels.kinds import FOUR
from benchmarks.shape import Row, Verdict

WIDEST: Final = 0.2
"""The half-width from which the control leaves a week out."""
POOR: Final = Cell(replace(FOUR, name="K = 4, poor", separations=(0.64, 0.6, 0.56), precisions=(0.2, 0.2, 0.2)), 30, 1)
"""A panel whose precision and recall are about .2, and so are its floors."""
NAME: Final = "blind"
COUNTED, LEFT_OUT = "BLIND weeks counted", "control: BLIND weeks left out"


def blind_rows(histories: int, weeks: int, years: float, seed: int) -> Iterator[Row]:
    """False pages with all weeks, and without those of a stream whose interval is too wide."""
    samples = [Sample(POOR, weeks // histories, seed, number, follows=False) for number in range(histories)]
    wide = [(one.healthy.high - one.healthy.low) / 2 > WIDEST for one in samples]
    for name in (COUNTED, LEFT_OUT):
        pages = looked_at = 0.0
        for sample, is_wide in zip(samples, wide, strict=True):
            kept = sample.healthy if name == COUNTED else sample.healthy.counting(~is_wide)
            found, panel_years = false_pages(sample.rules[UNFOCUSED], kept, years / histories, sample.rng)
            pages, looked_at = pages + found, looked_at + panel_years
        yield {
            "weeks of 30 labels": name,
            "BLIND": round(float(np.mean(wide)), 3),
            "false pages a year": round(pages / looked_at, 3),
            "upper": round(upper_rate(round(pages), looked_at), 3),
        }


def blind_verdicts(rows: Sequence[Row]) -> Iterator[Verdict]:
    """All weeks keep the promise; without the wide ones it is broken."""
    for row in rows:
        if row["weeks of 30 labels"] == COUNTED:
            yield Verdict(f"30 labels: upper end, {COUNTED}", "must", float(str(row["upper"])), 1.0, "<=")
        else:
            pages = float(str(row["false pages a year"]))
            yield Verdict(f"30 labels: {LEFT_OUT}", "must", pages, 1.0, ">=")
