"""Scores shaped like those of the paper's data sets, which are not to be had.

A classifier's margin, signed by the truth, is t = d + a standard normal (or Student's t, if tails are heavy); a call is
right where t > 0, and a share of all items has a label that disagrees with what could be learnt (flips): accuracy is
flips + (1 - 2 flips) P(t > 0). A support vector machine shows |t|, a logistic regression sigmoid(2 d sharpness |t|),
its true probability if the sharpness is 1 and there are no flips, and underconfident below 1, as regularisation
leaves it.

The accuracies are the paper's. Flips, sharpness and tails were chosen, from a coarse grid, so that the figures of
proportional and equal allocation come near; those of optimal allocation follow. Nothing is random: the margins are the
quantiles of their distribution, and the flips are spread evenly over them.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.population import Counts, Floats
from stratawatch.literature.kumar.stratification import cut_points, stratum_numbers


@dataclass(frozen=True)
class Shape:
    """What pins a population. `sharpness` None: the scores are margins."""

    name: str
    items: int
    accuracy: float
    flips: float
    sharpness: float | None
    tails: float = np.inf
    """Degrees of freedom of the margins about d."""

    @property
    def distance(self) -> float:
        """d, from the accuracy."""
        return float(self.quantiles(np.array([(self.accuracy - self.flips) / (1 - 2 * self.flips)]))[0])

    def quantiles(self, at: Floats) -> Floats:
        from scipy.special import ndtri, stdtrit

        return np.asarray(ndtri(at) if np.isinf(self.tails) else stdtrit(self.tails, at), dtype=np.float64)


RCV1: Final = Shape("rcv1", 700_000, 0.953, 0.0015, 0.5)
EPSILON: Final = Shape("epsilon", 450_000, 0.88, 0.01, None, 10)
NEWS20: Final = Shape("news20", 16_000, 0.92, 0.015, 0.25)
"""The paper does not say how accurate its classifier was; .92 is usual for 4,000 training documents."""
SETS: Final = {shape.name: shape for shape in (RCV1, EPSILON, NEWS20)}
WORSE: Final = (EPSILON, replace(EPSILON, accuracy=0.77), replace(EPSILON, accuracy=0.67))


@dataclass(frozen=True)
class Population:
    """z of every item, and whether its call is right."""

    z: Floats
    right: NDArray[np.bool_]

    @property
    def accuracy(self) -> float:
        return float(self.right.mean())

    @property
    def random_labels(self) -> float:
        """n at which the mean absolute error of random sampling is 1%: sqrt(2 A (1 - A)/(pi n)) = .01."""
        return 2 * self.accuracy * (1 - self.accuracy) / (np.pi * 0.01**2)


@dataclass(frozen=True)
class Strata:
    """Items of every stratum, and those of them that are called rightly."""

    sizes: Counts
    right: Counts

    @property
    def accuracy(self) -> float:
        return float(self.right.sum() / self.sizes.sum())


@lru_cache(maxsize=8)
def population(shape: Shape) -> Population:
    places = np.arange(shape.items)
    t = shape.distance + shape.quantiles((places + 0.5) / shape.items)
    right = (t > 0) ^ (np.floor((places + 1) * shape.flips) > np.floor(places * shape.flips))
    if shape.sharpness is None:
        return Population(np.abs(t), right)
    return Population(1 / (1 + np.exp(-2 * shape.distance * shape.sharpness * np.abs(t))), right)


@lru_cache(maxsize=512)
def strata_of(shape: Shape, stratifier: str, strata: int) -> Strata:
    made = population(shape)
    home = stratum_numbers(made.z, cut_points(made.z, None, strata, stratifier))
    sizes = np.bincount(home)
    return Strata(sizes, np.bincount(home[made.right], minlength=len(sizes)))
