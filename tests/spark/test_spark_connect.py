"""A Spark Connect server, in the Java of the cluster's driver, answers as DuckDB does."""

import socket
import time
from functools import partial
from pathlib import Path

import pytest

from stratawatch.adapters.sources.duckdb_files import FilesSource
from stratawatch.adapters.sources.spark_table import SparkEngine, SparkSource
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns
from stratawatch.errors import InputRefused, NoConnection, Unreachable
from tests.support import engine_answers as engines
from tests.support.predictions.backends import items, whole
from tests.support.predictions.meanwhile import once_while_read
from tests.support.predictions.panels import WINDOW, panel
from tests.support.predictions.tables import Table, write
from tests.support.spark_cluster import LOOPBACK

pytestmark = pytest.mark.spark
WHOLE = whole("0", 60)


def rows(number: int, first: int = 0) -> Table:
    return items(*(f"i{k}" for k in range(first, first + number)), flag=0)


def test_it_answers_as_duckdb_does(remote: str, tmp_path: Path) -> None:
    engines.write_rows(tmp_path, 2_000)
    ours = engines.ask(FilesSource(tmp_path / "parquet"))
    theirs = engines.ask(SparkSource(path=str(tmp_path / "parquet"), remote=remote))
    assert engines.differences(ours, theirs) == ()
    read = theirs.counted.source_version
    assert read["files"] == 4
    assert [Path(one["name"]).name for one in read["listing"]] == [f"part-{n}.parquet" for n in range(4)]


def test_each_read_has_a_session_of_its_own_and_closes_it(remote: str, tmp_path: Path) -> None:
    path = str(write(tmp_path / "rows.parquet", rows(60)))
    with SparkSource(path=path, remote=remote)._open(panel()) as one:
        with SparkSource(path=path, remote=remote)._open(panel()) as other:
            assert one.session.session_id != other.session.session_id
        assert len(next(one.batches(one.statements.row_count(WINDOW)))) == 1
        assert (one.session.is_stopped, other.session.is_stopped) == (False, True)


def test_a_setting_of_the_session_is_set_and_one_of_the_server_is_a_sentence(remote: str, tmp_path: Path) -> None:
    path = str(write(tmp_path / "rows.parquet", rows(60)))
    with SparkSource(path=path, remote=remote, settings={"spark.sql.shuffle.partitions": "3"})._open(panel()) as opened:
        assert opened.session.conf.get("spark.sql.shuffle.partitions") == "3"
    with pytest.raises(NoConnection, match=r"gives no session.*settings are such as a session may set"):
        SparkSource(path=path, remote=remote, settings={"spark.driver.memory": "1g"}).describe(panel())


def test_what_is_not_there_is_a_sentence(remote: str, tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="'nowhere' is not there"):
        SparkSource("nowhere", remote=remote).describe(panel())
    path = str(write(tmp_path / "rows.parquet", rows(60)))
    spec = panel((ClassifierSpec("lr", "scroe", call="flag"),), columns=Columns("id", "ts"))
    with pytest.raises(InputRefused, match="column 'scroe'"):
        SparkSource(path=path, remote=remote).census(spec, WINDOW)


def test_a_server_that_is_not_there_is_a_sentence_within_a_minute() -> None:
    with socket.socket() as free:
        free.bind((LOOPBACK, 0))
        port = free.getsockname()[1]
    begun = time.monotonic()
    with pytest.raises(NoConnection, match=rf"the Spark Connect server at sc://{LOOPBACK}:{port} gives no session"):
        SparkSource("posts", remote=f"sc://{LOOPBACK}:{port}").describe(panel())
    assert time.monotonic() - begun < 60


def test_a_file_that_comes_while_it_reads_is_not_read_and_one_that_vanishes_fails_the_read(
    remote: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a.parquet", rows(30))
    part = write(tmp_path / "b.parquet", rows(30, first=30))
    source = SparkSource(path=str(tmp_path), remote=remote)
    before = source.candidates(panel(), WINDOW, WHOLE, [20])
    once_while_read(monkeypatch, SparkEngine, partial(write, tmp_path / "c.parquet", rows(3, first=60)))
    assert source.candidates(panel(), WINDOW, WHOLE, [20]) == before
    (tmp_path / "c.parquet").unlink()
    once_while_read(monkeypatch, SparkEngine, part.unlink)
    with pytest.raises(Unreachable, match="cannot be read"):
        source.candidates(panel(), WINDOW, WHOLE, [20])
