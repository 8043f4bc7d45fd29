"""Opening a store is on the path of every command, so it loads nothing heavy."""

from tests.support.programs import loaded

HEAVY = [
    "alembic",
    "mako",
    "pandas",
    "prefect",
    "duckdb",
    "great_expectations",
    "scipy",
    "sklearn",
    "pydantic",
    "httpx",
    "psycopg",
]


def test_importing_the_store_loads_neither_alembic_nor_a_driver():
    assert loaded("import stratawatch.adapters.store", HEAVY) == set()


def test_opening_and_reading_a_store_loads_no_alembic(migrated_sqlite):
    code = f"""
from stratawatch.adapters.store import open_store
with open_store("sqlite:///{migrated_sqlite}").begin() as tx:
    tx.cycles.find(), tx.alarms.current_states(), tx.alarms.incidents(only_open=True), tx.estimates.history("x")
"""
    assert loaded(code, HEAVY) == set()


def test_migrating_does_load_alembic(tmp_path):
    code = f"from stratawatch.adapters.store import migrate; migrate('sqlite:///{tmp_path}/s.db')"
    assert "alembic" in loaded(code, HEAVY)
