"""An inbox for labels of items that were not drawn; those that earlier programs had set aside are carried into it.

They kept no time of their own, so they count from when they were set aside. Labels whose item was drawn since join the
ledger at once, but never after a word of the same annotator that is there already.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
REASON = "a label for an item nobody asked about"
VALUES = ("yes", "no", "skip", "retract")
EVENT = ("event_key", "source", "event_id", "item_key", "annotator", "value", "at", "received_at")


def _table(name: str, *columns: str, times: tuple[str, ...] = ()) -> sa.TableClause:
    return sa.table(name, *map(sa.column, columns), *(sa.column(time, TIME) for time in times))


QUARANTINE = sa.table(
    "quarantine",
    *map(sa.column, ("id", "kind", "key", "reason")),
    sa.column("content", sa.JSON()),
    sa.column("seen_at", TIME),
)
INBOX = _table("label_inbox", "id", *EVENT[:6], times=EVENT[6:])
LEDGER = _table("label_events", "id", *EVENT[:6], "question_key", times=EVENT[6:])
DRAWS = _table("draws", "item_key", "round_id", "reused", "question_key")


def upgrade() -> None:
    op.create_table(
        "label_inbox",
        sa.Column("id", ID, nullable=False),
        sa.Column("event_key", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("item_key", sa.Text(), nullable=False),
        sa.Column("annotator", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("received_at", TIME, nullable=False),
        sa.CheckConstraint("value IN ('yes', 'no', 'skip', 'retract')", name="ck_label_inbox_value"),
        sa.PrimaryKeyConstraint("id", name="pk_label_inbox"),
        sa.UniqueConstraint("event_key", name="uq_label_inbox_event_key"),
    )
    op.create_index("ix_label_inbox_item_key", "label_inbox", ["item_key"])
    sql = op.get_bind()
    orphans = (QUARANTINE.c.kind == "label") & (QUARANTINE.c.reason == REASON)
    earliest = _earliest_words(sql, orphans)
    query = sa.select(QUARANTINE.c.id, QUARANTINE.c.key, QUARANTINE.c.content, QUARANTINE.c.seen_at)
    rows = sql.execute(query.where(orphans).order_by(QUARANTINE.c.id)).all()
    carried = [row for row in rows if row.content.get("value") in VALUES]
    events = {event["event_key"]: event for event in _events(carried, earliest)}
    if events:
        sql.execute(sa.insert(INBOX), list(events.values()))
    _join_the_ledger(sql)
    unread = [row.id for row in rows if row.content.get("value") not in VALUES]  # none that our programs wrote
    sql.execute(sa.delete(QUARANTINE).where(orphans, QUARANTINE.c.id.not_in(unread)))


def _earliest_words(sql: sa.Connection, orphans: sa.ColumnElement) -> dict:
    """When each annotator of a set-aside label first said something about the same item that counts already."""
    keys = sa.select(QUARANTINE.c.key).where(orphans)
    words = sa.select(LEDGER.c.item_key, LEDGER.c.annotator, sa.func.min(LEDGER.c.at))
    found = sql.execute(words.where(LEDGER.c.item_key.in_(keys)).group_by(LEDGER.c.item_key, LEDGER.c.annotator))
    return {(item_key, annotator): at for item_key, annotator, at in found}


def _events(rows: list, earliest: dict) -> Iterator[dict]:
    for row in rows:
        said = row.content
        at, first = row.seen_at, earliest.get((row.key, escaped(said["annotator"])))
        if first is not None and at >= first:
            at = first - timedelta(microseconds=1)
        yield {
            "event_key": hashed(said["source"], said["event_id"], unescaped(row.key), said["annotator"], said["value"]),
            "source": escaped(said["source"]),
            "event_id": escaped(said["event_id"]),
            "item_key": row.key,
            "annotator": escaped(said["annotator"]),
            "value": said["value"],
            "at": at,
            "received_at": row.seen_at,
        }


def _join_the_ledger(sql: sa.Connection) -> None:
    drawn = INBOX.c.item_key.in_(sa.select(DRAWS.c.item_key))
    new = INBOX.c.event_key.not_in(sa.select(LEDGER.c.event_key))
    question = (  # as the store says it of every label: the one that was asked last under this key
        sa.select(DRAWS.c.question_key)
        .where(DRAWS.c.item_key == INBOX.c.item_key)
        .order_by(DRAWS.c.reused, DRAWS.c.round_id.desc())
        .limit(1)
        .scalar_subquery()
    )
    events = sa.select(*(INBOX.c[name] for name in EVENT), question).where(drawn, new).order_by(INBOX.c.id)
    sql.execute(sa.insert(LEDGER).from_select([*EVENT, "question_key"], events))
    sql.execute(sa.delete(INBOX).where(drawn))


# Texts and keys as the store of this schema writes them: no database takes every character.
MARK = "\N{SYMBOL FOR NULL}"
UNSTORABLE = re.compile(f"[\0{MARK}\ud800-\udfff]")
STORED = re.compile(f"{MARK}({MARK}|0|d[89a-f][0-9a-f]{{2}})")


def escaped(text: str) -> str:
    return UNSTORABLE.sub(lambda found: MARK + {"\0": "0", MARK: MARK}.get(found[0], f"{ord(found[0]):04x}"), text)


def unescaped(text: str) -> str:
    return STORED.sub(lambda found: {"0": "\0", MARK: MARK}.get(found[1]) or chr(int(found[1], 16)), text)


def hashed(*parts: str) -> str:
    text = "\0".join(f"{len(part)}:{part}" for part in parts)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
