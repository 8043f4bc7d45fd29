"""Opening a store is on the path of every command, so it loads nothing heavy."""

import json
import subprocess
import sys

CODE = """
import json, sys
{statement}
print(json.dumps(sorted(name for name in sys.modules if "." not in name)))
"""
HEAVY = {
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
}


def loaded(statement):
    out = subprocess.run(
        [sys.executable, "-c", CODE.format(statement=statement)], capture_output=True, text=True, check=True
    )
    return set(json.loads(out.stdout))


def test_importing_the_store_loads_neither_alembic_nor_a_driver():
    assert not loaded("import stratawatch.adapters.store") & (HEAVY | {"psycopg"})


def test_opening_and_reading_a_store_loads_no_alembic(migrated_sqlite):
    statement = f"""
from stratawatch.adapters.store import open_store
with open_store("sqlite:///{migrated_sqlite}").begin() as tx:
    tx.cycles.find(), tx.alarms.current(), tx.alarms.incidents(only_open=True), tx.estimates.history("x")
"""
    assert not loaded(statement) & (HEAVY | {"psycopg"})


def test_migrating_does_load_alembic(tmp_path):
    assert "alembic" in loaded(f"from stratawatch.adapters.store import migrate; migrate('sqlite:///{tmp_path}/s.db')")
