"""The variances that the estimators have when every stratum's share is known: what allocations compete for."""

import numpy as np

from stratawatch.core.population import Counts, Floats


def population_variance(sizes: Counts, shares: Floats) -> Floats:
    """S_k^2 = N_k/(N_k - 1) A_k (1 - A_k), lemma 1; of a single item 0.

    >>> population_variance(np.array([2, 1]), np.array([0.5, 1.0])).tolist()
    [0.5, 0.0]
    """
    return np.asarray(sizes / np.maximum(sizes - 1, 1) * shares * (1 - shares), dtype=np.float64)


def stratified_variance(sizes: Counts, shares: Floats, labels: Floats, *, replaced: bool = False) -> float:
    """V = sum W_k^2 S_k^2/n_k, eq. 5; without replacement each term times 1 - n_k/N_k."""
    left = np.ones(len(sizes)) if replaced else 1 - labels / sizes
    return float((sizes / sizes.sum()) ** 2 * left / labels @ population_variance(sizes, shares))


def random_variance(sizes: Counts, shares: Floats, labels: float) -> float:
    """V of simple random sampling with replacement, proposition 1."""
    items = sizes.sum()
    share = np.array([sizes @ shares / items])
    return float(population_variance(np.array([items]), share)[0]) / labels


def proportional_variance(sizes: Counts, shares: Floats, labels: float) -> float:
    """V_pro = sum W_k S_k^2/n, eq. 7."""
    return float(sizes / sizes.sum() @ population_variance(sizes, shares)) / labels


def equal_variance(sizes: Counts, shares: Floats, labels: float) -> float:
    """V_equ = K/n sum W_k^2 S_k^2, eq. 8."""
    weights = sizes / sizes.sum()
    return len(sizes) * float(weights**2 @ population_variance(sizes, shares)) / labels


def optimal_variance(sizes: Counts, shares: Floats, labels: float) -> float:
    """V_opt = (sum W_k S_k)^2/n, eq. 10: no allocation of so many labels does better."""
    return float(sizes / sizes.sum() @ np.sqrt(population_variance(sizes, shares))) ** 2 / labels
