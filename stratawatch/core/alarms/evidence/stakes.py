"""How much is staked on a loss: a part of what makes the evidence grow most once it is there.

With the stake that grows most, luck moves the evidence as much as the loss does, and rates that are a little off make
it shrink; half of it has three quarters of the growth (Kelly 1956, Bell System Technical Journal 35:4, for the
whole).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from stratawatch.core.alarms.evidence.betting_round import BettingRound
from stratawatch.core.alarms.evidence.linear_tests import rates_moved_to
from stratawatch.core.population import Floats
from stratawatch.core.tuning import EVIDENCE

_STEPS: Final = (0.5, 0.0625, 0.0078125)
"""How far apart stakes are tried, in powers of two, around the best one so far."""
_TRIED: Final = np.arange(-12, 13)


def stakes_of(bet: BettingRound, losses: Sequence[float] = ()) -> dict[float, float]:
    """The stake of every loss that is bet on, the usual ones without `losses`.

    On large losses it is a steady one, which looks neither at where rates put the metric nor moves them: such a bet
    says the same of windows alike, and so tells when a loss began.
    """
    losses = losses or bet.losses
    small = [loss for loss in losses if loss < EVIDENCE.steady_from]
    growing = growing_stakes(bet, np.array(small)) if small else {}
    return {loss: growing[loss] if loss in growing else bet.steady_stake(loss) for loss in losses}


def growing_stakes(bet: BettingRound, losses: Floats) -> dict[float, float]:
    """A part of what grows most after each of the losses.

    A loss is one from the limit, or from where the rates put the metric if that is beyond it: who calls what is known
    of all items, and tells much of a loss before any label does.
    """
    fallen = losses * bet.scale - min(bet.expected, 0.0)
    after = rates_moved_to(-fallen, bet.rates, np.where(bet.betting, bet.alpha, 0.0), bet.theta)
    fastest = fallen / (bet.variance(bet.rates) + fallen**2 / bet.answers)
    for step in _STEPS:
        tried = np.minimum(fastest[:, None] * 2.0 ** (step * _TRIED), bet.furthest_stake)
        best = growth(bet, tried, after[:, None]).argmax(axis=1)
        fastest = tried[np.arange(len(tried)), best]
    return dict(zip(losses.tolist(), (EVIDENCE.part_of_growth * fastest).tolist(), strict=True))


def growth(bet: BettingRound, stakes: Floats, rates: Floats) -> Floats:
    """By what a window moves log E on average at each of the stakes, if these are the true rates."""
    yes, no, other = bet.factors(stakes)
    labels = bet.labels_by_cell
    grown: Floats = (rates * yes + (1 - rates) * no) @ labels + (bet.answers - labels.sum()) * other
    return grown
