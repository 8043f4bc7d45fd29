"""SQRT and CBRT: equal steps of the cumulative root frequency."""

from collections.abc import Callable
from typing import Final

import numpy as np

from stratawatch.core.population import Floats
from stratawatch.literature.kumar.weighted_values import WeightedValues

# Cells in which a density is integrated.
_CELLS: Final = 2048
# Standard deviations beyond which a Gaussian kernel counts as 0.
_TAIL: Final = 5.0


def cumulative_root(power: float) -> Callable[[WeightedValues, int], Floats]:
    """The stratifier that cuts where the integral of f(z)^power reaches k/K of its whole.

    The density f is estimated by Gaussian kernels with Scott's bandwidth.

    Power 1/2: Dalenius and Hodges 1959, made for optimal allocation. Power 1/3: Singh 1971, for a stratification
    variable that is not the one estimated. The paper names kernels and no bandwidth; Scott's is sigma N^(-1/5).
    """

    def cuts(values: WeightedValues, strata: int) -> Floats:
        cumulated = np.cumsum(kernel_density(values.scaled) ** power)
        steps = cumulated[-1] * np.arange(1, strata) / strata
        return values.unscaled(np.interp(steps, np.r_[0.0, cumulated], np.linspace(0, 1, _CELLS + 1)))

    return cuts


def kernel_density(values: WeightedValues) -> Floats:
    """The kernel density of scaled values in equal cells between 0 and 1, up to a common factor."""
    counts, _ = np.histogram(values.z, _CELLS, (0.0, 1.0), weights=values.items)
    bandwidth = values.deviation * float(values.items.sum()) ** (-1 / 5) * _CELLS
    reach = min(int(_TAIL * bandwidth), len(counts) - 1)
    if reach == 0:
        return np.asarray(counts, dtype=np.float64)
    # A convolution of the counts by cell takes the place of one kernel for every value.
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / bandwidth) ** 2)
    return np.convolve(counts, kernel / kernel.sum())[reach : reach + len(counts)]
