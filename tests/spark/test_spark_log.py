"""What a Spark that is started here writes to the terminal; it needs no cluster."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.support.java import needs_java
from tests.support.spark_cluster import SETTINGS

pytestmark = pytest.mark.spark


def test_starting_and_failing_write_no_log_to_the_terminal(tmp_path: Path) -> None:
    """A program of its own, because Java reads its settings once; nanoseconds fail on a worker, with Java's stack."""
    needs_java()
    duckdb.sql("SELECT 'a' AS id, TIMESTAMP_NS '2026-01-05 00:00:00' AS ts").write_parquet(str(tmp_path / "ns.parquet"))
    code = (
        "from stratawatch.adapters.sources import load\nfrom tests.support.predictions.panels import panel\n"
        f"try:\n    load('spark')(path={str(tmp_path)!r}, master='local[1]', settings={dict(SETTINGS)!r}).describe(panel())\n"
        "except Exception as trouble:\n    print(trouble)"
    )
    plain = {name: value for name, value in os.environ.items() if name not in ("SPARK_HOME", "SPARK_CONF_DIR")}
    done = subprocess.run([sys.executable, "-c", code], env=plain, check=True, capture_output=True, text=True)
    assert "has times in nanoseconds, which Spark does not read; write microseconds (in pandas: " in done.stdout
    said = [line for line in done.stderr.splitlines() if "incubator" not in line]  # that one is Java's own
    assert said == []
