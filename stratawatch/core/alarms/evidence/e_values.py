"""E-values of a window: how much its answers speak against each end of each limit, round by round.

Only items that no earlier window drew may bet, and only answers that were there when the window was first judged. An
e-value is about the window's own items; clusters of them need no widening.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from stratawatch.core.alarms.evidence.betting_round import BettingRound
from stratawatch.core.alarms.evidence.linear_tests import LimitTest, linear_test
from stratawatch.core.alarms.evidence.stakes import stakes_of
from stratawatch.core.alarms.evidence.window_labels import DrawnLabel, WindowLabels
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.population import Floats


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


@dataclass(frozen=True)
class RoundOfBets:
    """A round of a window against each of its tests: the bet, None where it cannot be made, and the answers by cell.

    Answers are yes, no, and the ones that were withdrawn since.
    """

    ordinal: int
    bets: tuple[BettingRound | None, ...]
    answers: tuple[tuple[Floats, Floats, Floats], ...]


def rounds_of_bets(
    design: FrozenDesign, rounds: Sequence[Sequence[DrawnLabel]], tests: Sequence[LimitTest]
) -> Iterator[RoundOfBets]:
    """The rounds of a window, the first one first.

    `rounds` hold what each drew beyond the rounds before; items with `answered_before` may be there undrawn.
    """
    segments = {test.segment for test in tests}
    labels = WindowLabels.of(design, rounds, segments)
    linear = [linear_test(test, design.cells, design.atoms) for test in tests]
    for ordinal in range(1, len(rounds) + 1):
        rates, planned, answered = labels.rates(ordinal), labels.planned(ordinal), labels.answered(ordinal)
        known = {segment: labels.known(ordinal, segment) for segment in segments}
        answers = {segment: labels.answers(ordinal, segment) for segment in segments}
        yield RoundOfBets(
            ordinal,
            tuple(
                BettingRound.of(one, design.cells, rates, known[test.segment], planned, answered)
                for one, test in zip(linear, tests, strict=True)
            ),
            tuple(answers[test.segment] for test in tests),
        )


def window_e_values(
    design: FrozenDesign,
    rounds: Sequence[Sequence[DrawnLabel]],
    tests: Sequence[LimitTest],
    stakes: Mapping[StakeKey, float] = NO_STAKES,
    *,
    losses: Sequence[float] = (),
) -> tuple[EValue, ...]:
    """Log E of every test, round and bet; a round that cannot bet on a test has none, which is a factor of 1.

    `stakes` are those of an earlier judgement of this window, to be used again: no stake learns from the answers that
    it is on. `losses` take the place of the usual ones.
    """
    found: list[EValue] = []
    for one in rounds_of_bets(design, rounds, tests):
        for place, (bet, answers) in enumerate(zip(one.bets, one.answers, strict=True)):
            if bet is None:
                continue
            earlier = {loss: stake for (at, n, loss), stake in stakes.items() if (at, n) == (place, one.ordinal)}
            # Verdicts that were corrected since may allow less than was staked.
            again = {loss: min(stake, bet.furthest_stake) for loss, stake in earlier.items()}
            made = again or stakes_of(bet, losses)
            found += [
                EValue(place, one.ordinal, loss, stake, bet.log_e(stake, *answers), bet.answers)
                for loss, stake in made.items()
            ]
    return tuple(found)
