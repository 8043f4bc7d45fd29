"""What a world's weeks would cost others, on average: the yardsticks beside the product's labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from benchmarks.labels.baselines import known_variances, random_sampling, recycling
from benchmarks.labels.baselines.truth import Truth
from benchmarks.labels.kinds import Kind
from benchmarks.labels.worlds import World

PUBLISHED: Final = {"K = 4": (12809, 1973), "K = 10": (28830, 5924), "K = 20": (52566, 12965)}
"""Labels a week of plain sampling and of recycling as they were published for such worlds; promises refer to them."""
EVERY: Final = 6
"""Weeks between two that are reckoned: the yardsticks follow the season, not the week."""


@dataclass(frozen=True)
class Standards:
    """Labels a week, means over the weeks that were reckoned."""

    plain: float
    recycling: float
    recycling_all: float
    known_variances: float
    floor: float


@cache
def standards(kind: Kind, world: int, seed: int, weeks: int) -> Standards:
    """The yardsticks of one world, from its weeks' truth."""
    made = World(kind, seed + world)
    return Standards(*np.mean([_week(Truth.of(made.week(number))) for number in _reckoned(weeks)], axis=0).tolist())


def _week(truth: Truth) -> Sequence[float]:
    return (
        random_sampling.labels(truth),
        recycling.labels(truth, everyone=False),
        recycling.labels(truth, everyone=True),
        known_variances.in_atoms(truth),
        known_variances.unit_floor(truth),
    )


def _reckoned(weeks: int) -> range:
    return range(1, weeks + 1, min(EVERY, weeks))
