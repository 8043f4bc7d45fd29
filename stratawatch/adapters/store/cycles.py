"""Cycles: opening, frozen facts, failures, and the log of moves."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Row, select, update

from stratawatch.adapters.store import transitions
from stratawatch.adapters.store.frozen_cycle import SqlFrozenFacts
from stratawatch.adapters.store.json_codec import as_document, from_document
from stratawatch.adapters.store.known_ids import unknown_id
from stratawatch.adapters.store.quarantine import SqlQuarantine
from stratawatch.adapters.store.record_rows import record_of
from stratawatch.adapters.store.tables import IS_PRESENT, cycles
from stratawatch.adapters.store.upserts import upsert
from stratawatch.core.goals import Focus
from stratawatch.core.history.variance_priors import VariancePrior
from stratawatch.engine.model.cycle_facts import Cycle, FrozenCycle, Transition
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import Window
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.errors import StaleState, StratawatchError


def cycle_of(row: Row[Any]) -> Cycle:
    """A row of the table as a record."""
    return record_of(
        Cycle,
        row,
        panel_version=row.version_id,
        window=Window(row.window_start, row.window_end),
        profile=from_document(InputProfile, row.profile) if row.profile else None,
        focus=Focus(**row.focus) if row.focus else None,
        variance_priors=tuple(VariancePrior(**prior) for prior in row.variance_priors or ()),
    )


class SqlCycles(SqlFrozenFacts, SqlQuarantine):
    """The repository of cycles, their frozen facts and their transitions."""

    def open(self, panel: str, version: int, period: int, window: Window, at: datetime) -> int | None:
        """Open a window once; None when (panel, period) is there already.

        Every unique index may find the conflict: of two that open the same window at once, PostgreSQL would let one
        pass a named index and stumble over the other.
        """
        statement = upsert(self._sql, cycles).on_conflict_do_nothing().returning(cycles.c.id)
        row = {
            "panel": panel,
            "version_id": version,
            "period": period,
            "window_start": window.start,
            "window_end": window.end,
            "state": str(CycleState.OPEN),
            "opened_at": at,
            "profile": {},
            "source_version": {},
        }
        opened: int | None = self._sql.scalar(statement, row)
        there = select(cycles.c.id).where(cycles.c.panel == panel, cycles.c.period == period)
        if opened is None and self._sql.scalar(there) is None:
            raise StaleState(f"panel '{panel}' has a cycle for window {window} under another period")
        return opened

    def get(self, cycle_id: int) -> Cycle:
        """One cycle."""
        row = self._sql.execute(select(cycles).where(cycles.c.id == cycle_id)).one_or_none()
        if row is None:
            raise unknown_id(self._sql, cycles.c.id, "cycle", cycle_id, "`stratawatch cycles` lists those there are")
        return cycle_of(row)

    def find(
        self,
        *,
        panel: str | None = None,
        states: Sequence[CycleState] | None = None,
        before: int | None = None,
        newest: int | None = None,
        replaced: bool = False,
    ) -> tuple[Cycle, ...]:
        """Cycles, oldest window first; `before` a period, and with `newest`, only the last so many.

        Those that were replaced are left out; with `replaced`, the others are.
        """
        query = select(cycles).where(~IS_PRESENT if replaced else IS_PRESENT)
        if panel is not None and not replaced:  # its windows never change their rule, and its periods have an index
            query = query.order_by(cycles.c.period.desc()).limit(newest)
        else:
            query = query.order_by(cycles.c.window_start.desc(), cycles.c.id.desc()).limit(newest)
        if panel is not None:
            query = query.where(cycles.c.panel == panel)
        if states is not None:
            query = query.where(cycles.c.state.in_([str(state) for state in states]))
        if before is not None:
            query = query.where(cycles.c.period < before)
        return tuple(cycle_of(row) for row in reversed(self._sql.execute(query).all()))

    def replace(self, cycle_id: int, why: str) -> None:
        """Free a judged cycle's window for another cycle; a replaced one has its negative id for a period."""
        self._set(cycle_id, period=-cycle_id, reason=why)

    def earlier_runs(self, cycle: Cycle) -> tuple[Cycle, ...]:
        """The cycles of the same window that this one replaced, oldest first."""
        replaced = self.find(panel=cycle.panel, replaced=True)
        return tuple(one for one in replaced if one.window.start == cycle.window.start and one.id < cycle.id)

    def is_backfilled(self, cycle: Cycle) -> bool:
        """Whether a later window of the panel was opened before this one, or by a cycle that was replaced since."""
        later = (cycles.c.period > cycle.period) | (~IS_PRESENT & (cycles.c.window_start > cycle.window.start))
        before = (cycles.c.panel == cycle.panel) & (cycles.c.id < cycle.id)
        return self._sql.scalar(select(cycles.c.id).where(before, later).limit(1)) is not None

    def freeze(self, cycle_id: int, frozen: FrozenCycle, deadline_at: datetime) -> None:
        """Keep the frozen facts, once. Does not move the state."""
        self._write_frozen(cycle_id, frozen)
        self._set(
            cycle_id,
            deadline_at=deadline_at,
            docs=frozen.docs,
            profile=as_document(frozen.profile),
            source_version=frozen.source_version,
            focus=None if frozen.focus is None else asdict(frozen.focus),
            variance_priors=[asdict(prior) for prior in frozen.variance_priors] or None,
        )
        self.quarantine(cycle_id, frozen.bad_rows, self.get(cycle_id).opened_at)

    def explain(
        self, cycle_id: int, *, reason: str, docs: str | None = None, profile: InputProfile | None = None
    ) -> None:
        """Keep why a cycle was refused, expired or cancelled; what is there already stays without anything new."""
        new: dict[str, Any] = {} if docs is None else {"docs": docs}
        if profile is not None:
            new["profile"] = as_document(profile)
        self._set(cycle_id, reason=reason, **new)

    def unfreeze(self, cycle_id: int, version: int | None = None) -> None:
        """Forget what a refused cycle kept, before it is reopened, if need be under another version of its panel."""
        state = self.get(cycle_id).state
        if state not in (CycleState.REFUSED, CycleState.OPEN):
            raise StaleState(f"cycle {cycle_id} cannot be read anew", expected="state refused", got=f"state {state}")
        renewed: dict[str, Any] = {} if version is None else {"version_id": version}
        forgotten: dict[str, Any] = {"docs": None, "profile": {}, "focus": None, "variance_priors": None}
        self._set(cycle_id, reason="", failures=0, last_error="", **forgotten, **renewed)
        self._forget_quarantined(cycle_id)

    def count_failure(self, cycle_id: int, message: str) -> int:
        """Count a failed attempt and keep its message; returns the number of attempts in a row."""
        self._set(cycle_id, failures=cycles.c.failures + 1, last_error=message)
        return self.get(cycle_id).failures

    def transitions(
        self,
        entity: Entity | None = None,
        entity_id: int | None = None,
        *,
        after: int = 0,
        since: datetime | None = None,
    ) -> tuple[Transition, ...]:
        """The transition log, oldest first: all of it, what came `after` a number of `newest_transition`, or `since`.

        Numbers are given out before the commit: a line with a lower one may appear after a higher one was read.
        """
        return transitions.logged_transitions(self._sql, entity, entity_id, after, since)

    def newest_transition(self) -> int:
        """The number of the newest line of the transition log; 0 when there is none."""
        return transitions.newest_transition(self._sql)

    def _set(self, cycle_id: int, **values: Any) -> None:
        changed = self._sql.execute(update(cycles).where(cycles.c.id == cycle_id).values(**values))
        if changed.rowcount != 1:
            raise StratawatchError(f"there is no cycle {cycle_id}")
