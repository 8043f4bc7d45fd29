"""What a Spark that is started here writes to the terminal; it needs no cluster."""

from pathlib import Path

import duckdb
import pytest

from tests.support.java import needs_java
from tests.support.programs import environment, run
from tests.support.spark_cluster import SETTINGS

pytestmark = pytest.mark.spark


def test_starting_and_failing_write_no_log_to_the_terminal(tmp_path: Path) -> None:
    """A program of its own, because Java reads its settings once; nanoseconds fail on a worker, with Java's stack."""
    needs_java()
    duckdb.sql("SELECT 'a' AS id, TIMESTAMP_NS '2026-01-05 00:00:00' AS ts").write_parquet(str(tmp_path / "ns.parquet"))
    code = (
        "from stratawatch.adapters.sources.spark_table import SparkSource\n"
        "from stratawatch.errors import InputRefused\n"
        "from tests.support.predictions.panels import panel\n"
        f"source = SparkSource(path={str(tmp_path)!r}, master='local[1]', settings={dict(SETTINGS)!r})\n"
        "try:\n    source.describe(panel())\nexcept InputRefused as trouble:\n    print(trouble)"
    )
    done = run("-c", code, env=environment(without=("SPARK_HOME", "SPARK_CONF_DIR")))
    assert "has times in nanoseconds, which Spark does not read; write microseconds (in pandas: " in done.stdout
    said = [line for line in done.stderr.splitlines() if "incubator" not in line]  # that one is Java's own
    assert said == []
