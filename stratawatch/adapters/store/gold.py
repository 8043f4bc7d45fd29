"""Gold items and the keys under which rounds asked for them."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, func, select

from stratawatch.adapters.store.gold_tables import gold_asks, gold_items
from stratawatch.adapters.store.label_inbox import move_to_ledger
from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.tables import cycles, rounds
from stratawatch.adapters.store.upserts import in_parts, insert_all, upsert
from stratawatch.engine.model.gold import GoldAsk, GoldItem


class SqlGold:
    """The repository of gold items."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def keep(self, panel: str, question_key: str, items: Sequence[GoldItem], at: datetime) -> int:
        """Keep gold items; one that is there is replaced. Returns how many are new or changed."""
        before = {one.item: one for one in self.items(panel, question_key)}
        changed = {one.item: one for one in items if before.get(one.item) != one}
        rows = [row_of(one, gold_items, panel=panel, question_key=question_key, kept_at=at) for one in changed.values()]
        if rows:
            statement = upsert(self._sql, gold_items)
            new = {name: statement.excluded[name] for name in ("truth", "payload", "kept_at")}
            keys = ["panel", "question_key", "item"]
            self._sql.execute(statement.on_conflict_do_update(index_elements=keys, set_=new), rows)
        return len(rows)

    def remove(self, panel: str, question_key: str, items: Sequence[str]) -> int:
        """Let items be gold no more; what they were asked under stays."""
        of = _of(panel, question_key)
        parts = (delete(gold_items).where(of, gold_items.c.item.in_(part)) for part in in_parts(items))
        return sum(self._sql.execute(part).rowcount for part in parts)

    def items(self, panel: str, question_key: str) -> tuple[GoldItem, ...]:
        """The gold items of a question, by id."""
        query = select(gold_items).where(_of(panel, question_key)).order_by(gold_items.c.item)
        return tuple(record_of(GoldItem, row) for row in self._sql.execute(query))

    def times_asked(self, panel: str, question_key: str) -> Mapping[str, int]:
        """How often each gold item was asked for."""
        t = gold_asks.c
        which = (t.panel == panel) & (t.question_key == question_key)
        query = select(t.item, func.count().label("times")).where(which).group_by(t.item)
        return {row.item: row.times for row in self._sql.execute(query)}

    def ask(self, panel: str, round_id: int, question_key: str, asks: Sequence[GoldAsk]) -> None:
        """Keep under which keys a round asks for gold items. Labels that waited for these keys join the ledger."""
        others = {"panel": panel, "round_id": round_id, "question_key": question_key}
        insert_all(self._sql, gold_asks, [row_of(one, gold_asks, **others) for one in asks])
        move_to_ledger(self._sql, gold_asks, round_id)

    def keys_of_round(self, round_id: int) -> frozenset[str]:
        """The keys under which a round asks for gold items."""
        return frozenset(self._sql.scalars(select(gold_asks.c.item_key).where(gold_asks.c.round_id == round_id)))

    def asked(self, panel: str, question_key: str, before: datetime) -> tuple[GoldAsk, ...]:
        """What was asked for windows that begin before a moment, with today's truth of each; oldest first."""
        t = gold_asks.c
        kept = (gold_items.c.panel == t.panel) & (gold_items.c.question_key == t.question_key)
        query = (
            select(t.item, t.item_key, gold_items.c.truth)
            .join_from(gold_asks, gold_items, kept & (gold_items.c.item == t.item))
            .join(rounds, rounds.c.id == t.round_id)
            .join(cycles, cycles.c.id == rounds.c.cycle_id)
            .where(t.panel == panel, t.question_key == question_key, cycles.c.window_start < before)
            .order_by(t.round_id, t.item)
        )
        return tuple(record_of(GoldAsk, row) for row in self._sql.execute(query))


def _of(panel: str, question_key: str) -> ColumnElement[bool]:
    return (gold_items.c.panel == panel) & (gold_items.c.question_key == question_key)
