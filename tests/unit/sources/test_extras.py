"""What is not part of the base install is asked for in a sentence that says how to get it."""

import re
import sys

import pytest

from stratawatch.adapters.sources.postgres_table import PostgresSource
from stratawatch.adapters.sources.spark_table import SparkSource
from stratawatch.errors import ConfigError
from tests.support.predictions.panels import panel
from tests.support.programs import environment, run


def test_postgresql_needs_its_driver(monkeypatch):
    source = PostgresSource("postgresql://me@db/x", "rows")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigError, match=r"run: pip install 'stratawatch\[postgres\]'"):
        source.describe(panel())


def test_spark_needs_pyspark(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(ConfigError, match=r"run: pip install 'stratawatch\[spark\]', and Java 17 or newer"):
        SparkSource("rows").describe(panel())


def test_spark_needs_java(tmp_path):
    """In a process of its own: one that Spark ran in already has its Java."""
    asked = (
        "from stratawatch.adapters.sources.spark_table import SparkSource\n"
        "from stratawatch.errors import Unreachable\n"
        "from tests.support.predictions.panels import panel\n"
        "try:\n"
        "    SparkSource('rows', master='local[1]').describe(panel())\n"
        "except Unreachable as trouble:\n"
        "    print('TOLD', str(trouble).count(chr(10)), trouble)\n"
    )
    told = run("-c", asked, env=environment({"JAVA_HOME": str(tmp_path)}))
    assert re.search(r"^TOLD 0 .*Spark does not start; .*check Java", told.stdout, re.MULTILINE), told.stderr


@pytest.mark.parametrize("given", [{}, {"table": "rows", "path": "/rows"}])
def test_spark_reads_a_table_or_a_path(given):
    with pytest.raises(ConfigError, match="a table or a path, and not both"):
        SparkSource(**given)
