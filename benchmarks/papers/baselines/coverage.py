"""How often the intervals of every resampling method hold the truth, and which truth.

Three truths: of the fit to all items, which is what will be deployed; of such fits on average over data sets; and, for
a holdout, of the fit that was tested.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from scipy.stats import t as student
from sklearn.base import clone

from benchmarks.papers.baselines.worlds import WORLDS, World
from stratawatch.core.baselines.held_out_predictions import metric_by_run
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.metrics import BASELINES_REPORTED
from stratawatch.core.population import Floats
from stratawatch.resampling import METHODS, ResampledBaselines, measure_baselines

DEPLOYED: Final = "the fit to all"
AVERAGE: Final = "fits on average"
TESTED: Final = "the fit tested"
TEXTBOOK: Final = "corrected t"
"""Nadeau and Bengio 2003, Machine Learning 52:239, for random subsampling: mean +- t sqrt((1/k + n2/n1) S^2)."""
_NOTHING: Final = (np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Cell:
    """One method in one world against one truth; a column a metric, in the order of BASELINES_REPORTED."""

    world: str
    method: str
    truth: str
    coverage: Floats
    bias: Floats
    half_width: Floats
    undefined: float
    runs: int


@cache
def measured(seed: int, runs: int) -> tuple[Cell, ...]:
    """All worlds."""
    return tuple(cell for number, world in enumerate(WORLDS) for cell in _of_world(world, (seed, number), runs))


def _of_world(world: World, seed: tuple[int, int], runs: int) -> list[Cell]:
    rng = np.random.default_rng(seed)
    found: dict[str, list[Floats]] = {name: [] for name in (*METHODS, TEXTBOOK)}
    deployed, tested = np.empty((runs, len(BASELINES_REPORTED))), np.empty((runs, len(BASELINES_REPORTED)))
    for run in range(runs):
        X, y = world.draw(rng)
        deployed[run] = world.truths(clone(world.rule).fit(X, y))
        for name in METHODS:
            one = measure_baselines(world.rule, X, y, name, seed=run)
            found[name].append(np.array([_ends(baseline.interval_at()) for baseline in one.baselines]))
            if name == "random_subsampling":
                found[TEXTBOOK].append(_corrected_t(one))
        train, _ = next(METHODS["holdout"].splits(y, run))
        tested[run] = world.truths(clone(world.rule).fit(X[train], y[train]))
    average = np.broadcast_to(deployed.mean(axis=0), deployed.shape)
    cells = [_cell(world, name, DEPLOYED, np.array(ends), deployed) for name, ends in found.items()]
    cells += [_cell(world, name, AVERAGE, np.array(ends), average) for name, ends in found.items()]
    return [*cells, _cell(world, "holdout", TESTED, np.array(found["holdout"]), tested)]


def _ends(outcome: object) -> tuple[float, float, float]:
    return (outcome.value, outcome.low, outcome.high) if isinstance(outcome, IntervalEstimate) else _NOTHING


def _corrected_t(one: ResampledBaselines) -> Floats:
    """Of the runs' own metrics; one third of the items is tested, so that n2/n1 = 1/2."""
    rows = []
    for metric in BASELINES_REPORTED:
        found = metric_by_run(metric, one.predictions.by_run())
        if found.size < 2:
            rows.append(_NOTHING)
            continue
        half = student.ppf(0.975, found.size - 1) * np.sqrt((1 / found.size + 0.5) * found.var(ddof=1))
        rows.append((found.mean(), max(found.mean() - half, 0.0), min(found.mean() + half, 1.0)))
    return np.array(rows)


def _cell(world: World, method: str, truth: str, ends: Floats, truths: Floats) -> Cell:
    value, low, high = ends[..., 0], ends[..., 1], ends[..., 2]
    told = ~np.isnan(value)
    held = (low <= truths) & (truths <= high)
    count = np.maximum(told.sum(axis=0), 1)
    return Cell(
        world=world.name,
        method=method,
        truth=truth,
        coverage=(held & told).sum(axis=0) / count,
        bias=np.where(told, value - truths, 0).sum(axis=0) / count,
        half_width=np.where(told, high - low, 0).sum(axis=0) / count / 2,
        undefined=float(1 - told.mean()),
        runs=len(ends),
    )
