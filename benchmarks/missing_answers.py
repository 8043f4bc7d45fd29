"""Answers that do not come: what intervals, worst-case bounds and warnings make of them.

`python -m benchmarks.missing_answers [--runs N]` studies a panel of four classifiers again and again: with every
answer, with 15% of the answers skipped at random, and with half of the positives skipped. An interval and a span of
bounds are compared with the truth of the items; "warned" are runs with a sentence that missing answers lean, or with an
estimate that is blind.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from benchmarks.shape import Kind, Options, Result, Row, Verdict, main
from stratawatch import Study
from stratawatch.core.cells import Flags
from stratawatch.core.metrics import REPORTED, ConfusionCounts, SideTotals, metric_named
from stratawatch.study.estimate_rows import StudyEstimate

ITEMS, BUDGET, RUNS, QUICK_RUNS = 10_000, 600, 400, 8
CLASSIFIERS: Final = ("one", "two", "three", "four")
EVERY, AT_RANDOM, POSITIVES = "every answer", "15% skipped at random", "half of the positives skipped"

STORIES: Final[Mapping[str, tuple[float, float]]] = {EVERY: (0.0, 0.0), AT_RANDOM: (0.15, 0.15), POSITIVES: (0.0, 0.5)}
"""The part of the answers that is skipped, on true negatives and on true positives."""


@dataclass(frozen=True)
class Found:
    """One estimate beside the truth."""

    metric: str
    estimate: StudyEstimate
    truth: float

    def interval_holds(self) -> bool:
        """Whether the interval contains the truth."""
        one = self.estimate
        return one.low is not None and one.high is not None and one.low <= self.truth <= one.high

    def span_holds(self) -> bool:
        """Whether the span of the bounds does; the interval, where no answer is missing."""
        one = self.estimate
        if one.worst_low is None or one.worst_high is None:
            return self.interval_holds()
        return one.worst_low <= self.truth <= one.worst_high


@dataclass(frozen=True)
class Run:
    """What one study found, and whether it warned."""

    found: tuple[Found, ...]
    warned: bool


def played(story: str, seed: int) -> Run:
    """A new population, studied and answered as the story has it."""
    rng = np.random.default_rng(seed)
    signal = 2 * rng.normal(size=ITEMS) - 4.4
    truth = rng.random(ITEMS) < 1 / (1 + np.exp(-signal))
    scores = {name: 1 / (1 + np.exp(-(signal + 0.8 * rng.normal(size=ITEMS)))) for name in CLASSIFIERS}
    calls = {name: score >= 0.35 for name, score in scores.items()}
    columns = {f"score_{name}": score for name, score in scores.items()} | {f"call_{n}": c for n, c in calls.items()}
    study = Study(
        pd.DataFrame({"item": np.arange(ITEMS), **columns}),
        item="item",
        classifiers={name: (f"score_{name}", f"call_{name}") for name in CLASSIFIERS},
        budget=BUDGET,
        seed=seed,
    )
    skipped = rng.random(ITEMS) < np.where(truth, *reversed(STORIES[story]))
    while items := study.ask():
        study.tell({item: None if skipped[item] else bool(truth[item]) for item in items})
    rows = study.estimates(REPORTED)
    found = tuple(Found(row.metric, row, true_value(row.metric, calls[row.classifier], truth)) for row in rows)
    return Run(found, bool(study.warnings) or any(row.state == "blind" for row in rows))


def true_value(metric: str, calls: Flags, truth: Flags) -> float:
    """The metric of all items."""
    tp, fp, fn, tn = ConfusionCounts.of_calls(calls, truth)
    return float(metric_named(metric).value(SideTotals(tp + fp, fn + tn, tp, fn)))


def rows_of(story: str, runs: Sequence[Run]) -> list[Row]:
    """A row a metric; widths in points."""
    rows: list[Row] = []
    for metric in REPORTED:
        found = [one for run in runs for one in run.found if one.metric == metric]
        rows.append(
            {
                "story": story,
                "metric": metric,
                "interval holds": _mean(one.interval_holds() for one in found),
                "bounds hold": _mean(one.span_holds() for one in found),
                "width of interval": 100 * _mean((one.estimate.high or 0) - (one.estimate.low or 0) for one in found),
                "of bounds": 100
                * _mean((one.estimate.worst_high or 0) - (one.estimate.worst_low or 0) for one in found),
                "of values": 100 * _mean((one.estimate.highest or 0) - (one.estimate.lowest or 0) for one in found),
                "% missing": 100 * _mean(one.estimate.missing or 0 for one in found),
                "blind": _mean(one.estimate.state == "blind" for one in found),
                "warned": _mean(run.warned for run in runs),
            }
        )
    return rows


def run(options: Options) -> Result:
    """All stories, the same populations in each."""
    # So few runs as a quick one has would miss a promise that holds.
    kind: Kind = "aim" if options.quick else "must"
    number = QUICK_RUNS if options.quick else options.given.runs
    rows: list[Row] = []
    verdicts = []
    for story in STORIES:
        runs = [played(story, options.seed + i) for i in range(number)]
        rows += rows_of(story, runs)
        warned = _mean(one.warned for one in runs)
        if story == AT_RANDOM:
            verdicts.append(Verdict(f"no warning, {story}", kind, 1 - warned, 0.95, ">="))
        if story == POSITIVES:
            worst = min(float(str(row["bounds hold"])) for row in rows if row["story"] == story)
            verdicts.append(Verdict(f"bounds hold, {story}, worst metric", kind, worst, 0.95, ">="))
            verdicts.append(Verdict(f"warned, {story}", kind, warned, 0.90, ">="))
    return Result(rows, verdicts)


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=RUNS, help="studies of each story")


if __name__ == "__main__":
    raise SystemExit(main("missing_answers", run, extra=_arguments))
