"""Sections 3.2 and 5.3: sample sizes, and savings by how much parent and child overlap.

The paper leaves open, and we chose: n_P = n_C = 1100, as in its section 5.2; precision uniform on (.5, 1) and the same
in both parts of A_C. The last two are not guesses in the dark: the mean |error| of a plain sample, E sqrt((1 - p)/p)
sqrt(2/(pi n)), is then 1.373% with a standard deviation of 1.28%, and the paper has 1.368% and 1.267%.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.papers.tripathi.labelling import answers, runs
from benchmarks.shape import Options, Result, Verdict
from stratawatch.core.population import Floats
from stratawatch.literature.tripathi.panel_draw import draw_panel
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns
from stratawatch.literature.tripathi.precisions import estimate_precisions
from stratawatch.literature.tripathi.sample_size import sample_size
from stratawatch.literature.tripathi.share_estimate import ShareEstimate

TABLE: Final = Path(__file__).parents[2] / "reference" / "tripathi_table1.csv"
N: Final = 1100
FULL, QUICK = 1000, 150
GRID_FULL, GRID_QUICK = 100, 2
SIZES: Final = ((0.5, 1068), (0.9, 385), (0.93, 278))
CLOSE: Final = 1.2
"""Points of savings."""
ALL_SAVINGS, ALL_LOW, ALL_HIGH = 33.68, 4.43, 82.98
ALL_ERROR, ALL_SPREAD = 1.367, 1.269


@dataclass(frozen=True)
class Cell:
    """Savings and precision errors in percent, one a trial."""

    savings: Floats
    errors: Floats


def run(options: Options) -> Result:
    """The three sample sizes, the 25 cells, and the means over all 361 combinations."""
    found = cells(options.seed, runs(options, FULL, QUICK))
    published = [{key: float(text) for key, text in row.items()} for row in csv.DictReader(TABLE.open())]
    rows = [_row(row, found[row["pir"], row["cir"]]) for row in published]
    worst = max(abs(found[row["pir"], row["cir"]].savings.mean() - row["mean_savings_pct"]) for row in published)
    sizes = [
        Verdict(f"n at precision {p}: ours - {n}", "must", abs(sample_size(0.03, at_least=p) - n), 0, "<=")
        for p, n in SIZES
    ]
    everything, mean_error = _grid(options)
    return Result(
        [*rows, *everything],
        [
            *sizes,
            Verdict("Table 1: worst cell, points of mean savings", "must", worst, CLOSE, "<="),
            Verdict("Table 1: mean % precision error, distance", "aim", abs(mean_error - ALL_ERROR), 0.05, "<="),
        ],
    )


@cache
def cells(seed: int, trials: int) -> dict[tuple[float, float], Cell]:
    """The cells of Table 1."""
    rng = np.random.default_rng([seed, 1])
    ratios = (0.05, 0.25, 0.45, 0.65, 0.85)
    return {(pir, cir): trial(rng, pir, cir, trials) for pir in ratios for cir in ratios}


def trial(rng: np.random.Generator, pir: float, cir: float, trials: int) -> Cell:
    """Trials of Algorithm 1 for one parent and one child, |A_P and A_C| between 10,000 and 100,000."""
    savings, errors = np.zeros(trials), np.zeros(trials)
    for i in range(trials):
        both, p = int(rng.integers(10_000, 100_001)), float(rng.uniform(0.5, 1))
        sizes = np.array([round(both / cir) - both, round(both / pir) - both, both])
        draw = draw_panel(CallPatterns.of(["01", "10", "11"], sizes, 2), np.array([N, N]), 0, rng)
        rate = estimate_precisions(draw, answers(draw, np.round(p * sizes).astype(np.int64), rng)).shares[1]
        assert isinstance(rate, ShareEstimate)  # noqa: S101 - 1,100 answers
        savings[i], errors[i] = draw.sequences[1].saved / N, abs(rate.value - p) / p
    return Cell(100 * savings, 100 * errors)


def _row(published: dict[str, float], cell: Cell) -> dict[str, object]:
    low, high = np.percentile(cell.savings, [2.5, 97.5])
    return {
        "PIR": published["pir"],
        "CIR": published["cir"],
        "paper %": published["mean_savings_pct"],
        "ours %": float(cell.savings.mean()),
        "+-": float(cell.savings.std() / len(cell.savings) ** 0.5),
        "paper 2.5..97.5": f"{published['lo_savings_pct']:.1f}..{published['hi_savings_pct']:.1f}",
        "ours 2.5..97.5": f"{low:.1f}..{high:.1f}",
        "percentiles": "as published" if _alike(published, low, high) else "do not reproduce",
        "paper error %": published["mean_precision_error_pct"],
        "ours error %": float(cell.errors.mean()),
        "error +-": float(cell.errors.std() * (1 / 200 + 1 / len(cell.errors)) ** 0.5),
    }


def _alike(published: dict[str, float], low: float, high: float) -> bool:
    return max(abs(published["lo_savings_pct"] - low), abs(published["hi_savings_pct"] - high)) <= CLOSE


def _grid(options: Options) -> tuple[list[dict[str, object]], float]:
    """All 361 combinations together, and their mean error."""
    rng = np.random.default_rng([options.seed, 2])
    steps = np.arange(1, 20) / 20
    trials = runs(options, GRID_FULL, GRID_QUICK)
    found = [trial(rng, pir, cir, min(trials, GRID_FULL)) for pir in steps for cir in steps]
    savings, errors = (np.concatenate(parts) for parts in zip(*((c.savings, c.errors) for c in found), strict=True))
    error = float(errors.std() / len(errors) ** 0.5)
    # Chance is within combinations: which ones there are is no chance.
    within = float(np.mean([c.savings.std() for c in found]))
    figures = (
        ("mean savings %", ALL_SAVINGS, float(savings.mean()), within),
        ("mean precision error %", ALL_ERROR, float(errors.mean()), error * len(errors) ** 0.5),
        ("sd of precision error %", ALL_SPREAD, float(errors.std()), error * (len(errors) / 2) ** 0.5),
        ("2.5th percentile of savings %", ALL_LOW, float(np.percentile(savings, 2.5)), within),
        ("97.5th percentile of savings %", ALL_HIGH, float(np.percentile(savings, 97.5)), within),
    )
    rows: list[dict[str, object]] = [
        {"all 361 combinations": name, "paper": paper, "ours": ours, "+-": sd / len(savings) ** 0.5}
        for name, paper, ours, sd in figures
    ]
    return rows, float(errors.mean())
