"""The e-values of one window on largest drops, and on their baselines while these still grow, as rows of the store."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from stratawatch.core.alarms.evidence.drop_tests import RoundLoss, baseline_e_values, fall_e_values
from stratawatch.core.alarms.evidence.e_values import EValue
from stratawatch.core.alarms.evidence.linear_tests import LimitTest
from stratawatch.core.alarms.evidence.window_labels import DrawnLabel
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.goals import Limit
from stratawatch.core.tuning import EVIDENCE
from stratawatch.engine.baselines.current_baselines import windows_since
from stratawatch.engine.evidence.limit_ends import Sign, drop_test, grid_tests
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.evidence_records import NO_BET, EvidenceRow
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.stored_baseline import StoredBaseline

_SIGNS: Final[tuple[Sign, ...]] = (1, -1)


@dataclass(frozen=True)
class DropBets:
    """What a window bets on of one stream's drop: a fall (sign 1), or a baseline that was better (-1).

    `tests` are at the points of the baseline's grid, in order; `stakes` those of an earlier judgement. A window that
    could not bet then does not do so later (`may_bet`).
    """

    key: StreamKey
    sign: Sign
    tests: tuple[LimitTest, ...]
    stakes: Mapping[RoundLoss, float] = field(default_factory=dict)
    may_bet: bool = True

    def rows(
        self, cycle: Cycle, revision: int, design: FrozenDesign, drawn: Sequence[Sequence[DrawnLabel]]
    ) -> list[EvidenceRow]:
        """The rows of a window; where nothing could be bet on a fall, one that says so: the window counts anyway."""
        formula = fall_e_values if self.sign > 0 else baseline_e_values
        values = formula(design, drawn, self.tests, self.stakes) if self.may_bet else ()
        if not values and self.sign > 0:
            values = (EValue(0, 1, NO_BET, 0.0, 0.0, 0),)
        return [self._row(cycle, revision, value) for value in values]

    def _row(self, cycle: Cycle, revision: int, value: EValue) -> EvidenceRow:
        """One e-value as a row."""
        return EvidenceRow(
            key=self.key,
            end="max_drop",
            cycle_id=cycle.id,
            revision=revision,
            ordinal=value.ordinal,
            loss=value.loss,
            sign=self.sign,
            point=value.test,
            limit=self.tests[value.test].limit,
            stake=value.stake,
            log_e=value.log_e,
            labels=value.labels,
        )


def first_bets(
    spec: PanelSpec, cycle: Cycle, limits: Mapping[StreamKey, Limit], baselines: Mapping[StreamKey, StoredBaseline]
) -> Iterator[DropBets]:
    """What the first judgement of a window bets on: the grids of the baselines in force, where these have any.

    A baseline takes in what comes later until it rests on enough windows.
    """
    for key, limit in limits.items():
        drop, baseline = drop_test(key, limit), baselines.get(key)
        if drop is None or baseline is None or baseline.grid is None:
            continue
        yield DropBets(key, 1, grid_tests(drop, baseline.grid.points, 1))
        if baseline.grid.windows + windows_since(spec, cycle, baseline) <= EVIDENCE.baseline_windows:
            yield DropBets(key, -1, grid_tests(drop, baseline.grid.points, -1))


def bets_again(limits: Mapping[StreamKey, Limit], before: Sequence[EvidenceRow]) -> Iterator[DropBets]:
    """What a window bet on at its earlier judgement, whose rows are `before`: the same tests with the same stakes."""
    for key, limit in limits.items():
        drop = drop_test(key, limit)
        for sign in _SIGNS if drop else ():
            rows = [row for row in before if (row.key, row.end, row.sign) == (key, "max_drop", sign)]
            if drop and rows:
                limit_at = {row.point: row.limit for row in rows}
                tests = [
                    replace(test, limit=limit_at[point]) for point, test in enumerate(grid_tests(drop, limit_at, sign))
                ]
                stakes = {(row.ordinal, row.loss): row.stake for row in rows if row.loss != NO_BET}
                yield DropBets(key, sign, tuple(tests), stakes, may_bet=bool(stakes))
