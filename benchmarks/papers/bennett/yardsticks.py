"""The columns of the paper's Table 1: how a way of sampling compares with random sampling, and with omniscience."""

import numpy as np

from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.population import Counts, Floats


def in_conf(values: Floats, truth: float, margin: float) -> float:
    """InConf: the share of runs that ended within +- margin of the truth.

    >>> in_conf(np.array([0.79, 0.80, 0.83]), truth=0.8, margin=0.02) == 2 / 3
    True
    """
    return float(np.mean(np.abs(values - truth) <= margin))


def oracle(sizes: Counts, rates: Floats, margin: float, confidence: float = 0.95, *, replacement: bool = True) -> float:
    """The labels that z se <= margin takes when every p_k is known and labels are shared out as is best.

    n = (sum W_k sigma_k)^2 / ((margin/z)^2 + sum W_k sigma_k^2 / N), the last term without replacement only; one bin is
    random sampling. It fits how the bins are cut, not how labels are drawn from them.

    >>> round(oracle(np.array([1000]), np.array([0.5]), 0.01))
    9604
    """
    weights = sizes / sizes.sum()
    spread = np.sqrt(rates * (1 - rates))
    wanted = (margin / normal_quantile(confidence)) ** 2
    unseen = 0.0 if replacement else float(weights @ spread**2) / float(sizes.sum())
    return float(weights @ spread) ** 2 / (wanted + unseen)


def percent_change(labels: float, reference: float) -> float:
    """%Change against random sampling, or %Oracle against the oracle: less than 0 is fewer labels.

    >>> percent_change(80, 100)
    -20.0
    """
    return 100 * (labels - reference) / reference


def savings(labels: float, reference: float) -> float:
    """Savings: how many labels fewer than random sampling took."""
    return reference - labels
