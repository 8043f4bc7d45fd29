"""The window in which a loss most likely began.

Every window since the last restart is a candidate. Its likelihood is the product of the later windows' likelihood
ratios: those of a loss against a metric at its limit.
"""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.population import Floats
from stratawatch.core.tuning import EVIDENCE


@dataclass(frozen=True)
class Onset:
    """The row of the window in which a loss most likely began, and the first and last row that it may well be."""

    row: int
    earliest: int
    latest: int


def loss_ratio(
    result: IntervalEstimate | Undefined, limit: float, *, is_floor: bool, confidence: float = 0.95
) -> float:
    """How much likelier an estimate is after a loss of 5 points than at the limit, as a logarithm: -(g d + d^2/2)/se^2.

    g is by how much the estimate is better than the limit, d the loss. The standard error is that of the interval's
    better side, as a few labels of large strata stretch the other one. Without an estimate it is 0.

    >>> round(loss_ratio(IntervalEstimate(0.80, 0.75, 0.84, n_eff=200), 0.85, is_floor=True), 2)
    3.0
    """
    if isinstance(result, Undefined):
        return 0.0
    better, best = (result.value, result.high) if is_floor else (-result.value, -result.low)
    error = max((best - better) / normal_quantile(confidence), EVIDENCE.least_onset_error)
    distance, loss = better - (limit if is_floor else -limit), EVIDENCE.onset_loss
    return -(distance * loss + loss * loss / 2) / error**2


def onset(log_e_by_window: Floats, ratios: Floats | None = None) -> Onset:
    """When a loss began, by the bets of windows (rows, oldest first), or by `ratios` of their estimates.

    The bet on the largest of the usual losses is as good as a likelihood ratio as long as its stake is its own. Where
    the largest stake that an answer allows holds it back, healthy windows take too little from it, so that luck long
    before a loss counts as its beginning; there the estimates tell more. The window that is named is the one with most
    likelihood when three quarters of each neighbour's are added to its own.

    >>> onset(np.array([[-1.0], [0.5], [-0.25], [2.0]])).row
    2
    """
    bets = _largest_bet(log_e_by_window)
    by_window = ratios if ratios is not None and are_held_back(log_e_by_window) else bets
    since = np.cumsum(by_window[::-1])[::-1]
    likelihood = np.exp(since - since.max())
    likelihood /= likelihood.sum()
    before = np.append(likelihood[:1], likelihood[:-1])  # the first window stands for those before it
    after = np.append(likelihood[1:], 0.0)
    near = likelihood + EVIDENCE.onset_neighbour * (before + after)
    row = int(len(near) - 1 - np.argmax(near[::-1]))
    likeliest = np.argsort(-likelihood, kind="stable")
    enough = int(np.searchsorted(np.cumsum(likelihood[likeliest]), EVIDENCE.onset_share)) + 1
    among = np.append(likeliest[:enough], row)
    return Onset(row, int(among.min()), int(among.max()))


def are_held_back(log_e_by_window: Floats) -> bool:
    """Whether the bets on the two largest of the usual losses are the same in most windows that bet, or none did.

    >>> are_held_back(np.array([[0.1, 0.2, 0.2], [0.1, 0.2, 0.2], [0.1, 0.2, 0.3]]))
    True
    """
    usual = _usual(log_e_by_window)
    betting = usual.any(axis=1)
    if usual.shape[1] < 2 or not betting.any():
        return not betting.any()
    return float(np.isclose(usual[betting, -1], usual[betting, -2]).mean()) > 0.5


def _largest_bet(log_e: Floats) -> Floats:
    usual = _usual(log_e)
    return usual[:, -1] if usual.shape[1] else np.zeros(len(usual))


def _usual(log_e: Floats) -> Floats:
    return log_e[:, : len(EVIDENCE.losses)]
