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
    """When a loss began: by the bets on the largest of the usual losses and the `ratios` of the windows' estimates.

    Bets say more where stakes are their own, estimates where the largest stake that an answer allows holds them back:
    the likelihood is the root of the product of both, or one of them where the other is missing. The window that is
    named is the one with most of it when three quarters of each neighbour's are added to its own.

    >>> onset(np.array([[-1.0], [0.5], [-0.25], [2.0]])).row
    2
    """
    usual = log_e_by_window[:, : len(EVIDENCE.losses)]
    known = [*([usual[:, -1]] if usual.size else []), *([] if ratios is None else [ratios])]
    by_window = np.mean(known, axis=0) if known else np.zeros(len(usual))
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
