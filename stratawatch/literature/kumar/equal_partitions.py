"""WTMN, EQSZ and EQWD: equal sums of the values, equal counts, equal widths."""

import numpy as np

from stratawatch.core.population import Floats
from stratawatch.errors import StratawatchError
from stratawatch.literature.kumar.weighted_values import WeightedValues


def equal_sums(values: WeightedValues, strata: int) -> Floats:
    """WTMN: every stratum holds the same share of the sum of z, so that W_k times its mean is constant.

    Hansen, Hurwitz and Madow 1953.
    """
    if values.z[0] < 0:
        raise StratawatchError("WTMN cannot share out a negative sum", expected="values >= 0", got=f"{values.z[0]:g}")
    return values.equal_shares(values.z * values.items, strata)


def equal_counts(values: WeightedValues, strata: int) -> Floats:
    """EQSZ: every stratum holds N/K items.

    >>> equal_counts(WeightedValues.of(np.array([1.0, 2.0, 3.0, 9.0])), 2).tolist()
    [2.5]
    """
    return values.equal_shares(values.items, strata)


def equal_widths(values: WeightedValues, strata: int) -> Floats:
    """EQWD: z_k = min + r k/K, r the range.

    >>> equal_widths(WeightedValues.of(np.array([0.0, 1.0, 8.0])), 4).tolist()
    [2.0, 4.0, 6.0]
    """
    return values.unscaled(np.arange(1, strata) / strata)
