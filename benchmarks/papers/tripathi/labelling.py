"""People who answer what was drawn: labels by cell, and how many runs were asked for."""

import numpy as np

from benchmarks.shape import Options
from stratawatch.core.population import Counts
from stratawatch.literature.tripathi.panel_draw import PanelDraw


def answers(draw: PanelDraw, yes: Counts, rng: np.random.Generator) -> Counts:
    """Verdicts of the drawn items, where `yes` items of each cell are positive: which ones is chance."""
    hits = rng.hypergeometric(yes, draw.patterns.sizes - yes, draw.totals)
    rows = [rng.permutation(total) < hit for total, hit in zip(draw.totals.tolist(), hits.tolist(), strict=True)]
    return np.concatenate(rows).astype(np.int64)


def runs(options: Options, full: int, quick: int) -> int:
    """As asked for; else by whether it must be quick."""
    asked = getattr(options.given, "runs", None)
    if asked is not None:
        return int(asked)
    return quick if options.quick else full
