"""Which end of intervals the truth lies beyond, and whether values lean, where the logit rule reigns.

A cell's part of the logit rule is its runs' mean part; it reigns from two thirds on. Cells of one population and number
of labels are classifiers of the same runs, whose errors add up at worst: that is how "surely" counts them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import nan, sqrt
from typing import Final

from benchmarks.shape import Row, Verdict

REIGNS: Final = 2 / 3
TAIL: Final = (0.015, 0.035)
"""Each tail of all cells of a metric together: 2.5%, and what blended intervals and odd counts do to it."""
LEAN: Final = 0.08
LEAN_OF_ONE: Final = 0.15
"""The mean error in standard errors, of all cells of a metric, and of one population."""
SURE: Final = 3.09
"""Standard errors of what is sure on one side (99.9%)."""


@dataclass(frozen=True)
class Tails:
    """Of one cell's defined runs: how many intervals lie above the truth, and below it; the mean error in standard
    errors; and the logit rule's mean part.
    """

    runs: int
    above: int
    below: int
    lean: float
    logit: float

    @property
    def reigns(self) -> bool:
        """Whether the logit rule makes most of these intervals."""
        return self.runs > 1 and self.logit >= REIGNS


@dataclass(frozen=True)
class TailCell:
    """The tails of one metric of one classifier, and of which runs they are."""

    metric: str
    has_history: bool
    rounds: int
    population: str
    labels: int
    tails: Tails

    @property
    def kind(self) -> tuple[str, bool, int]:
        """What is judged together."""
        return self.metric, self.has_history, self.rounds

    @property
    def made_of(self) -> tuple[str, int]:
        """Cells of the same runs have the same."""
        return self.population, self.labels


@dataclass(frozen=True)
class Mean:
    """A mean over cells, and its standard error."""

    value: float
    error: float

    def beyond(self, low: float, high: float) -> bool:
        """Whether it surely lies outside."""
        return self.value + SURE * self.error < low or self.value - SURE * self.error > high


@dataclass(frozen=True)
class Together:
    """Cells that are judged together."""

    cells: tuple[TailCell, ...]

    def lean(self) -> Mean:
        """The mean error in standard errors."""
        return self._mean((one.tails.lean for one in self.cells), (1 / sqrt(one.tails.runs) for one in self.cells))

    def above(self) -> Mean:
        """The share of intervals above the truth."""
        return self._share(one.tails.above / one.tails.runs for one in self.cells)

    def below(self) -> Mean:
        """The share of intervals below it."""
        return self._share(one.tails.below / one.tails.runs for one in self.cells)

    def leaning(self) -> int:
        """Populations that surely lean too far by themselves."""
        each = groupby(sorted(self.cells, key=lambda one: one.population), key=lambda one: one.population)
        return sum(Together(tuple(some)).lean().beyond(-LEAN_OF_ONE, LEAN_OF_ONE) for _, some in each)

    def _share(self, values: Iterable[float]) -> Mean:
        shares = list(values)
        # No luck is read off a tail that nobody was in: it counts as one of the size that is promised at least.
        spread = [max(share, TAIL[0]) for share in shares]
        errors = (sqrt(p * (1 - p) / one.tails.runs) for p, one in zip(spread, self.cells, strict=True))
        return self._mean(shares, errors)

    def _mean(self, values: Iterable[float], errors: Iterable[float]) -> Mean:
        """Errors of cells of the same runs are added, those of others are independent."""
        numbers = list(values)
        by_runs: dict[tuple[str, int], float] = {}
        for one, error in zip(self.cells, errors, strict=True):
            by_runs[one.made_of] = by_runs.get(one.made_of, 0.0) + error
        count = len(numbers)
        if not count:
            return Mean(nan, nan)
        return Mean(sum(numbers) / count, sqrt(sum(error**2 for error in by_runs.values())) / count)


def tail_rows(cells: Sequence[TailCell]) -> Iterator[Row]:
    """One row for each metric, without and with history, by the number of rounds."""
    for (metric, has_history, rounds), some in _by_kind(cells):
        lean, above, below = some.lean(), some.above(), some.below()
        yield {
            "tails of": metric,
            "history": "yes" if has_history else "no",
            "rounds": rounds,
            "cells": len(some.cells),
            "lean": lean.value,
            "+-": lean.error,
            "interval above": above.value,
            "below": below.value,
            "error": above.error,
        }


def tail_verdicts(cells: Sequence[TailCell]) -> Iterator[Verdict]:
    """What surely leans, or misses on one side, of everything that is judged together."""
    for (metric, has_history, rounds), some in _by_kind(cells):
        what = f"{metric}, {'with' if has_history else 'no'} history, {rounds} round{'s' if rounds > 1 else ''}"
        tails = sum(one.beyond(*TAIL) for one in (some.above(), some.below()))
        leans = int(some.lean().beyond(-LEAN, LEAN))
        yield Verdict(f"{what}: tails surely outside {TAIL[0]} to {TAIL[1]}", "must", tails, 0, "<=")
        yield Verdict(f"{what}: all cells surely lean beyond {LEAN}", "must", leans, 0, "<=")
        yield Verdict(f"{what}: populations surely beyond {LEAN_OF_ONE}", "must", some.leaning(), 0, "<=")


def _by_kind(cells: Sequence[TailCell]) -> Iterator[tuple[tuple[str, bool, int], Together]]:
    reigned = sorted((one for one in cells if one.tails.reigns), key=lambda one: one.kind)
    for kind, some in groupby(reigned, key=lambda one: one.kind):
        yield kind, Together(tuple(some))
