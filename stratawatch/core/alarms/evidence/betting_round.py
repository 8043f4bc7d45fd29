"""One round of labels as bets against one linear test: what an answer adds, and how much is staked on a loss.

While theta >= 0, the product over answers of 1 - Lambda x has expectation at most 1: x sums to the difference estimate
of theta, draws without replacement are no worse than with (Hoeffding 1963, Journal of the American Statistical
Association 58:13, theorem 4), and with replacement the expectation is at most (1 - Lambda theta/n)^n, by the inequality
of arithmetic and geometric means. It is exact for any number of labels and for any allocation that is older than them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratawatch.core.alarms.evidence.linear_tests import LinearTest
from stratawatch.core.cells import Cells, Flags
from stratawatch.core.history.working_model import logistic, logit
from stratawatch.core.population import Floats
from stratawatch.core.tuning import EVIDENCE


@dataclass(frozen=True)
class KnownItems:
    """Items whose truth was known before a round, by cell.

    `items` are all of them; the others count those that the test sums over, by truth: that of `withdrawn` ones has been
    taken back since.
    """

    items: Floats
    yes: Floats
    no: Floats
    withdrawn: Floats

    @classmethod
    def none(cls, cells: int) -> "KnownItems":
        """Nothing is known yet."""
        nothing = np.zeros(cells)
        return cls(nothing, nothing, nothing, nothing)


@dataclass(frozen=True)
class BettingRound:
    """A round's answers against one test: each adds x = e/n + w alpha (y - m), by its cell and its truth y.

    `expected` is e, theta as the rates m (`rates`) make expect it; `answers` is n, those of strata that the test
    touches. `weights` are w by cell, a stratum's items without a label over N n_h. `unlabelled` are the test's items
    without a label, over N; `betting` are cells with such items whose stratum has an answer; `scale` is the expected
    denominator, over N.
    """

    expected: float
    answers: int
    alpha: Floats
    rates: Floats
    weights: Floats
    unlabelled: Floats
    betting: Flags
    scale: float

    @classmethod
    def of(
        cls, test: LinearTest, cells: Cells, rates: Floats, known: KnownItems, planned: Floats, answered: Floats
    ) -> "BettingRound | None":
        """The round, where its plan lets it bet: `planned` and `answered` count first-use items by stratum.

        None where a stratum that the test touches gets no new item though it has some without a label, and where there
        is no answer. Where a planned stratum got no answer, theta is put as high as it may be there.
        """
        m, N = _held_off(rates), float(cells.sizes.sum())
        unlabelled = np.maximum(test.sizes - known.yes - known.no - known.withdrawn, 0.0)
        touched = (test.alpha != 0) & (unlabelled > 0)
        strata = np.unique(cells.strata[touched])
        answers = int(answered[strata].sum())
        scale = test.scale(m) / N if N else 0.0
        if answers == 0 or scale <= 0 or (planned[strata] == 0).any():
            return None
        left = np.maximum(cells.by_stratum(cells.sizes - known.items), 0.0)
        has_answer = (answered > 0)[cells.strata]
        best = test.alpha * np.where(test.alpha > 0, 1 - m, -m)
        total = (
            test.sizes @ test.beta
            + known.yes @ test.alpha
            + known.withdrawn @ np.maximum(test.alpha, 0.0)
            + unlabelled @ (test.alpha * m + np.where(has_answer, 0.0, best))
        )
        weights = (left / (N * np.maximum(answered, 1)))[cells.strata]
        return cls(float(total) / N, answers, test.alpha, m, weights, unlabelled / N, touched & has_answer, scale)

    @property
    def standard_error(self) -> float:
        """The expected standard error of the metric, if the rates are right."""
        return float(np.sqrt(self.variance(self.rates))) / self.scale

    @property
    def losses(self) -> tuple[float, ...]:
        """The losses that are bet on."""
        wide = self.standard_error > EVIDENCE.wide_error
        return (*EVIDENCE.losses, EVIDENCE.wide_loss) if wide else EVIDENCE.losses

    def steady_stake(self, loss: float) -> float:
        """min(d/(V + d^2/n), .9/largest x), d the loss of theta: by a normal law, and what the worst answer allows."""
        return min(self.normal_stake(loss), self.largest_stake)

    def normal_stake(self, loss: float) -> float:
        """d/(V + d^2/n), d the loss of theta and V its estimate's variance.

        V counts with rates that have moved by the loss, each in proportion to its cell's alpha.
        """
        d = loss * self.scale
        spread = float(self.unlabelled @ (self.alpha**2 * self.rates * (1 - self.rates)))
        tilt = np.clip(d / max(spread, 1e-12) * self.alpha, -EVIDENCE.widest_tilt, EVIDENCE.widest_tilt)
        after = logistic(logit(self.rates) - tilt)
        return d / (self.variance(after) + d * d / self.answers)

    @cached_property
    def largest_stake(self) -> float:
        """The stake at which the worst answer that could come leaves a tenth. It does not look which came."""
        largest = self.expected / self.answers + float(self._heaviest.max(initial=0.0))
        return EVIDENCE.part_of_largest / largest if largest > 0 else float("inf")

    @cached_property
    def furthest_stake(self) -> float:
        """The stake up to which rates can be moved so that the worst answer leaves a tenth."""
        best = (self.expected + float(self.unlabelled @ self._best)) / self.answers
        return EVIDENCE.part_of_largest / best if best > 0 else float("inf")

    def moved_for(self, stakes: Floats) -> tuple[Floats, Floats]:
        """e, and the rates by cell, that are moved so far that the worst answer leaves a tenth at each of the stakes.

        The difference estimate is unbiased for any rates, and so is x. An answer that would say most for the limit is
        expected more of the cells where it weighs most; where it does not come, it says the more against it.
        """
        if (stakes <= self.largest_stake).all():
            return np.full(stakes.shape, self.expected), np.broadcast_to(self.rates, (*stakes.shape, len(self.rates)))
        largest = EVIDENCE.part_of_largest / stakes
        at_most = np.where(stakes <= self.largest_stake, np.inf, self._heaviest_within(largest))[..., None]
        is_moved = self._heaviest > at_most
        best = np.where(is_moved, at_most / _not_0(self.weights), self._best)
        expected = self.expected + (self._best - best) @ self.unlabelled
        by_rate = np.where(self.alpha > 0, 1 - best / _not_0(self.alpha), best / _not_0(-self.alpha))
        return expected, np.where(is_moved, by_rate, self.rates)

    def factors(self, stakes: Floats) -> tuple[Floats, Floats, Floats]:
        """log(1 - Lambda x) at each of the stakes: of a yes and of a no by cell, and of an answer outside the test."""
        expected, rates = self.moved_for(stakes)
        each, stake = expected[..., None] / self.answers, stakes[..., None]
        weighted = np.where(self.betting, self.weights * self.alpha, 0.0)
        yes, no = (np.log1p(-stake * (each + weighted * (y - rates))) for y in (1.0, 0.0))
        return yes, no, np.log1p(-stakes * expected / self.answers)

    def log_factors(self, stake: float) -> tuple[Floats, Floats, float]:
        """log(1 - Lambda x) of a yes and of a no by cell, and of an answer that the test does not sum over."""
        yes, no, other = self.factors(np.array([stake]))
        return yes[0], no[0], float(other[0])

    def log_e(self, stake: float, yes: Floats, no: Floats, withdrawn: Floats | None = None) -> float:
        """Log E from the answers by cell; a withdrawn one has the smaller of its two factors."""
        on_yes, on_no, other = self.log_factors(stake)
        gone = np.zeros_like(yes) if withdrawn is None else withdrawn
        rest = self.answers - float((yes + no + gone).sum())
        return float(yes @ on_yes + no @ on_no + gone @ np.minimum(on_yes, on_no) + rest * other)

    def variance(self, rates: Floats) -> float:
        """The variance of the estimate of theta, if these are the true rates."""
        spread = self.unlabelled * self.weights * self.alpha**2 * rates * (1 - rates)
        return float(spread[self.betting].sum())

    def theta(self, rates: Floats) -> Floats:
        """Theta, if these (the last axis) are the true rates of the cells whose answers bet."""
        found: Floats = (rates - self.rates) @ np.where(self.betting, self.unlabelled * self.alpha, 0.0)
        return self.expected + found

    @cached_property
    def labels_by_cell(self) -> Floats:
        """The answers that are expected of each cell that bets."""
        return np.where(self.betting, self.unlabelled / _not_0(self.weights), 0.0)

    @cached_property
    def _best(self) -> Floats:
        """The most by which an answer of a cell says more for the limit than its rate, alpha (y - m)."""
        most = np.maximum(self.alpha * (1 - self.rates), -self.alpha * self.rates)
        return np.where(self.betting, most, 0.0)

    @cached_property
    def _heaviest(self) -> Floats:
        """The most that an answer of a cell adds to x for the limit."""
        return self.weights * self._best

    def _heaviest_within(self, largest: Floats) -> Floats:
        """The most that answers may add, c, where rates are moved so far that the largest x, e/n + c, is this.

        e grows by what the moved cells' answers add less, so that e/n + c is linear in c from one cell's most to the
        next one's.
        """
        order = np.argsort(-self._heaviest, kind="stable")
        most = np.append(self._heaviest[order], 0.0)
        added = np.cumsum((self.unlabelled * self._best)[order])
        labels = np.cumsum(self.labels_by_cell[order])
        before, moved = np.append(0.0, added), np.append(0.0, labels)
        reached = most + (self.expected + before - most * moved) / self.answers
        return np.asarray(np.interp(largest, reached[::-1], most[::-1]), dtype=np.float64)


def _not_0(values: Floats) -> Floats:
    """The values, 1 in place of those that are not above 0: they are never divided by."""
    return np.where(values > 0, values, 1.0)


def _held_off(rates: Floats) -> Floats:
    return np.clip(rates, EVIDENCE.surest_rate, 1 - EVIDENCE.surest_rate)
