"""Stores as earlier programs left them."""

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, MetaData, Table, create_engine, insert, select, text

from stratawatch.adapters.store.columns import escaped, hashed
from stratawatch.adapters.store.json_codec import as_document
from stratawatch.adapters.store.panels import fingerprint
from stratawatch.adapters.store.schema import VERSION_TABLE, alembic_config
from stratawatch.engine.model.idempotency_keys import item_key_without_question
from tests.support.store.examples import item_key, spec

FIRST_CYCLE = 7
_ROWS = (
    "INSERT INTO panel_versions VALUES (1, 'spam', 'f', :spec, :at)",
    "INSERT INTO cycles VALUES (7, 'spam', 1, 0, :at, :later, 'frozen', :at, NULL, 0, '', '', NULL, '{}', '{}')",
    "INSERT INTO atoms VALUES (7, 0, '0', 0, 511, 900, 0.1)",
    "INSERT INTO atoms VALUES (7, 1, '1', 512, 1023, 100, NULL)",
    "INSERT INTO atom_segments VALUES (7, 1, 0, 'country', 'de', 20)",
    "INSERT INTO candidates VALUES (7, 0, 1, 'd', 'a', '1', 600, :at, 1, '{}', '{}', NULL)",
)


def first_schema(url: str) -> None:
    """A store of schema 0001 with a frozen cycle of two atoms."""
    from alembic import command

    values = {"spec": json.dumps(as_document(spec())), "at": "2026-01-05 00:00:00", "later": "2026-01-12 00:00:00"}
    engine = create_engine(url)
    with engine.begin() as sql:
        command.upgrade(alembic_config(sql), "0001")
        for statement in _ROWS:
            sql.execute(text(statement), values)
    engine.dispose()


def second_schema(url: str) -> None:
    """The same at schema 0002, with a specification that knew no largest drop."""
    from alembic import command

    first_schema(url)
    engine = create_engine(url)
    document = as_document(spec())
    for limit in document["limits"]:
        del limit["max_drop"]
    with engine.begin() as sql:
        command.upgrade(alembic_config(sql), "0002")
        sql.execute(text("UPDATE panel_versions SET spec = :spec"), {"spec": json.dumps(document)})
        sql.execute(text("INSERT INTO panels VALUES ('spam', 1, :at)"), {"at": "2026-01-05 00:00:00"})
    engine.dispose()


_NAMES_OF_BEFORE = {
    "blind_margin_factor": "blind_at",
    "false_pages_per_year": "pages_a_year",
    "label_validity": "label_life",
    "max_bad_row_share": "quarantine_share",
    "stop_rule": "spend",
}


def fifth_schema(url: str, *specs) -> list[int]:
    """A store of schema 0005 that holds these panels, in use, under the field names of then; their versions' ids."""
    from alembic import command

    engine, versions = create_engine(url), []
    with engine.begin() as sql:
        command.upgrade(alembic_config(sql), "0005")
        for one in specs:
            document = _by_names_of_before(as_document(one))
            row = {"name": one.name, "mark": fingerprint(document), "spec": json.dumps(document)}
            values = row | {"at": "2026-01-05 00:00:00"}
            versions.append(sql.scalar(text(_ADD_VERSION), values))
            sql.execute(text("INSERT INTO panels VALUES (:name, :id, :at)"), values | {"id": versions[-1]})
    engine.dispose()
    return versions


_ADD_VERSION = (
    "INSERT INTO panel_versions (panel, fingerprint, spec, created_at) VALUES (:name, :mark, :spec, :at) RETURNING id"
)


def _by_names_of_before(document):
    document = {_NAMES_OF_BEFORE.get(name, name): value for name, value in document.items()}
    document["options"] = options_of_before(document["options"])
    for classifier in document["classifiers"]:
        classifier["positive"] = classifier.pop("call")
    for one in (*document["goals"], *document["limits"]):
        one["of"] = one.pop("classifiers")
    return document


def options_of_before(options):
    """The options of a design as specifications kept them before 0014."""
    return {"doubt" if name == "pseudo_labels" else name: value for name, value in options.items()}


def sixth_schema(url: str) -> None:
    """A store of schema 0006 with three notifications: waiting, sent, given up."""
    from alembic import command

    engine = create_engine(url)
    with engine.begin() as sql:
        command.upgrade(alembic_config(sql), "0006")
        for key, state in (("a", "pending"), ("b", "sent"), ("c", "failed")):
            sql.execute(text(_ADD_NOTIFICATION), {"key": key, "state": state, "at": "2026-01-05 00:00:00"})
    engine.dispose()


_ADD_NOTIFICATION = (
    "INSERT INTO notifications (key_hash, key, dedup_key, channel, severity, subject, body, facts, created_at, state, "
    "attempts, last_error) VALUES (:key, :key, 't', 'ops', 'page', 's', 'b', '{}', :at, :state, 3, 'down')"
)


def as_of_schema(url: str, old_url: str, schema: str) -> dict[str, str]:
    """Copy a store of today into one of an older schema, as the program of then would have filled it.

    Before 0008 items have the same key whatever was asked about them. Returns the keys of then by those of now.
    """
    from alembic import command

    here, there = create_engine(url), create_engine(old_url)
    with here.connect() as now, there.begin() as old:
        command.upgrade(alembic_config(old), schema)
        keys = _keys_of_then(now) if schema < "0008" else {}
        today, then = MetaData(), MetaData()
        today.reflect(now)
        then.reflect(old)
        for table in then.sorted_tables:
            if table.name == VERSION_TABLE:
                continue
            columns = [today.tables[table.name].c[column.name] for column in table.columns]
            rows = [dict(row) for row in now.execute(select(*columns)).mappings()]
            if rows:
                old.execute(insert(table), [_row_of_then(table, row, keys, schema) for row in rows])
            if old.dialect.name == "postgresql" and "id" in table.c:
                old.execute(text(f"SELECT setval('{table.name}_id_seq', (SELECT MAX(id) FROM {table.name}))"))
    here.dispose()
    there.dispose()
    return keys


def _keys_of_then(sql: Connection) -> dict[str, str]:
    query = "SELECT d.item_key, c.panel, d.item FROM draws AS d INNER JOIN cycles AS c ON c.id = d.cycle_id"
    return {row.item_key: item_key_without_question(row.panel, row.item) for row in sql.execute(text(query))}


def _row_of_then(table: Table, row: dict[str, Any], keys: dict[str, str], schema: str) -> dict[str, Any]:
    # SQLite's times have no offset; PostgreSQL would take them for times of the server's zone.
    row = {name: value.replace(tzinfo=UTC) if isinstance(value, datetime) else value for name, value in row.items()}
    if table.name == "panel_versions" and schema < "0006":
        spec = _by_names_of_before(row["spec"])
        return row | {"spec": spec, "fingerprint": fingerprint(spec)}
    if table.name == "panel_versions" and schema < "0014":
        spec = row["spec"] | {"options": options_of_before(row["spec"]["options"])}
        return row | {"spec": spec, "fingerprint": fingerprint(spec)}
    if table.name == "batches":
        return row | {"tasks": [[keys.get(key, key), payload] for key, payload in row["tasks"]]}
    if "item_key" not in row:
        return row
    row |= {"item_key": keys.get(row["item_key"], row["item_key"])}
    if table.name == "label_events":
        words = [row[name] for name in ("source", "event_id", "item_key", "annotator", "value")]
        row |= {"event_key": hashed(*words)}
    return row


def seventh_schema(url: str, said=(), set_aside=()) -> None:
    """A store of schema 0007 in which items a and b are drawn, with label events and labels that were set aside.

    Each is (event, when it was received), and of those that were set aside the reason too.
    """
    from alembic import command

    first_schema(url)
    engine = create_engine(url)
    with engine.begin() as sql:
        command.upgrade(alembic_config(sql), "0007")
        sql.execute(text("INSERT INTO rounds VALUES (1, 7, 1, 'planned', '{}', '2026-01-12 00:00:00')"))
        for item in ("a", "b"):
            values = {"key": item_key("spam", item), "item": item}
            sql.execute(text("INSERT INTO draws VALUES (7, :key, 1, :item, 1, 'd', 0.5, false)"), values)
        for event, at in said:
            key = hashed(event.source, event.event_id, event.item_key, event.annotator, event.value)
            values = vars(event) | {"event_key": key, "at": _moment(event.at), "received_at": _moment(at)}
            sql.execute(text(_ADD_EVENT), values)
        for number, (event, at, reason) in enumerate(set_aside):
            content = {name: getattr(event, name) for name in ("value", "annotator", "source", "event_id")}
            values = {"row": str(number), "key": escaped(event.item_key), "reason": reason, "at": _moment(at)}
            sql.execute(text(_SET_ASIDE), values | {"content": json.dumps(content)})
    engine.dispose()


_ADD_EVENT = """INSERT INTO label_events (event_key, source, event_id, item_key, annotator, value, at, received_at)
    VALUES (:event_key, :source, :event_id, :item_key, :annotator, :value, :at, :received_at)"""
_SET_ASIDE = """INSERT INTO quarantine (row_key, kind, key, reason, content, seen_at)
    VALUES (:row, 'label', :key, :reason, :content, :at)"""


def _moment(at):
    """The text of a moment that both databases take for a time in UTC."""
    return f"{at:%Y-%m-%d %H:%M:%S.%f}"
