"""Label events on items that were not drawn: they wait here, and move into the ledger with the draw of their item."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, func, select

from stratawatch.adapters.store.record_rows import record_of
from stratawatch.adapters.store.tables import draws, label_events, label_inbox
from stratawatch.adapters.store.upserts import Values, insert_new, upsert
from stratawatch.engine.model.label_events import NOWHERE, LabelEvent, WaitingLabels

_LEDGER_LOCK: Final = 0x57A7A  # any number of our own


def lock_ledger(sql: Connection) -> None:
    """Let one transaction at a time write label events, waiting ones included; in it, before anything else is read.

    Ids so become visible in their order: a mark must not pass events that commit later with smaller ids. And an event
    cannot be left waiting for a draw that commits at the same time. SQLite has one writer anyway; PostgreSQL hands
    out ids before the commit.
    """
    if sql.dialect.name == "postgresql":
        sql.execute(select(func.pg_advisory_xact_lock(_LEDGER_LOCK)))


def keep_waiting(sql: Connection, rows: Sequence[Values]) -> int:
    """Keep events of items that were not drawn, each once; returns how many are new here."""
    return len(insert_new(sql, label_inbox, rows, label_inbox.c.id))


def move_drawn(sql: Connection, round_id: int) -> None:
    """Move the events of a round's items into the ledger, in order of arrival and with their times.

    They are answers to the question of that draw.
    """
    move_to_ledger(sql, draws, round_id)


def move_to_ledger(sql: Connection, asked: Table, round_id: int) -> None:
    """Move the events of the keys that a table says a round asked for, as answers to the question that it names."""
    names = [column.name for column in label_inbox.c if column.name != "id"]
    waiting = (
        select(*(label_inbox.c[name] for name in names), asked.c.question_key)
        .join_from(label_inbox, asked, asked.c.item_key == label_inbox.c.item_key)
        .where(asked.c.round_id == round_id)
        .order_by(label_inbox.c.id)
    )
    # A new id for each, above every mark: what was judged without them is looked at again.
    sql.execute(upsert(sql, label_events).from_select([*names, "question_key"], waiting).on_conflict_do_nothing())
    of_round = select(asked.c.item_key).where(asked.c.round_id == round_id)
    sql.execute(delete(label_inbox).where(label_inbox.c.item_key.in_(of_round)))


def waiting_labels(sql: Connection) -> WaitingLabels:
    """How many events wait, on how many items, and since when the oldest does."""
    counts: Any = (func.count(), func.count(label_inbox.c.item_key.distinct()), func.min(label_inbox.c.received_at))
    return WaitingLabels(*sql.execute(select(*counts)).one())


def waiting_events(sql: Connection) -> tuple[LabelEvent, ...]:
    """The events that wait, in order of arrival."""
    rows = sql.execute(select(label_inbox).order_by(label_inbox.c.id))
    return tuple(record_of(LabelEvent, row, dated=True, place=NOWHERE, question_key="") for row in rows)
