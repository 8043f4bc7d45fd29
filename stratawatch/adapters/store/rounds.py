"""Rounds and draws; their batches are next door."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select, update

from stratawatch.adapters.store.batches import SqlBatches
from stratawatch.adapters.store.json_codec import plan_document, plan_from
from stratawatch.adapters.store.label_inbox import lock_ledger, move_drawn
from stratawatch.adapters.store.record_rows import record_of, records_of, row_of
from stratawatch.adapters.store.tables import cycles, draws, rounds
from stratawatch.adapters.store.upserts import duplicate_as_stale, in_parts, insert_all
from stratawatch.core.plan import Plan
from stratawatch.engine.model.cycle_facts import DrawnItem, Round
from stratawatch.engine.model.evidence_records import FixedBets
from stratawatch.engine.model.label_events import NewBatch
from stratawatch.engine.model.states import RoundState
from stratawatch.errors import StratawatchError


class SqlRounds(SqlBatches):
    """The repository of rounds, drawn items and batches."""

    def add(
        self, cycle_id: int, plan: Plan, draws: Sequence[DrawnItem], batches: Sequence[NewBatch], at: datetime
    ) -> int:
        """Keep a planned round with its draws and its outbox rows; its ordinal is the next of its cycle, from 1.

        Labels that were waiting for these items join the ledger.
        """
        lock_ledger(self._sql)
        last = select(func.coalesce(func.max(rounds.c.ordinal), 0)).where(rounds.c.cycle_id == cycle_id)
        statement = rounds.insert().returning(rounds.c.id)
        row = {
            "cycle_id": cycle_id,
            "ordinal": int(self._sql.scalar(last) or 0) + 1,
            "state": str(RoundState.PLANNED),
            "plan": plan_document(plan),
            "planned_at": at,
        }
        with duplicate_as_stale(f"cycle {cycle_id} got a round from someone else meanwhile"):
            round_id = int(self._sql.execute(statement, row).scalar_one())
            insert_all(self._sql, _draws, [row_of(one, _draws, cycle_id=cycle_id, round_id=round_id) for one in draws])
            self.add_batches(round_id, batches)
        move_drawn(self._sql, round_id)
        return round_id

    def get(self, round_id: int) -> Round:
        """One round."""
        found = self._rounds(select(rounds).where(rounds.c.id == round_id))
        if not found:
            raise StratawatchError(f"there is no round {round_id}")
        return found[0]

    def of(self, cycle_id: int) -> tuple[Round, ...]:
        """A cycle's rounds, in order."""
        return self._rounds(select(rounds).where(rounds.c.cycle_id == cycle_id).order_by(rounds.c.ordinal))

    def draws(self, cycle_id: int, round_id: int | None = None) -> tuple[DrawnItem, ...]:
        """What was drawn, in the whole cycle or in one round, by atom and digest."""
        query = select(draws).where(draws.c.cycle_id == cycle_id)
        if round_id is not None:
            query = query.where(draws.c.round_id == round_id)
        drawn = records_of(DrawnItem, self._sql.execute(query))
        return tuple(sorted(drawn, key=lambda draw: (draw.atom, draw.digest, draw.item)))

    def keys_drawn(self, item_keys: Sequence[str], question_key: str) -> frozenset[str]:
        """Those of the keys under which an item was ever drawn for this question. Any number of keys."""
        query = select(draws.c.item_key).where(draws.c.question_key == question_key).distinct()
        parts = (query.where(draws.c.item_key.in_(part)) for part in in_parts(item_keys))
        return frozenset(key for part in parts for key in self._sql.scalars(part))

    def drawn_in_earlier_windows(self, cycle_id: int, item_keys: Collection[str]) -> frozenset[str]:
        """Those of the keys that a cycle of an earlier window of the panel drew, one that was replaced too."""
        this = self._sql.execute(select(cycles.c.panel, cycles.c.window_start).where(cycles.c.id == cycle_id)).one()
        earlier = (cycles.c.panel == this.panel) & (cycles.c.window_start < this.window_start)
        query = select(draws.c.item_key).join(cycles, cycles.c.id == draws.c.cycle_id).where(earlier).distinct()
        parts = (query.where(draws.c.item_key.in_(part)) for part in in_parts(item_keys))
        return frozenset(key for part in parts for key in self._sql.scalars(part))

    def fix_bets(self, cycle_id: int, bets: FixedBets) -> None:
        """Keep of draws whether they are first uses and whether their labels bet; what was kept before stays."""
        keys_by_facts = defaultdict(list)
        for key, facts in bets.items():
            keys_by_facts[facts].append(key)
        open_ = update(draws).where(draws.c.cycle_id == cycle_id, draws.c.bets.is_(None))
        for (first_use, bet), keys in keys_by_facts.items():
            for part in in_parts(keys):
                self._sql.execute(open_.where(draws.c.item_key.in_(part)).values(first_use=first_use, bets=bet))

    def ever_drawn(self, panel: str) -> tuple[tuple[str, datetime], ...]:
        """Every item ever drawn for a panel with the first time it was, by item id."""
        query = (
            select(draws.c.item, func.min(rounds.c.planned_at).label("first"))
            .join_from(draws, rounds, draws.c.round_id == rounds.c.id)
            .join(cycles, cycles.c.id == draws.c.cycle_id)
            .where(cycles.c.panel == panel)
            .group_by(draws.c.item)  # an item that was asked two questions has two keys
        )
        return tuple(sorted((row.item, row.first) for row in self._sql.execute(query)))

    def _rounds(self, query: Select[Any]) -> tuple[Round, ...]:
        return tuple(record_of(Round, row, plan=plan_from(row.plan)) for row in self._sql.execute(query))


_draws = draws  # inside `add` the word is taken by what was drawn
