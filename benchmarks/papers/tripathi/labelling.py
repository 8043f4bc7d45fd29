"""Simulated labels of a draw, patterns of simulated calls, and the number of runs."""

import numpy as np

from benchmarks.shape import Options
from stratawatch.core.cells import Flags
from stratawatch.core.population import Counts
from stratawatch.literature.tripathi.panel_draw import PanelDraw
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns


def answers(draw: PanelDraw, yes: Counts, rng: np.random.Generator) -> Counts:
    """Verdicts of the drawn items, where `yes` items of each cell are positive: which ones is chance."""
    hits = rng.hypergeometric(yes, draw.patterns.sizes - yes, draw.totals)
    rows = [rng.permutation(total) < hit for total, hit in zip(draw.totals.tolist(), hits.tolist(), strict=True)]
    return np.concatenate(rows).astype(np.int64)


def patterns_of(calls: Flags) -> tuple[CallPatterns, Counts]:
    """The patterns of items in memory (a row an item, a column a classifier), and the row of each item's pattern."""
    keys = calls.astype(np.int64) @ (1 << np.arange(calls.shape[1])[::-1])
    found, rows, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    names = [f"{key:0{calls.shape[1]}b}" for key in found.tolist()]
    return CallPatterns.of(names, sizes, calls.shape[1]), rows.astype(np.int64)


def runs(options: Options, full: int, quick: int) -> int:
    """As asked for; else by whether it must be quick."""
    asked = getattr(options.given, "runs", None)
    if asked is not None:
        return int(asked)
    return quick if options.quick else full
