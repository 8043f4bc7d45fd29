"""Stores as earlier programs left them."""

import json

from sqlalchemy import create_engine, text

from stratawatch.adapters.store.json_codec import as_document
from stratawatch.adapters.store.panels import fingerprint
from stratawatch.adapters.store.schema import alembic_config
from tests.support.store.examples import spec

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
    for classifier in document["classifiers"]:
        classifier["positive"] = classifier.pop("call")
    for one in (*document["goals"], *document["limits"]):
        one["of"] = one.pop("classifiers")
    return document


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
