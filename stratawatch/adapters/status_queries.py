"""What `status` shows, read from the views of sql/views by the database's driver: SQLAlchemy alone imports in .4 s.

A store that is missing, has another schema or does not answer is left to the real store, which says what is wrong.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl, urlsplit

from stratawatch.engine.model.budget_ledger import cycles_of
from stratawatch.settings.connection_options import client_arguments, local_settings, without_own

SQLITE: Final = "sqlite:///"
BUSY_SECONDS: Final = 10
QUERIES: Final = {
    "panels": "SELECT * FROM panel_windows ORDER BY panel",
    "streams": """
        SELECT panel, classifier, metric, segment, state, reason, cycle_id AS cycle, revision, window_start, window_end,
            judged_at, value, low, high, n_eff, labels_used
        FROM current_states ORDER BY panel, classifier, metric, segment_key""",
    "cycles": """
        SELECT o.id, o.panel, o.state, o.window_start, o.window_end, o.opened_at, o.deadline_at, o.failures,
            o.last_error, o.profile, o.rounds, o.drawn, o.further_votes, {validity} AS label_validity
        FROM open_cycles AS o INNER JOIN cycles AS c ON c.id = o.id
        INNER JOIN panel_versions AS v ON v.id = c.version_id
        ORDER BY o.window_start, o.panel""",
    "refused": """
        SELECT c.id AS cycle, c.panel, c.window_start, c.window_end, c.reason FROM cycles AS c
        WHERE c.state = 'refused' AND c.period >= 0 AND (c.period > COALESCE(
            (SELECT MAX(j.period) FROM cycles AS j WHERE j.panel = c.panel AND j.state = 'judged'), -1)
            OR EXISTS (SELECT 1 FROM cycles AS r WHERE r.panel = c.panel AND r.window_start = c.window_start
                AND r.period < 0 AND r.state = 'judged'))
        ORDER BY c.panel, c.window_start""",
    "incidents": """
        SELECT incident AS id, panel, classifier, metric, segment, kind, opened_at, cycle_id AS cycle, window_start,
            window_end, state_now, reason_now AS reason, since, acknowledged_at, acknowledged_by, acknowledged_why
        FROM open_incidents ORDER BY opened_at, incident""",
    "silences": """
        SELECT id, panel, classifier, metric, segment, until AS until_at, reason, "by", created_at
        FROM silences WHERE ended_at IS NULL ORDER BY created_at, id""",
    "held": """
        SELECT n.channel, n.id AS notification, i.panel, i.classifier, i.metric, i.segment
        FROM notifications AS n INNER JOIN incidents AS i ON i.dedup_key = n.dedup_key AND i.resolved_at IS NULL
        WHERE n.state = 'pending'""",
    "batches": "SELECT * FROM unanswered_batches ORDER BY planned_at, id",
    "undelivered": "SELECT * FROM undelivered_notifications ORDER BY channel, state",
    "last_advance": "SELECT * FROM last_advance",
    "waiting_labels": "SELECT * FROM waiting_labels",
    "set_aside": """
        SELECT reason, SUM(COALESCE(CAST({count} AS INTEGER), 1)) AS labels, MAX(seen_at) AS newest_at,
            MIN(key) AS origin
        FROM quarantine WHERE cycle_id IS NULL AND kind = 'label' AND seen_at >= '{since}'
        GROUP BY reason ORDER BY reason""",
    "truth": """
        SELECT panel, source, COUNT(*) AS statements, SUM(CASE WHEN value = 'yes' THEN 1 ELSE 0 END) AS yes,
            MAX(received_at) AS newest_at
        FROM truth_statements GROUP BY panel, source ORDER BY panel, source""",
    "truth_warnings": """
        SELECT panel, cycle_id AS cycle, classifier, metric, segment, sentence, at AS warned_at
        FROM truth_warnings WHERE cycle_id IN (SELECT id FROM cycles WHERE period >= 0) ORDER BY id DESC LIMIT 10""",
    "sent_again": "SELECT position FROM cursors WHERE queue = 'batches published again'",
    "unplanned": "SELECT position FROM cursors WHERE queue = 'batches without a plan'",
    "left_panels": "SELECT position FROM cursors WHERE queue = 'panels that left'",
    "missing_answers": """
        SELECT position FROM cursors WHERE substr(queue, 1, 19) = 'missing answers of ' ORDER BY queue
    """,
    "limit_outlooks": """
        SELECT position FROM cursors WHERE substr(queue, 1, 18) = 'limit outlooks of ' ORDER BY queue
    """,
    "forecast_records": """
        SELECT position FROM cursors WHERE substr(queue, 1, 19) = 'forecast record of ' ORDER BY queue
    """,
    "lone_windows": """
        SELECT c.panel, r.cycle_id AS cycle, r.persisting, r.why
        FROM judgement_rules AS r INNER JOIN cycles AS c ON c.id = r.cycle_id
        WHERE r.rule = 'window' AND r.persisting > 0 AND c.period = (
            SELECT MAX(n.period) FROM judgement_rules AS j INNER JOIN cycles AS n ON n.id = j.cycle_id
            WHERE n.panel = c.panel AND n.period >= 0)
        ORDER BY c.panel""",
    "shared_budget": "SELECT position FROM cursors WHERE queue = 'shared budget'",
}
COUNTS: Final = {"sqlite": "json_extract(content, '$.count')", "postgresql": "content ->> 'count'"}
"""How many labels a line of the quarantine stands for; SQLite has the arrow from 3.38 only."""
VALIDITIES: Final = {
    "sqlite": "json_extract(v.spec, '$.label_validity')",
    "postgresql": "v.spec ->> 'label_validity'",
}
"""For how many seconds the labels of a panel are valid."""
ASKED: Final = """
    SELECT id AS cycle, state, (SELECT COUNT(*) FROM draws WHERE cycle_id = cycles.id AND NOT reused) + (
        SELECT COUNT(*) FROM batches AS b INNER JOIN rounds AS r ON r.id = b.round_id
        WHERE r.cycle_id = cycles.id AND b.vote > 1) AS asked
    FROM cycles WHERE id IN ({cycles})"""
"""What the cycles that have a share of a shared budget asked people."""
ANSWERED: Final = """
    WITH oldest (cycle_id, at) AS (VALUES {oldest})
    SELECT d.cycle_id AS cycle, COUNT(*) AS answered
    FROM oldest AS o INNER JOIN draws AS d ON d.cycle_id = o.cycle_id INNER JOIN cycles AS c ON c.id = o.cycle_id
    WHERE EXISTS (
        SELECT 1 FROM label_events AS e
        WHERE e.item_key = d.item_key AND e.question_key = d.question_key AND e.at >= o.at AND e.value <> 'retract'
        AND (e.value <> 'skip' OR c.state NOT IN ('frozen', 'labelling') OR e.at >= c.opened_at OR NOT EXISTS (
            SELECT 1 FROM draws AS p INNER JOIN cycles AS w ON w.id = p.cycle_id
            WHERE p.item_key = d.item_key AND w.panel = c.panel AND w.window_start < c.window_start))
        AND NOT EXISTS (
            SELECT 1 FROM label_events AS r
            WHERE r.item_key = e.item_key AND r.question_key = e.question_key AND r.annotator = e.annotator
            AND r.value = 'retract' AND (r.at > e.at OR (r.at = e.at AND r.id > e.id))))
    GROUP BY d.cycle_id"""
"""How many drawn items of cycles have an answer that stands and has not expired.

What was skipped in an earlier window and is asked again has none while its window is labelled.
"""
MOMENTS: Final = {"sqlite": "'{}'", "postgresql": "TIMESTAMPTZ '{}+00'"}
"""A moment as each database writes one that is kept."""
SET_ASIDE_DAYS: Final = 7
"""How long labels that were set aside are counted."""
_TIMES: Final = frozenset({"oldest", "since", "newest_window_end", "window_start", "window_end"})

A = TypeVar("A")
Row = Mapping[str, Any]


class StoreNotReady(Exception):  # noqa: N818 - a state of the store, which the caller looks into
    """The store is not there, has another schema, or does not answer."""


StatusRows = Mapping[str, tuple[Row, ...]]
"""The rows of every query by its name, of one moment."""


def read_status(url: str, more: Mapping[str, str] | None = None) -> StatusRows:
    """Read all views, and `more` queries, in one transaction, changing nothing.

    Raises StoreNotReady when the real store should be asked.
    """
    return _answered(url, lambda cursor, database: _read(cursor, database, more or {}))


def is_readable(url: str) -> bool:
    """Whether the store is there with the schema that is known here; of its rows it reads none."""
    try:
        return _answered(url, lambda cursor, _: _has_schema(cursor))
    except StoreNotReady:
        return False


def expected_schema() -> str:
    """The revision of the newest migration."""
    versions = Path(str(import_module("stratawatch.sql").__file__)).parent / "migrations" / "versions"
    return max(path.name.partition("_")[0] for path in versions.glob("[0-9]*_*.py"))


def queries(database: str, since: str) -> Mapping[str, str]:
    """The queries in the language of a database, which counts what was set aside since a moment."""
    changes = (("{since}", since), ("{count}", COUNTS[database]), ("{validity}", VALIDITIES[database]))
    return {name: reduce(lambda text, change: text.replace(*change), changes, query) for name, query in QUERIES.items()}


def _answered(url: str, ask: Callable[[Any, str], A]) -> A:
    """What is asked of a cursor in one read transaction, in the language of its database."""
    return _sqlite(url, ask) if url.startswith(SQLITE) else _postgres(url, ask)


def _sqlite(url: str, ask: Callable[[Any, str], A]) -> A:
    import sqlite3

    path = Path(url.removeprefix(SQLITE))
    if not path.is_file():
        raise StoreNotReady
    try:
        # rw and not ro: reading a database in WAL mode may have to make its shared-memory file.
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=BUSY_SECONDS)) as connection:
            connection.isolation_level = None
            connection.execute("BEGIN")  # a read transaction: one moment for all queries
            return ask(connection.cursor(), "sqlite")
    except sqlite3.Error as trouble:
        raise StoreNotReady from trouble


def _postgres(url: str, ask: Callable[[Any, str], A]) -> A:
    try:
        import psycopg
    except ModuleNotFoundError as missing:
        raise StoreNotReady from missing
    address, own = without_own(url.replace("+psycopg", "", 1))
    options = dict(parse_qsl(urlsplit(address).query))
    try:
        with psycopg.connect(address, **client_arguments(options)) as connection:
            connection.prepare_threshold = None  # what is prepared belongs to a session, which poolers share out
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            for statement in local_settings(own):
                connection.execute(statement)
            return ask(connection.cursor(), "postgresql")
    except psycopg.Error as trouble:
        raise StoreNotReady from trouble


def _read(cursor: Any, database: str, more: Mapping[str, str]) -> StatusRows:
    if not _has_schema(cursor):
        raise StoreNotReady
    since = f"{datetime.now(UTC) - timedelta(days=SET_ASIDE_DAYS):%Y-%m-%d %H:%M:%S}+00"
    found = {name: _rows(cursor, query) for name, query in {**queries(database, since), **more}.items()}
    found["cycles"] = _with_answered(cursor, found["cycles"], database)
    shares = cycles_of(found["shared_budget"][0]["position"]) if found["shared_budget"] else ()
    return {**found, "asked": _rows(cursor, ASKED.format(cycles=", ".join(map(str, shares)))) if shares else ()}


def _has_schema(cursor: Any) -> bool:
    cursor.execute("SELECT version_num FROM stratawatch_schema")
    return bool(cursor.fetchone() == (expected_schema(),))


def _with_answered(cursor: Any, cycles: tuple[Row, ...], database: str) -> tuple[Row, ...]:
    """The cycles with the number of their drawn items that have an answer, as `cycle_answers` counts them."""
    oldest = {
        row["id"]: row["opened_at"] - timedelta(seconds=float(row["label_validity"])) for row in cycles if row["drawn"]
    }
    values = ", ".join(
        f"({number}, {MOMENTS[database].format(f'{at:%Y-%m-%d %H:%M:%S.%f}')})" for number, at in oldest.items()
    )
    found = _rows(cursor, ANSWERED.format(oldest=values)) if values else ()
    answered = {row["cycle"]: row["answered"] for row in found}
    return tuple(
        {name: value for name, value in row.items() if name != "label_validity"}
        | {"answered": answered.get(row["id"], 0)}
        for row in cycles
    )


def _rows(cursor: Any, query: str) -> tuple[Row, ...]:
    cursor.execute(query)
    names = [column[0] for column in cursor.description]
    return tuple({n: _value(n, value) for n, value in zip(names, row, strict=True)} for row in cursor.fetchall())


def _value(name: str, value: Any) -> Any:
    """JSON is parsed, and times are aware and in UTC; SQLite keeps both as text, times without an offset."""
    if isinstance(value, str) and name in ("profile", "position", "spec"):
        return json.loads(value)
    if isinstance(value, str) and (name.endswith("_at") or name in _TIMES):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return value
