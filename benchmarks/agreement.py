"""Krippendorff's alpha: how often its interval holds the alpha of the population that the items come from.

`python -m benchmarks.agreement [--runs N]` draws items, lets two or three annotators answer each with errors of their
own, and compares the interval with the alpha of two million such items.
"""

import argparse
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from benchmarks.shape import Kind, Options, Result, Row, Verdict, main
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.agreement import Agreement, agreement

RUNS, QUICK_RUNS, MANY = 2_000, 100, 2_000_000


class Panel(NamedTuple):
    """Items of which a share is positive, and annotators who tell so many of the positives and negatives right."""

    prevalence: float
    sensitivity: float
    specificity: float
    annotators: int
    items: int

    def yes(self, items: int, rng: np.random.Generator) -> np.ndarray:
        """How many annotators say yes to each item."""
        truth = rng.random(items) < self.prevalence
        return rng.binomial(self.annotators, np.where(truth, self.sensitivity, 1 - self.specificity))


PANELS: Final = (
    Panel(0.5, 0.9, 0.9, 2, 50),
    Panel(0.1, 0.9, 0.9, 2, 100),
    Panel(0.1, 0.9, 0.98, 3, 100),
    Panel(0.3, 0.95, 0.95, 3, 60),
    Panel(0.5, 0.98, 0.98, 2, 100),
    Panel(0.05, 0.9, 0.98, 2, 400),
    Panel(0.3, 0.9, 0.9, 2, 30),
    Panel(0.5, 0.7, 0.7, 3, 100),
)


def alpha_of_many(panel: Panel, rng: np.random.Generator) -> float:
    """Alpha of a large population, by its definition."""
    yes, votes = panel.yes(MANY, rng), panel.annotators
    share = yes.mean() / votes
    differing = (yes * (votes - yes)).mean() * 2 / (votes * (votes - 1))
    return float(1 - differing / (2 * share * (1 - share)))


def answered(panel: Panel, rng: np.random.Generator) -> Agreement | Undefined:
    """What one sample of items says."""
    words = {
        f"i{item}": {f"a{one}": "yes" if one < yes else "no" for one in range(panel.annotators)}
        for item, yes in enumerate(panel.yes(panel.items, rng))
    }
    return agreement(words)  # type: ignore[arg-type]


def row_of(panel: Panel, runs: int, rng: np.random.Generator) -> Row:
    """One panel again and again."""
    truth = alpha_of_many(panel, rng)
    found = [one for one in (answered(panel, rng) for _ in range(runs)) if isinstance(one, Agreement)]
    return {
        **panel._asdict(),
        "alpha": round(truth, 3),
        "mean": round(float(np.mean([one.alpha for one in found])), 3),
        "holds": round(float(np.mean([one.low <= truth <= one.high for one in found])), 4),
        "width": round(float(np.mean([one.high - one.low for one in found])), 3),
        "told": round(len(found) / runs, 3),
    }


def run(options: Options) -> Result:
    """All panels."""
    kind: Kind = "aim" if options.quick else "must"
    rng = np.random.default_rng(options.seed)
    rows = [row_of(panel, QUICK_RUNS if options.quick else options.given.runs, rng) for panel in PANELS]
    worst = min(float(str(row["holds"])) for row in rows)
    return Result(rows, [Verdict("intervals of alpha hold, worst panel", kind, worst, 0.93, ">=")])


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=RUNS, help=f"samples of each panel (default {RUNS})")


def measure(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status."""
    return main("agreement", run, argv, _arguments)


if __name__ == "__main__":
    raise SystemExit(measure())
