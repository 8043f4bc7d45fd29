import pytest

from tests.support.programs import loaded


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
def test_heavy_libraries_wait_until_they_are_used(statement, heavy):
    assert loaded(statement, heavy) == set()
