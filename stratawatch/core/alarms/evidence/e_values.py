"""E-values of a window: how much its answers speak against each end of each limit, round by round.

Only items that no earlier window drew may bet, and only answers that were there when the window was first judged. An
e-value is about the window's own items; clusters of them need no widening.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from stratawatch.core.alarms.evidence.betting_round import BettingRound
from stratawatch.core.alarms.evidence.linear_tests import LimitTest, linear_test
from stratawatch.core.alarms.evidence.window_labels import DrawnLabel, WindowLabels
from stratawatch.core.designs.frozen import FrozenDesign


class StakeKey(NamedTuple):
    """A bet of a window: the place of its test, the number of its round (1 is the first), and the loss it assumes."""

    test: int
    ordinal: int
    loss: float


@dataclass(frozen=True)
class EValue:
    """What a round's `labels` answers say against a test, by one bet: log E at this stake (Lambda)."""

    test: int
    ordinal: int
    loss: float
    stake: float
    log_e: float
    labels: int


NO_STAKES: Final[Mapping[StakeKey, float]] = MappingProxyType({})
"""The window was not judged before."""


def window_e_values(
    design: FrozenDesign,
    rounds: Sequence[Sequence[DrawnLabel]],
    tests: Sequence[LimitTest],
    stakes: Mapping[StakeKey, float] = NO_STAKES,
    *,
    losses: Sequence[float] = (),
) -> tuple[EValue, ...]:
    """Log E of every test, round and bet; a round that cannot bet on a test has none, which is a factor of 1.

    `rounds` hold what each drew beyond the rounds before; items with `answered_before` may be there undrawn. `stakes`
    are those of an earlier judgement of this window, to be used again: no stake learns from the answers that it is on.
    `losses` take the place of the usual ones. Tests of a largest drop that differ in their limit alone share one stake,
    the smallest of theirs, so that what lies between two of them can be bounded (see `drop_evidence`).
    """
    segments = {test.segment for test in tests}
    labels = WindowLabels.of(design, rounds, segments)
    linear = [linear_test(test, design.cells, design.atoms) for test in tests]
    found: list[EValue] = []
    for ordinal in range(1, len(rounds) + 1):
        rates, planned, answered = labels.rates(ordinal), labels.planned(ordinal), labels.answered(ordinal)
        known = {segment: labels.known(ordinal, segment) for segment in segments}
        answers = {segment: labels.answers(ordinal, segment) for segment in segments}
        made = [
            BettingRound.of(one, design.cells, rates, known[test.segment], planned, answered)
            for one, test in zip(linear, tests, strict=True)
        ]
        bets = {place: bet for place, bet in enumerate(made) if bet is not None}
        for key, stake in _stakes(bets, tests, ordinal, stakes, losses).items():
            bet = bets[key.test]
            log_e = bet.log_e(stake, *answers[tests[key.test].segment])
            found.append(EValue(key.test, ordinal, key.loss, stake, log_e, bet.answers))
    return tuple(found)


def _stakes(
    bets: Mapping[int, BettingRound],
    tests: Sequence[LimitTest],
    ordinal: int,
    earlier: Mapping[StakeKey, float],
    losses: Sequence[float],
) -> dict[StakeKey, float]:
    """The stake of every bet of a round: the one that the window had before, else its own or its drop's smallest."""
    shared: dict[tuple[object, float], list[float]] = {}
    own: dict[StakeKey, float] = {}
    for place, bet in bets.items():
        again = [loss for test, at, loss in earlier if (test, at) == (place, ordinal)]
        for loss in again or losses or bet.losses:
            key = StakeKey(place, ordinal, loss)
            # Verdicts that were corrected since may allow less than was staked.
            own[key] = min(earlier[key], 1.1 * bet.largest_stake) if again else bet.stake(loss)
            shared.setdefault((_drop(tests[place], place), loss), []).append(own[key])
    return {key: min(shared[_drop(tests[key.test], key.test), key.loss]) for key in own}


def _drop(test: LimitTest, place: int) -> object:
    """What tests that share a stake have in common; those of floors and ceilings share theirs with none."""
    if test.end != "max_drop":
        return place
    return test.classifier, test.metric, test.segment, test.is_floor
