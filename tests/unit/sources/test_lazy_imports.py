import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("statement", "heavy"),
    [
        ("import stratawatch.adapters.sources", ("duckdb", "sqlglot", "numpy")),
        ("import stratawatch.adapters.sources.duckdb_files", ("duckdb", "sqlglot", "pandas")),
        ("import stratawatch.adapters.sources.duckdb_table", ("duckdb", "sqlglot", "pandas")),
        ("import stratawatch.adapters.sources.postgres_table", ("sqlalchemy", "psycopg", "sqlglot", "duckdb")),
        ("import stratawatch.adapters.sources.spark_table", ("pyspark", "py4j", "sqlglot", "pandas", "duckdb")),
        ("import stratawatch.adapters.checks", ("great_expectations", "pandas", "numpy")),
        ("import stratawatch.adapters.checks.great_expectations_check", ("great_expectations", "pandas")),
    ],
)
def test_heavy_libraries_wait_until_they_are_used(statement: str, heavy: tuple[str, ...]) -> None:
    code = f"import sys; {statement}; print([name for name in {heavy!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
