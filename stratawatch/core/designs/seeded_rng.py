"""Random generators for designs that need one: the same panel, window and round always have the same numbers."""

from hashlib import sha256

import numpy as np

from stratawatch.core.goals import SurveySpec
from stratawatch.core.population import Counts


def seeded_generator(survey: SurveySpec, sizes: Counts, ordinal: int) -> np.random.Generator:
    """A generator seeded by the survey's seed and design, the strata's sizes and the round, and by nothing else.

    A round that is planned again, after a failure or from a saved study, draws the same numbers.

    >>> throws = [seeded_generator(SurveySpec(seed="s"), np.array([40, 60]), 1).integers(1000) for _ in range(2)]
    >>> bool(throws[0] == throws[1])
    True
    """
    facts = (survey.seed, survey.design, [int(size) for size in sizes], ordinal)
    return np.random.default_rng(int.from_bytes(sha256(repr(facts).encode()).digest()))
