"""Algorithm 2, MixSequence: the places of a sequence in a new order."""

from collections.abc import Callable
from typing import Final

import numpy as np

from stratawatch.core.population import Counts
from stratawatch.errors import StratawatchError

Mixing = Callable[[int, np.random.Generator], Counts]
"""(length, randomness) -> as many places, each from 0 to length - 1."""

UNIFORM_SHUFFLE: Final = "uniform_shuffle"
UNIFORM_SAMPLE: Final = "uniform_sample"


def uniform_shuffle(length: int, rng: np.random.Generator) -> Counts:
    """Every place once, in random order (Lemma 2): a stratified draw in proportion to size."""
    return rng.permutation(length)


def uniform_sample(length: int, rng: np.random.Generator) -> Counts:
    """Places drawn with replacement (Lemma 1).

    They are independent of one another only given the sequence that they are drawn from: the mean of a sequence that
    is drawn again has nearly twice the variance of its own.
    """
    return rng.integers(max(length, 1), size=length)


MIXING: Final[dict[str, Mixing]] = {UNIFORM_SHUFFLE: uniform_shuffle, UNIFORM_SAMPLE: uniform_sample}


def mixing_named(option: str) -> Mixing:
    """The mixing of this name. Raises StratawatchError for another."""
    if option not in MIXING:
        raise StratawatchError(f"no mixing is called {option!r}", expected=" or ".join(MIXING))
    return MIXING[option]
