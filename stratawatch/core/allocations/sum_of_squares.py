"""The default: Neyman's allocation for many goals at once."""

import numpy as np

from stratawatch.core.population import Floats


def sum_of_squares(sizes: Floats, needs: Floats, costs: Floats | None = None) -> Floats:  # noqa: ARG001 - one shape for all
    """n_h proportional to sqrt(sum_j lambda_j A_jh / c_h), A_jh = N_h^2 times the variance of g_j x label.

    Minimises sum_j (half-width_j / margin_j)^2 = sum_j lambda_j sum_h A_jh / n_h for a fixed number of labels, or a
    fixed sum of their costs c (Neyman 1934 for one goal; with costs Cochran 1977, 5.5). The worst goal alone would
    take every label into one hopeless metric.

    >>> sum_of_squares(np.array([10.0, 10.0]), np.array([4.0, 1.0])).tolist()
    [2.0, 1.0]
    """
    return np.asarray(np.sqrt(needs if costs is None else needs / costs), dtype=np.float64)
