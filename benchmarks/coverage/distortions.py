"""What a classifier says instead of its chance of a positive."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from benchmarks.coverage.shapes import expit, logit
from stratawatch.core.population import Floats

Distortion = Callable[[Floats, np.random.Generator], Floats]

DISTORTIONS: Final[Mapping[str, Distortion]] = {
    "calibrated": lambda chance, _: chance,
    "overconfident": lambda chance, _: expit(2.5 * logit(chance)),
    "tied": lambda chance, _: np.round(chance * 10) / 10,
    "constant": lambda chance, _: np.full_like(chance, 0.3),
    "waving": lambda chance, _: (1 + np.sin(3 * logit(chance))) / 2,
    "shuffled": lambda chance, rng: rng.permutation(chance),
    "inverted": lambda chance, _: 1 - chance,
    "silent": lambda chance, _: np.full_like(chance, np.nan),
}
