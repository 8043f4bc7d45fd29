"""A largest drop as tests: for each value that the baseline may have had, a bet that it was more, and one on the fall.

Which value it had is not known, so both are asked at the points of a grid. At all of them a round has the same stake:
1 - Lambda x is then linear in the point for every answer, log E is concave in it, and lies between two points on or
above the straight line between theirs. So a few points are enough.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import erf, sqrt
from types import MappingProxyType
from typing import Final

import numpy as np

from stratawatch.core.alarms.evidence.betting_round import BettingRound
from stratawatch.core.alarms.evidence.e_values import EValue, rounds_of_bets
from stratawatch.core.alarms.evidence.linear_tests import LimitTest, linear_test
from stratawatch.core.alarms.evidence.window_labels import DrawnLabel
from stratawatch.core.baselines.baseline_evidence import BaselineShare, TwoSampleBaseline
from stratawatch.core.cells import Cells
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Atom, Floats, Segment
from stratawatch.core.tuning import EVIDENCE

_EDGE: Final = 1e-6
"""How far points are held off 0 and 1, where a side drops out of some tests."""

RoundLoss = tuple[int, float]
"""Which stake it is: the number of the round, and the loss that it assumes."""
NO_STAKES: Final[Mapping[RoundLoss, float]] = MappingProxyType({})


@dataclass(frozen=True)
class DropTest:
    """A metric of a classifier and how much worse than its baseline it may be."""

    classifier: str
    metric: str
    segment: Segment | None
    max_drop: float

    @property
    def _is_floor(self) -> bool:
        return not metric_named(self.metric).lower_is_better

    def falls_to(self, point: float) -> LimitTest:
        """Whether the metric is no worse than is allowed, if its baseline is this."""
        limit = point - self.max_drop if self._is_floor else point + self.max_drop
        return LimitTest(self.classifier, self.metric, self.segment, "max_drop", limit, self._is_floor)

    def was_better_than(self, point: float) -> LimitTest:
        """Whether the baseline is no better than this: evidence against it is evidence of a better one."""
        return LimitTest(self.classifier, self.metric, self.segment, "max_drop", point, not self._is_floor)


def drop_points(baseline: BaselineShare | TwoSampleBaseline) -> tuple[float, ...]:
    """The values that a baseline may have had: its interval at so high a confidence that none lies outside.

    >>> [round(point, 3) for point in drop_points(BaselineShare(0.8, 400))][::4]
    [0.658, 0.775, 0.893]
    """
    interval = baseline.interval_at(erf(EVIDENCE.grid_reach / sqrt(2)))
    low, high = max(interval.low, _EDGE), min(interval.high, 1 - _EDGE)
    return tuple(np.linspace(low, high, EVIDENCE.grid_points).tolist())


def fall_e_values(
    design: FrozenDesign,
    rounds: Sequence[Sequence[DrawnLabel]],
    tests: Sequence[LimitTest],
    stakes: Mapping[RoundLoss, float] = NO_STAKES,
) -> tuple[EValue, ...]:
    """Log E of a window at the points of a grid (`DropTest.falls_to`, in order), by test, round and loss.

    `stakes` are those of an earlier judgement.
    """
    return _e_values(design, rounds, tests, (), (), stakes)


def baseline_e_values(
    design: FrozenDesign,
    rounds: Sequence[Sequence[DrawnLabel]],
    tests: Sequence[LimitTest],
    stakes: Mapping[RoundLoss, float] = NO_STAKES,
) -> tuple[EValue, ...]:
    """Log B of a window at the points of a grid (`DropTest.was_better_than`, in order), by test, round and loss.

    The stakes do not look at the points, which these labels may have led to.
    """
    return _e_values(design, rounds, tests, baseline_ends(tests[0]), EVIDENCE.baseline_losses, stakes)


def baseline_ends(test: LimitTest) -> tuple[LimitTest, LimitTest]:
    """The test at the least and the largest value that any baseline may have."""
    return replace(test, limit=_EDGE), replace(test, limit=1 - _EDGE)


def share_log_b(metric: str, share: BaselineShare, points: Sequence[float]) -> Floats:
    """Log B (losses x points) of labels that were drawn at random, so many of which counted for the metric.

    Each adds 1 + Lambda (y - point), its sign turned where low is good; stakes and losses as in windows, with the
    variance that is largest for a share.
    """
    sign = -1.0 if metric_named(metric).lower_is_better else 1.0
    hits, misses = round(share.value * share.n), share.n - round(share.value * share.n)
    at, losses = np.asarray(points), np.asarray(EVIDENCE.baseline_losses)[:, None]
    stake = np.minimum(losses / (0.25 + losses**2), EVIDENCE.part_of_largest) * sign
    return np.asarray(hits * np.log1p(stake * (1 - at)) + misses * np.log1p(-stake * at))


def _e_values(
    design: FrozenDesign,
    rounds: Sequence[Sequence[DrawnLabel]],
    tests: Sequence[LimitTest],
    ends: Sequence[LimitTest],
    losses: Sequence[float],
    earlier: Mapping[RoundLoss, float],
) -> tuple[EValue, ...]:
    """Every round bets at all points with one stake, or at none.

    It is at most what the worst answer allows at every test and at the `ends`: as x is linear in the point, the
    outermost allow it in between.
    """
    found: list[EValue] = []
    for one in rounds_of_bets(design, rounds, [*tests, *ends]):
        bets = [bet for bet in one.bets if bet is not None]
        if len(bets) < len(one.bets):
            continue
        again = {loss: stake for (ordinal, loss), stake in earlier.items() if ordinal == one.ordinal}
        most = min(bet.largest_stake for bet in bets)
        made = {loss: min(stake, most) for loss, stake in again.items()}
        found += [
            EValue(place, one.ordinal, loss, stake, bets[place].log_e(stake, *one.answers[place]), bets[place].answers)
            for loss, stake in (made or shared_stakes(bets, tests[0], design.cells, design.atoms, losses)).items()
            for place in range(len(tests))
        ]
    return tuple(found)


def shared_stakes(
    bets: Sequence[BettingRound], test: LimitTest, cells: Cells, atoms: Sequence[Atom], losses: Sequence[float] = ()
) -> dict[float, float]:
    """The stakes of a round at all points: the usual ones at the limit where its rates put the metric, or less.

    The rates are older than its labels, and so are the stakes. `test` is that of the first bet. A stake is at most what
    every bet allows; without `losses` they are the usual ones.
    """
    linear, first = linear_test(test, cells, atoms), bets[0]
    distance = float(linear.sizes @ (linear.alpha * first.rates + linear.beta)) / linear.scale(first.rates)
    value = test.limit + (distance if test.is_floor else -distance)
    expected = replace(test, limit=min(max(value, _EDGE), 1 - _EDGE))
    usual = replace(first, alpha=linear_test(expected, cells, atoms).alpha)
    largest = min(bet.largest_stake for bet in bets)
    # Stakes that grow most (see `stakes`) page slow falls sooner here, and large ones later.
    return {loss: min(usual.normal_stake(loss), largest) for loss in losses or usual.losses}
