"""The default: Neyman's allocation for many goals at once."""

import numpy as np

from stratawatch.core.population import Floats


def sum_of_squares(sizes: Floats, rates: Floats, importance: Floats) -> Floats:
    """n_a proportional to N_a S_a sqrt(sum_j lambda_j g_ja^2); `importance` is the sum under the root.

    Minimises sum_j (half-width_j / margin_j)^2 = sum_j lambda_j sum_a (N_a g_ja S_a)^2 / n_a for a fixed number
    of labels (Neyman 1934 for one goal). The worst goal alone would take every label into one hopeless metric.
    """
    return np.asarray(sizes * np.sqrt(importance * rates * (1 - rates)), dtype=np.float64)
