"""From cells to a table and to verdicts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import nan, sqrt
from statistics import NormalDist
from typing import Final

from benchmarks.coverage.scores import LOWEST, PROMISED, SURE, Tally
from benchmarks.coverage.tails import TailCell, tail_rows, tail_verdicts
from benchmarks.coverage.truths import MAIN, TRUTHS
from benchmarks.shape import Row, Verdict

_WORST_SHOWN: Final = 12
_SURE_ERRORS: Final = NormalDist().inv_cdf(SURE)


@dataclass(frozen=True)
class Found:
    """All cells of one population with one number of labels; `random` is the mean half-width of random samples.

    `rounds` are those in which the labels were asked for, `seconds` is what one run took.
    """

    group: str
    population: str
    labels: int
    ranks: bool
    has_history: bool
    rounds: int
    tallies: tuple[Tally, ...]
    random: float
    seconds: float

    @property
    def half_width(self) -> float:
        """Mean over the classifiers' precision and recall."""
        return _mean(tally.half_width for tally in self._headline)

    @property
    def is_surely_wider(self) -> bool:
        """Whether a random sample is surely as narrow; classifiers and metrics share labels, and so their errors."""
        error = _mean(tally.half_width_error for tally in self._headline)
        return self.half_width - _SURE_ERRORS * error >= self.random

    @property
    def _headline(self) -> list[Tally]:
        return [tally for tally in self.tallies if tally.metric in ("precision", "recall")]


def rows(found: Sequence[Found]) -> list[Row]:
    """Populations, then metrics, then the cells with the lowest coverage, then tails and leans."""
    tallies = [tally for one in found for tally in one.tallies]
    lowest = sorted((tally for tally in tallies if tally.defined), key=lambda tally: tally.coverage)[:_WORST_SHOWN]
    return [*map(_population, found), *_metrics(tallies), *map(_cell, lowest), *tail_rows(_tails(found))]


def verdicts(found: Sequence[Found]) -> list[Verdict]:
    """Mean coverage and failing cells of every group, widths where scores rank, and tails of the logit rule."""
    answer: list[Verdict] = []
    for group, members in groupby(found, key=lambda one: one.group):
        tallies = [tally for one in members for tally in one.tallies]
        main = [tally for tally in tallies if tally.metric in MAIN]
        others = [tally for tally in tallies if tally.metric not in MAIN]
        fails = sum(tally.fails for tally in main)
        answer += [
            Verdict(f"{group}: mean coverage", "must", _mean(_coverages(main)), PROMISED, ">="),
            Verdict(f"{group}: cells surely below {LOWEST}, of {len(main)}", "must", fails, 0, "<="),
            Verdict(f"{group}: mean coverage, other metrics", "aim", _mean(_coverages(others)), PROMISED, ">="),
            Verdict(
                f"{group}: cells surely below {LOWEST}, other metrics, of {len(others)}",
                "aim",
                sum(tally.fails for tally in others),
                0,
                "<=",
            ),
        ]
    return [*answer, *_widths(found), *tail_verdicts(_tails(found))]


def _tails(found: Sequence[Found]) -> list[TailCell]:
    return [
        TailCell(tally.metric, one.has_history, one.rounds, f"{one.group}: {one.population}", one.labels, tally.tails)
        for one in found
        for tally in one.tallies
        if tally.metric in MAIN
    ]


def _widths(found: Sequence[Found]) -> list[Verdict]:
    ranking = [one for one in found if one.ranks]
    if not ranking:
        return []
    widest = max(one.half_width / one.random for one in ranking)
    wider = sum(one.is_surely_wider for one in ranking)
    return [
        Verdict(f"widths surely not below random labels', of {len(ranking)} that rank", "must", wider, 0, "<="),
        Verdict("largest width where scores rank, of random labels'", "aim", widest, 1, "<="),
    ]


def _population(one: Found) -> Row:
    cells = {metric: [tally for tally in one.tallies if tally.metric == metric] for metric in MAIN}
    everywhere = [tally for metric in MAIN for tally in cells[metric]]
    lowest = {metric: min(_coverages(tallies), default=nan) for metric, tallies in cells.items()}
    return {
        "group": one.group,
        "population": one.population,
        "ranks": "yes" if one.ranks else "no",
        "labels": one.labels,
        "lowest precision": lowest["precision"],
        "recall": lowest["recall"],
        "FOR": lowest["false_omission_rate"],
        "mean coverage": _mean(_coverages(everywhere)),
        "fails": sum(tally.fails for tally in everywhere),
        "undefined": _mean(tally.undefined for tally in everywhere),
        "half_width": one.half_width,
        "of random": one.half_width / one.random,
        "ms": 1000 * one.seconds,
    }


def _metrics(tallies: Sequence[Tally]) -> Iterable[Row]:
    for metric in TRUTHS:
        cells = [tally for tally in tallies if tally.metric == metric]
        yield {
            "metric": metric,
            "cells": len(cells),
            "mean coverage": _mean(_coverages(cells)),
            "lowest": min(_coverages(cells), default=nan),
            "fails": sum(tally.fails for tally in cells),
            "undefined": _mean(tally.undefined for tally in cells),
            "half_width": _mean(tally.half_width for tally in cells),
        }


def _cell(tally: Tally) -> Row:
    coverage = tally.coverage
    return {
        "lowest cells": f"{tally.group}: {tally.population}",
        "labels": tally.labels,
        "classifier": tally.classifier,
        "metric": tally.metric,
        "coverage": coverage,
        "error": sqrt(coverage * (1 - coverage) / tally.defined),
        "undefined": tally.undefined,
        "half_width": tally.half_width,
        "fails": "yes" if tally.fails else "no",
    }


def _coverages(tallies: Iterable[Tally]) -> list[float]:
    return [tally.coverage for tally in tallies if tally.defined]


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else nan
