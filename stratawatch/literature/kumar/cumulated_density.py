"""SQRT and CBRT: equal steps of a cumulated root of the density."""

from collections.abc import Callable
from typing import Final

import numpy as np

from stratawatch.core.population import Floats
from stratawatch.literature.kumar.weighted_values import WeightedValues

_CELLS: Final = 2048
"""Steps in which a density is integrated."""
_TAIL: Final = 5.0
"""Standard deviations after which a Gaussian kernel is nothing."""


def cumulated_density_root(power: float) -> Callable[[WeightedValues, int], Floats]:
    """Cut where the integral of f(z)^power reaches k/K of its whole, f by Gaussian kernels of Scott's bandwidth.

    Power 1/2: Dalenius and Hodges 1959, made for optimal allocation. Power 1/3: Singh 1971, for a stratification
    variable that is not the one estimated. The paper names kernels and no bandwidth; Scott's is sigma N^(-1/5).
    """

    def cuts(values: WeightedValues, strata: int) -> Floats:
        reached = np.cumsum(kernel_density(values.scaled) ** power)
        wanted = reached[-1] * np.arange(1, strata) / strata
        return values.unscaled(np.interp(wanted, np.r_[0.0, reached], np.linspace(0, 1, _CELLS + 1)))

    return cuts


def kernel_density(values: WeightedValues) -> Floats:
    """The kernel density in equal cells between 0 and 1, up to a common factor."""
    counts, _ = np.histogram(values.z, _CELLS, (0.0, 1.0), weights=values.items)
    bandwidth = values.deviation * float(values.items.sum()) ** (-1 / 5) * _CELLS
    reach = min(int(_TAIL * bandwidth), len(counts) - 1)
    if reach == 0:
        return np.asarray(counts, dtype=np.float64)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / bandwidth) ** 2)
    return np.convolve(counts, kernel / kernel.sum())[reach : reach + len(counts)]
