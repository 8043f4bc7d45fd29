"""The rates of a model of earlier labels, moved to what a period's own labels say of each side of the calls."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.history.sudden_breaks import after_blind_misses, after_false_calls
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


def sided_rates(prior: Floats, calls: Flags, sizes: Floats, positive: Floats, labelled: Floats) -> SidedRates:
    """The rates after labels: a common shift of their logits, sudden breaks, then a shift for each side of the calls.

    `calls` has a column a classifier, and `sizes` are the items of each row that some classifier judged. Twenty labels'
    worth holds the common shift at none. What is called, and what is not, moves by what its labels still say beyond one
    standard error: a change shows in the variances, and chance does not. The surprise is that before any break.
    """
    level, called = _at_level(prior, positive, labelled), np.asarray(calls.any(axis=1))
    found, broken = _by_side(level, called, positive, labelled), level
    if (fewer := after_false_calls(level, calls, positive, labelled)) is not level:
        # False calls have lowered the level of what nobody calls, too.
        broken = _at_level(prior * fewer / level, positive, labelled)
    broken = after_blind_misses(broken, calls, sizes, positive, labelled)
    return found if broken is level else replace(found, rates=_by_side(broken, called, positive, labelled).rates)


def _at_level(prior: Floats, positive: Floats, labelled: Floats) -> Floats:
    linear = logit(prior)
    return logistic(linear + intercept_shift(linear, positive, labelled, penalty=_PENALTY))


def _by_side(rates: Floats, called: Flags, positive: Floats, labelled: Floats) -> SidedRates:
    moved, surprise = logit(rates), 0.0
    for side in (called, ~called):
        missing = float((positive - labelled * rates)[side].sum())
        information = float((labelled * rates * (1 - rates))[side].sum())
        if information > 0:
            surprise = max(surprise, abs(missing) / information**0.5)
            beyond = max(abs(missing) / information - information**-0.5, 0.0)
            moved[side] += np.clip(np.sign(missing) * beyond, -_FURTHEST, _FURTHEST)
    return SidedRates(np.clip(logistic(moved), *_SUREST), surprise)
