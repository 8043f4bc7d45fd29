"""In how many windows a loss would be paged with the labels of a plan, on average: an expectation, not a promise."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, sqrt
from typing import Final

import numpy as np

from stratawatch.core.alarms.evidence.betting_round import BettingRound, KnownItems
from stratawatch.core.alarms.evidence.linear_tests import LimitTest, LinearTest, linear_test, rates_moved_to
from stratawatch.core.alarms.evidence.stakes import stakes_of
from stratawatch.core.cells import Cells
from stratawatch.core.population import Atom, Counts, Floats

MOST: Final = 104
"""Windows after which a loss counts as never paged: two years of weeks."""
CALM: Final = 10
"""Windows before the loss, as labels so far expect them: evidence is rarely at nothing when a loss begins."""
SHOWN_BY_CALLS: Final = 0.75
"""The part of a loss that who is called is taken to show before any label: of some losses all, of others nothing."""
_RUNS: Final = 2000


@dataclass(frozen=True)
class PageRule:
    """When a panel pages: evidence of `threshold`, or one window's interval at `z` standard errors beyond the limit."""

    threshold: float
    z: float


@dataclass(frozen=True)
class PlannedWindow:
    """A window as it is planned: its cells, the rates that are expected, and the new labels of every stratum."""

    cells: Cells
    atoms: tuple[Atom, ...]
    rates: Floats
    totals: Counts


def windows_to_page(
    planned: PlannedWindow, test: LimitTest, loss: float, rule: PageRule, rng: np.random.Generator
) -> float | None:
    """Mean windows, the paging one counted, until a metric that fell to `loss` beyond its limit is paged.

    Windows are alike and their labels new; before the loss the metric is where it is expected. The log e-values of a
    window's bets are drawn from the normal distribution that has the mean and the covariance of sums of its labels.
    None where the plan cannot bet on the test, or where the mean is above `MOST`.
    """
    linear = linear_test(test, planned.cells, planned.atoms)
    bet = _bet(planned, linear, planned.rates)
    if bet is None:
        return None
    after, by_calls = (rates_after(linear, planned.cells, planned.rates, part * loss) for part in (1.0, SHOWN_BY_CALLS))
    before, then = (
        NormalLaw.of(*moments_of_log_e(one, list(stakes_of(one, bet.losses).values()), planned, rates))
        for one, rates in ((bet, planned.rates), (_bet(planned, linear, by_calls) or bet, after))
    )
    sigma = bet.standard_error
    alone = 0.5 * (1 + erf((loss / sigma - rule.z) / sqrt(2))) if sigma > 0 else 1.0
    windows = _simulated(before, then, alone, rule.threshold, rng)
    return None if windows >= MOST else windows


def _bet(planned: PlannedWindow, linear: LinearTest, rates: Floats) -> BettingRound | None:
    """The planned labels as bets, by these expected rates."""
    totals, nothing = planned.totals.astype(np.float64), KnownItems.none(len(planned.cells.sizes))
    return BettingRound.of(linear, planned.cells, rates, nothing, totals, totals)


def rates_after(linear: LinearTest, cells: Cells, rates: Floats, loss: float) -> Floats:
    """Rates that have moved, each by its logit in proportion to its alpha, so far that theta is -loss x Den."""
    items = max(float(cells.sizes.sum()), 1.0)

    def beyond(moved: Floats) -> Floats:
        denominator = (linear.yes_scale * moved + linear.no_scale * (1 - moved)) @ linear.sizes
        return ((linear.alpha * moved + linear.beta) @ linear.sizes + loss * denominator) / items

    return rates_moved_to(np.array(0.0), rates, linear.alpha, beyond)


def moments_of_log_e(
    bets: BettingRound | Sequence[BettingRound], stakes: Sequence[float], planned: PlannedWindow, after: Floats
) -> tuple[Floats, Floats]:
    """Mean and covariance of a window's log e, by stake, and in each of them by round where there are several.

    They are those of sums of its labels: independent, alike in each stratum. Rounds look at the same strata.
    """
    rounds = [bets] if isinstance(bets, BettingRound) else bets
    cells, bet = planned.cells, rounds[0]
    share = cells.sizes / np.maximum(cells.stratum_sizes, 1)[cells.strata]
    labels = planned.totals.astype(np.float64)
    factors = [one.log_factors(stake) for stake in stakes for one in rounds]
    touched = bet.betting | (bet.alpha != 0)
    yes, no = (
        np.stack([np.where(touched, found[place], found[2]) for found in factors]) for place in (0, 1)
    )  # bets x cells
    counted = np.zeros(cells.stratum_count)
    counted[np.unique(cells.strata[touched])] = 1.0
    n = labels * counted
    first = cells.by_stratum(share * (after * yes + (1 - after) * no))
    mean = first @ n
    weights = share * n[cells.strata]
    second = (yes * weights * after) @ yes.T + (no * weights * (1 - after)) @ no.T
    return mean, second - (first * n) @ first.T


@dataclass(frozen=True)
class NormalLaw:
    """The normal law of a window's log e, by stake, and in each of them by round where there are several."""

    mean: Floats
    root: Floats

    @classmethod
    def of(cls, mean: Floats, covariance: Floats) -> "NormalLaw":
        """The law with these moments."""
        values, vectors = np.linalg.eigh(covariance)
        return cls(mean, vectors * np.sqrt(np.maximum(values, 0.0)))

    def at(self, normals: Floats) -> Floats:
        """The windows that standard normal numbers become, a column each."""
        return np.asarray(self.mean[:, None] + self.root @ normals)


def _simulated(before: NormalLaw, after: NormalLaw, alone: float, threshold: float, rng: np.random.Generator) -> float:
    """Mean windows until the evidence of one end reaches the threshold, or a window is outside by itself."""
    evidence = np.full((len(before.mean), _RUNS), -np.inf)  # of the runs without a page so far
    windows, enough = 0, np.log(threshold)
    for window in range(-CALM, MOST):
        law = before if window < 0 else after
        evidence = np.logaddexp(evidence, 0.0) + law.at(rng.standard_normal(evidence.shape))
        pages = np.logaddexp.reduce(evidence, axis=0) - np.log(len(evidence)) >= enough
        if window < 0:
            evidence[:, pages] = -np.inf
            continue
        windows += evidence.shape[1]
        evidence = evidence[:, ~pages & (rng.random(len(pages)) >= alone)]
        if not evidence.size:
            break
    return windows / _RUNS
