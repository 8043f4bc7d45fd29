"""The rates of a model of earlier labels, moved to what a period's own labels say of each side of the calls."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.history.working_model import intercept_shift, logistic, logit
from stratawatch.core.population import Floats

_PENALTY: Final = 20.0
_FURTHEST: Final = 1.5
_SUREST: Final = 0.00001, 0.999


@dataclass(frozen=True)
class SidedRates:
    """Rates by row, and by how many standard errors the labels of the worse side missed what was expected of them."""

    rates: Floats
    surprise: float


def sided_rates(prior: Floats, called: Flags, positive: Floats, labelled: Floats) -> SidedRates:
    """The rates after labels: a common shift of their logits, then one for what is called and one for what is not.

    Twenty labels' worth holds the common shift at none. A side moves by what its labels still say beyond one standard
    error: a sudden break shows in the variances, and chance does not.
    """
    linear = logit(prior)
    linear = linear + intercept_shift(linear, positive, labelled, penalty=_PENALTY)
    rates, surprise = logistic(linear), 0.0
    moved = linear.copy()
    for side in (called, ~called):
        missing = float((positive - labelled * rates)[side].sum())
        information = float((labelled * rates * (1 - rates))[side].sum())
        if information > 0:
            surprise = max(surprise, abs(missing) / information**0.5)
            beyond = max(abs(missing) / information - information**-0.5, 0.0)
            moved[side] += np.clip(np.sign(missing) * beyond, -_FURTHEST, _FURTHEST)
    return SidedRates(np.clip(logistic(moved), *_SUREST), surprise)
