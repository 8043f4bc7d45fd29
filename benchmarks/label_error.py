"""Labels that err: what estimates make of them, and what gold items put right.

`python -m benchmarks.label_error [--runs N]` studies one classifier again and again whose recall is .85 at 5%
prevalence. Every label is given by one annotator who calls 95% of the positives and 98% of the negatives right; gold
items that nobody can tell from others measure that. Estimates with and without the correction are compared with the
truth of the items, of labels drawn at random (srs) and by the joint design.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
import pandas as pd

from benchmarks.missing_answers import true_value
from benchmarks.shape import Kind, Options, Result, Row, Verdict, main
from stratawatch import GoldAnswers, Study
from stratawatch.core.metrics import REPORTED
from stratawatch.study.estimate_rows import StudyEstimate

ITEMS, BUDGET, RUNS, QUICK_RUNS = 20_000, 2_000, 400, 8
DESIGNS: Final = ("srs", "joint")
PREVALENCE: Final = 0.05
SENSITIVITY, SPECIFICITY = 0.95, 0.98
GOLD_POSITIVES, GOLD_NEGATIVES = 500, 2_000
APART: Final = 3.33
"""Standard deviations between the scores of positives and negatives."""
CUT_OFF: Final = APART - NormalDist().inv_cdf(0.853)
"""The score from which an item is called positive."""


@dataclass(frozen=True)
class Found:
    """One estimate beside the truth."""

    estimate: StudyEstimate
    truth: float

    def holds(self) -> bool:
        """Whether the interval of the labels contains the truth."""
        one = self.estimate
        return one.low is not None and one.high is not None and one.low <= self.truth <= one.high

    def holds_corrected(self) -> bool:
        """Whether the corrected interval does."""
        low, high = self.estimate.corrected_low, self.estimate.corrected_high
        return low is not None and high is not None and low <= self.truth <= high


def played(design: str, seed: int) -> list[Found]:
    """A new population, labelled with errors."""
    rng = np.random.default_rng(seed)
    truth = rng.random(ITEMS) < PREVALENCE
    raw = rng.normal(size=ITEMS) + APART * truth
    odds = PREVALENCE / (1 - PREVALENCE) * np.exp(APART * raw - APART**2 / 2)
    calls = raw >= CUT_OFF
    frame = pd.DataFrame({"item": np.arange(ITEMS), "score": odds / (1 + odds), "call": calls})
    study = Study(frame, item="item", classifiers={"one": ("score", "call")}, budget=BUDGET, seed=seed, design=design)
    said = rng.random(ITEMS) < np.where(truth, SENSITIVITY, 1 - SPECIFICITY)
    while items := study.ask():
        study.tell({item: bool(said[item]) for item in items})
    gold = GoldAnswers(
        positives=GOLD_POSITIVES,
        said_yes=int(rng.binomial(GOLD_POSITIVES, SENSITIVITY)),
        negatives=GOLD_NEGATIVES,
        said_no=int(rng.binomial(GOLD_NEGATIVES, SPECIFICITY)),
    )
    return [Found(row, true_value(row.metric, calls, truth)) for row in study.estimates(REPORTED, gold=gold)]


def row_of(design: str, metric: str, found: Sequence[Found]) -> Row:
    """Means over all runs."""
    rows = [one.estimate for one in found]
    return {
        "design": design,
        "metric": metric,
        "truth": _mean([one.truth for one in found]),
        "labelled": _mean([row.value for row in rows]),
        "interval holds": _mean([one.holds() for one in found]),
        "corrected": _mean([row.corrected for row in rows]),
        "corrected interval holds": _mean([one.holds_corrected() for one in found]),
        "width": _mean([(row.high or 0) - (row.low or 0) for row in rows]),
        "corrected width": _mean([(row.corrected_high or 0) - (row.corrected_low or 0) for row in rows]),
    }


def run(options: Options) -> Result:
    """All runs."""
    # So few runs as a quick one has would miss a promise that holds.
    kind: Kind = "aim" if options.quick else "must"
    number = QUICK_RUNS if options.quick else options.given.runs
    rows: list[Row] = []
    verdicts = []
    for design in DESIGNS:
        found = [one for i in range(number) for one in played(design, options.seed + i)]
        mine = [row_of(design, metric, [one for one in found if one.estimate.metric == metric]) for metric in REPORTED]
        recall = next(row for row in mine if row["metric"] == "recall")
        worst = min(float(str(row["corrected interval holds"])) for row in mine)
        verdicts += [
            Verdict(f"points by which labels alone miss recall, {design}", "must", _off(recall, "labelled"), 15, ">="),
            Verdict(f"points by which corrected recall misses, {design}", kind, _off(recall, "corrected"), 2, "<="),
            Verdict(f"corrected intervals hold, worst metric, {design}", kind, worst, 0.92, ">="),
        ]
        rows += mine
    return Result(rows, verdicts)


def _off(row: Row, name: str) -> float:
    return 100 * abs(float(str(row[name])) - float(str(row["truth"])))


def _mean(values: Sequence[float | None]) -> float:
    return float(np.mean([value for value in values if value is not None]))


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=RUNS, help="studies")


if __name__ == "__main__":
    raise SystemExit(main("label_error", run, extra=_arguments))
