"""One forecast half-width beside the one that came."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from benchmarks.shape import Row
from stratawatch.core.plan import Plan

CLOSE = 0.1


@dataclass(frozen=True)
class Cell:
    """A metric of one classifier in one cycle: the range, what the plan counts on, and what came (NaN: undefined)."""

    kind: str
    labels: int
    metric: str
    low: float
    expected: float
    high: float
    came: float

    @property
    def holds(self) -> bool:
        """Whether what came lies in the range."""
        return self.low <= self.came <= self.high

    @property
    def spread(self) -> float:
        """The range's half length as a part of its middle."""
        return (self.high - self.low) / (self.high + self.low) if self.high > 0 else 0.0

    @property
    def is_close(self) -> bool:
        """Whether what the plan counts on is within 10%."""
        return abs(self.came - self.expected) <= CLOSE * self.expected


def cells_of(kind: str, labels: int, plan: Plan, came: Mapping[tuple[str, str], float]) -> list[Cell]:
    """The metrics that were forecast and came; what labels leave undefined has no half-width to compare."""
    return [
        Cell(kind, labels, metric, one.low, plan.half_widths[classifier, metric], one.high, came[classifier, metric])
        for (classifier, metric), one in plan.ranges.items()
        if np.isfinite(came.get((classifier, metric), np.nan))
    ]


def share_held(cells: Sequence[Cell]) -> float:
    """Part of the cells whose range holds what came."""
    return float(np.mean([cell.holds for cell in cells])) if cells else float("nan")


def median_spread(cells: Sequence[Cell]) -> float:
    """Half of the ranges are no wider than their middle give or take this part."""
    return float(np.median([cell.spread for cell in cells])) if cells else float("nan")


def rows(cells: Sequence[Cell]) -> list[Row]:
    """A row for each kind, number of labels and metric."""
    key: Callable[[Cell], tuple[str, int, str]] = lambda cell: (cell.kind, cell.labels, cell.metric)  # noqa: E731
    return [
        {
            "cycles": kind,
            "labels": labels or "goals",
            "metric": metric,
            "cells": len(group),
            "range holds what came": share_held(group),
            "range, give or take": median_spread(group),
            "narrower": float(np.mean([cell.came < cell.low for cell in group])),
            "wider": float(np.mean([cell.came > cell.high for cell in group])),
            "point within 10%": float(np.mean([cell.is_close for cell in group])),
        }
        for (kind, labels, metric), several in groupby(sorted(cells, key=key), key)
        for group in [list(several)]
    ]
