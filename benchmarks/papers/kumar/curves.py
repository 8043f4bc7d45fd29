"""What a design gives at a row of budgets, and how many labels it needs for a mean absolute error of 1%."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.papers.kumar.populations import Shape, Strata, population, strata_of
from benchmarks.papers.kumar.simulation import Runs, simulate, whole
from stratawatch.core.estimate import Undefined
from stratawatch.core.population import Floats
from stratawatch.literature.kumar.allocations import Allocation, Proportional

BUDGETS: Final = tuple(np.round(np.geomspace(0.3, 1.15, 10), 3).tolist())
"""Budgets as parts of what random sampling needs for a mean absolute error of 1%."""
ERROR: Final = 0.01


@dataclass(frozen=True)
class Figure:
    """A figure and the standard error that simulation leaves in it."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.3g}"


@dataclass(frozen=True)
class Point:
    """The runs at one budget, summed up; variances are ratios to that of random sampling with as many labels."""

    budget: int
    variance_ratio: Figure
    square_ratio: Figure
    absolute: Figure
    bias: Figure
    coverage: float
    silent: float

    @classmethod
    def of(cls, runs: Runs, budget: int) -> "Point":
        accuracy = runs.strata.accuracy
        random = accuracy * (1 - accuracy) / budget
        holds, silent = runs.covered()
        return cls(
            budget,
            _mean(runs.variances / random),
            _mean(runs.errors**2 / random),
            _mean(np.abs(runs.errors)),
            _mean(runs.errors),
            float(holds.mean()),
            float(silent.mean()),
        )


@dataclass(frozen=True)
class Design:
    """A data set cut by a stratifier, and an allocation."""

    shape: Shape
    stratifier: str
    strata: int
    allocation: Allocation

    def cut(self) -> Strata:
        return strata_of(self.shape, self.stratifier, self.strata)


def points(design: Design, budgets: Sequence[int], runs: int, seed: int) -> list[Point]:
    rng = np.random.default_rng([seed, design.strata, *(ord(letter) for letter in design.stratifier)])
    simulated = simulate(design.cut(), design.allocation, budgets, runs, rng)
    return [Point.of(one, budget) for budget, one in zip(budgets, simulated, strict=True)]


def random_points(shape: Shape, runs: int, seed: int) -> list[Point]:
    """Simple random sampling."""
    budgets = budgets_of(shape)
    everything = whole(strata_of(shape, "EQSZ", 2))
    simulated = simulate(everything, Proportional(), budgets, runs, np.random.default_rng([seed, 1]))
    return [Point.of(one, budget) for budget, one in zip(budgets, simulated, strict=True)]


def budgets_of(shape: Shape) -> list[int]:
    return [round(part * population(shape).random_labels) for part in BUDGETS]


def labels_needed(found: Sequence[Point]) -> Figure | Undefined:
    """Where a parabola through log(mean absolute error) against log n comes down to 1%, within the budgets."""
    n = np.log([point.budget for point in found])
    absolute = np.array([point.absolute.value for point in found])
    noise = float(np.mean([point.absolute.error for point in found] / absolute))
    middle = float(n.mean())
    powers = np.vander(n - middle, 3)
    fit, *_ = np.linalg.lstsq(powers, np.log(absolute), rcond=None)
    fine = np.linspace(n[0], n[-1], 4001)
    below = np.flatnonzero(np.polyval(fit, fine - middle) <= np.log(ERROR))
    if below.size == 0 or below[0] == 0:
        side = "more" if below.size == 0 else "fewer"
        edge = found[-1 if below.size == 0 else 0]
        return Undefined(f"{side} than {edge.budget}: there the error is {100 * edge.absolute.value:.2f}%")
    at = float(fine[below[0]])
    x = np.array([(at - middle) ** 2, at - middle, 1])
    slope = float(np.polyval(np.polyder(fit), at - middle))
    return Figure(
        float(np.exp(at)), float(np.exp(at) * noise * np.sqrt(x @ np.linalg.inv(powers.T @ powers) @ x) / -slope)
    )


def mean_figure(figures: Sequence[Figure]) -> Figure:
    return Figure(
        float(np.mean([one.value for one in figures])),
        float(np.sqrt(np.sum([one.error**2 for one in figures])) / len(figures)),
    )


def _mean(values: Floats) -> Figure:
    return Figure(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))))
