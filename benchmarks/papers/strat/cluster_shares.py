"""A share of elements that were drawn cluster by cluster: Cochran's ratio estimator, and what the clusters cost."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.estimate import Undefined
from stratawatch.core.population import Floats
from stratawatch.errors import StratawatchError

_ROUNDING: Final = 1e-24


@dataclass(frozen=True)
class ClusterShare:
    """p, its standard error with clusters, and the binomial one, which takes elements for independent.

    The design effect is that of `design_effect`: 1 + rho (mean_size - 1); rho is Undefined with one element each.
    """

    share: float
    standard_error: float
    binomial_error: float
    clusters: int
    mean_size: float
    design_effect: float

    @property
    def correlation(self) -> float | Undefined:
        """The intracluster correlation rho that explains the design effect."""
        if self.mean_size == 1:
            return Undefined("no cluster has two elements")
        return (self.design_effect - 1) / (self.mean_size - 1)


def cluster_share(yes: Floats, sizes: Floats, fraction: float = 0.0) -> ClusterShare | Undefined:
    """From the yes and the elements of every drawn cluster; `fraction` of all clusters were drawn.

    p = sum y / sum m, v = (1 - f) / (C m_bar^2) sum (y - p m)^2 / (C - 1)  (Cochran 1977, eq. 3.34).

    >>> found = cluster_share(np.array([2.0, 0.0, 1.0]), np.array([2.0, 2.0, 2.0]))
    >>> round(found.share, 3), round(found.standard_error, 4), round(found.design_effect, 2)
    (0.5, 0.2887, 1.67)
    """
    if yes.shape != sizes.shape or bool((sizes < 1).any()) or bool(((yes < 0) | (yes > sizes)).any()):
        raise StratawatchError(
            "the counts of clusters do not fit", expected="0 <= yes <= elements, one element at least"
        )
    if not 0 <= fraction <= 1:
        raise StratawatchError("the share of clusters drawn is out of range", expected="0 to 1", got=f"{fraction:g}")
    clusters = len(sizes)
    if clusters < 2:
        return Undefined("one cluster says nothing about how clusters differ")
    share = float(yes.sum() / sizes.sum())
    if share in (0.0, 1.0):
        return Undefined("all elements agree: they say nothing about their error")
    squares = float(((yes - share * sizes) ** 2).sum()) / (clusters - 1)
    if squares <= _ROUNDING * float(sizes @ sizes):
        return Undefined("clusters without any variation say nothing about how clusters differ")
    mean_size = float(sizes.mean())
    together, elements = squares / clusters / mean_size**2, float(sizes.sum())
    binomial = share * (1 - share) / elements
    effect = together / (binomial * elements / (elements - 1))
    return ClusterShare(
        share, float(np.sqrt((1 - fraction) * together)), float(np.sqrt(binomial)), clusters, mean_size, effect
    )


def kish_error(excess: float, confidence: float = 0.95) -> float:
    """How often an interval misses that leaves out a design effect of 1 + `excess`, excess = rho (m_bar - 1).

    Kish's figure (1957): a 95% interval with an excess of .2 misses not in 5 but in 7.4 of 100 cases.

    >>> round(kish_error(0.2), 3)
    0.074
    """
    from statistics import NormalDist

    normal = NormalDist()
    return 2 * normal.cdf(-normal.inv_cdf((1 + confidence) / 2) / (1 + excess) ** 0.5)
