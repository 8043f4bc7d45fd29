"""What is kept about one item, and its erasure: payload goes, the id becomes a name that says nothing, numbers stay."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, delete, select, update
from sqlalchemy.sql import ColumnExpressionArgument

from stratawatch.adapters.store.gold_tables import gold_asks, gold_items
from stratawatch.adapters.store.json_codec import dumps
from stratawatch.adapters.store.tables import (
    batches,
    candidates,
    cycles,
    draws,
    label_events,
    label_inbox,
    quarantine,
    rounds,
)
from stratawatch.adapters.store.truth_tables import truth_statements
from stratawatch.engine.model.erasure import Erased, name_of_erased
from stratawatch.engine.model.states import BatchState

_ASKED: Final = frozenset({BatchState.PLANNED, BatchState.SENT, BatchState.FAILED})
"""The states of batches that people are asked about, or will be."""


class SqlErasures:
    """The repository of what is kept about one item. `keys` are its names towards the queue."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def items(self, panel: str, before: datetime) -> frozenset[str]:
        """The ids that are kept of a panel, of cycles that were opened by a moment."""
        of = _cycles(panel, before)
        queries = (
            select(candidates.c.item).where(candidates.c.cycle_id.in_(of)),
            select(quarantine.c.key).where(quarantine.c.cycle_id.in_(of), quarantine.c.kind == "prediction"),
            select(truth_statements.c.item).where(*_said(panel, before)),
            select(gold_items.c.item).where(gold_items.c.panel == panel, gold_items.c.kept_at <= before),
            select(gold_asks.c.item).where(gold_asks.c.panel == panel),
        )
        return frozenset(item for query in queries for item in self._sql.scalars(query.distinct()))

    def keys_drawn(self, panel: str, item: str) -> frozenset[str]:
        """The keys under which an item was drawn, erased or not."""
        names = {item, name_of_erased(item)}
        drawn = select(draws.c.item_key).where(draws.c.cycle_id.in_(_cycles(panel)), draws.c.item.in_(names))
        gold = select(gold_asks.c.item_key).where(gold_asks.c.panel == panel, gold_asks.c.item.in_(names))
        return frozenset(key for query in (drawn, gold) for key in self._sql.scalars(query))

    def about(self, panel: str, item: str, keys: Collection[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Everything that is kept about an item, erased or not, as rows by what they are."""
        of, names = _cycles(panel), {item, name_of_erased(item)}
        queries = {
            "candidates": select(candidates).where(candidates.c.cycle_id.in_(of), candidates.c.item.in_(names)),
            "draws": select(draws).where(draws.c.cycle_id.in_(of), draws.c.item.in_(names)),
            "gold": select(gold_items).where(gold_items.c.panel == panel, gold_items.c.item.in_(names)),
            "gold_asked": select(gold_asks).where(gold_asks.c.panel == panel, gold_asks.c.item.in_(names)),
            "labels": select(label_events).where(label_events.c.item_key.in_(keys)).order_by(label_events.c.id),
            "waiting": select(label_inbox).where(label_inbox.c.item_key.in_(keys)).order_by(label_inbox.c.id),
            "truth": select(truth_statements).where(
                truth_statements.c.panel == panel, truth_statements.c.item.in_(names)
            ),
        }
        found = {name: [dict(row) for row in self._sql.execute(query).mappings()] for name, query in queries.items()}
        asked = [
            {"key": row.key, "state": row.state, "question": row.question, "item_key": key, "payload": payload}
            for row in self._sql.execute(_batches(of, keys))
            for key, payload in row.tasks
            if key in keys
        ]
        aside = [dict(row) for row in self._set_aside(of, item, keys)]
        return {**found, "batches": asked, "set_aside": aside}

    def erase(self, panel: str, item: str, keys: Collection[str], before: datetime) -> Erased:
        """Erase an item from what came by a moment. Its random number, weight and answers stay; once more: nothing."""
        if self._sql.dialect.name == "sqlite":
            self._sql.exec_driver_sql("PRAGMA secure_delete = ON")  # nor does it stay in free pages of the file
        of, named = _cycles(panel, before), {"item": name_of_erased(item)}
        self._rename_clusters(of, item)
        rows = (candidates.c.cycle_id.in_(of), candidates.c.item == item)
        counts = {
            "candidates": self._changed(update(candidates).where(*rows).values(**named, payload={})),
            "draws": self._changed(update(draws).where(draws.c.cycle_id.in_(of), draws.c.item == item).values(**named)),
            "gold items": self._forget_gold(panel, item, before),
            "waiting labels": self._changed(delete(label_inbox).where(label_inbox.c.item_key.in_(keys))),
            "statements of truth": self._changed(
                update(truth_statements).where(*_said(panel, before), truth_statements.c.item == item).values(**named)
            ),
            "rows set aside": self._forget_set_aside(of, item, keys),
        }
        asked = self._forget_tasks(of, keys)
        counts["tasks"] = sum(map(len, asked.values()))
        return Erased(counts, asked)

    def _changed(self, statement: Any) -> int:
        return int(self._sql.execute(statement).rowcount)

    def _forget_gold(self, panel: str, item: str, before: datetime) -> int:
        """Let an item be gold no more, and rename it where it was asked for."""
        asks = (gold_asks.c.panel == panel, gold_asks.c.item == item)
        self._sql.execute(update(gold_asks).where(*asks).values(item=name_of_erased(item)))
        t = gold_items.c
        return self._changed(delete(gold_items).where(t.panel == panel, t.item == item, t.kept_at <= before))

    def _rename_clusters(self, of: Select[Any], item: str) -> None:
        """Rename the clusters of an item for all that lie in them: who is together stays together."""
        c = candidates.c
        where = (c.cycle_id.in_(of), c.item == item, c.cluster.is_not(None))
        for cycle, cluster in self._sql.execute(select(c.cycle_id, c.cluster).where(*where)).all():
            same = (c.cycle_id == cycle, c.cluster == cluster)
            self._sql.execute(update(candidates).where(*same).values(cluster=name_of_erased(cluster)))

    def _forget_tasks(self, of: Select[Any], keys: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Forget what labellers were shown; where they still are asked, nobody is any more. Returns what changed."""
        changed: dict[str, tuple[str, ...]] = {}
        for row in self._sql.execute(_batches(of, keys)).all():
            is_asked = row.state in _ASKED
            left = [[key, {} if key in keys else shown] for key, shown in row.tasks if not (is_asked and key in keys)]
            if left != [list(task) for task in row.tasks]:
                self._sql.execute(update(batches).where(batches.c.id == row.id).values(tasks=left))
                changed[row.key] = tuple(key for key, _ in row.tasks if key in keys)
        return changed

    def _set_aside(self, of: Select[Any], item: str, keys: Collection[str]) -> list[RowMapping]:
        """The rows that were set aside and name an item: of a panel's windows, or labels and truth of anybody."""
        mine = select(quarantine).where(quarantine.c.cycle_id.in_(of), quarantine.c.key == item)
        others = select(quarantine).where(quarantine.c.cycle_id.is_(None))
        named = (row for row in self._sql.execute(others).mappings() if _names(row["content"], row["key"], item, keys))
        return [*self._sql.execute(mine).mappings(), *named]

    def _forget_set_aside(self, of: Select[Any], item: str, keys: Collection[str]) -> int:
        rows = self._set_aside(of, item, keys)
        for row in rows:
            content, its_own = row["content"], quarantine.c.id == row["id"]
            if "count" in content and row["key"] != item and row["key"] not in keys:  # it stands for others too
                lines = [line for line in content["lines"] if not _names(line, "", item, keys)]
                self._sql.execute(update(quarantine).where(its_own).values(content={**content, "lines": lines}))
            else:
                self._sql.execute(delete(quarantine).where(its_own))
        return len(rows)


def _cycles(panel: str, before: datetime | None = None) -> Select[Any]:
    query = select(cycles.c.id).where(cycles.c.panel == panel)
    return query if before is None else query.where(cycles.c.opened_at <= before)


def _said(panel: str, before: datetime) -> tuple[ColumnElement[bool], ...]:
    return truth_statements.c.panel == panel, truth_statements.c.received_at <= before


def _batches(of: Select[Any], keys: Collection[str]) -> Select[Any]:
    """The batches of the rounds that drew one of the keys, or asked for a gold item under it."""
    drew: ColumnExpressionArgument[Any] = draws.c.cycle_id.in_(of) & draws.c.item_key.in_(keys)
    gold = select(gold_asks.c.round_id).join(rounds, rounds.c.id == gold_asks.c.round_id)
    gold = gold.where(rounds.c.cycle_id.in_(of), gold_asks.c.item_key.in_(keys))
    return select(batches).where(
        batches.c.round_id.in_(select(draws.c.round_id).where(drew)) | batches.c.round_id.in_(gold)
    )


def _names(content: Mapping[str, Any], key: str, item: str, keys: Collection[str]) -> bool:
    """Whether a row, or a line that could not be read, names an item: by a key, or by its id as a whole value."""
    text, quoted = dumps([key, content]), dumps(item)
    return quoted in text or dumps(quoted)[1:-1] in text or any(one in text for one in keys)
