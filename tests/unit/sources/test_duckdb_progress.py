"""A query is watched only where somebody listens, and what is told grows to one."""

from threading import active_count

import duckdb
import pytest

from stratawatch.adapters.sources import duckdb_progress
from stratawatch.adapters.sources.duckdb_progress import reporting_progress
from stratawatch.adapters.sources.duckdb_session import DuckDBLimits, duckdb_session
from stratawatch.engine.progress import is_listened_to, listen, phase, report_progress


class TestProgress:
    def test_a_phase_is_told_when_it_begins_and_when_it_is_done(self):
        heard = []
        with listen(lambda name, share: heard.append((name, share))), phase("counting"):
            report_progress(0.5)
        assert heard == [("counting", None), ("counting", 0.5), ("counting", 1.0)]
        assert not is_listened_to()

    def test_a_phase_that_fails_is_never_done(self):
        heard = []
        with listen(lambda _, share: heard.append(share)), pytest.raises(ValueError), phase("counting"):
            raise ValueError
        assert heard == [None]

    def test_nobody_listens_and_nothing_happens(self):
        with phase("counting"):
            report_progress(0.5)


class TestWatched:
    def test_a_long_query_tells_how_far_it_is(self, monkeypatch):
        monkeypatch.setattr(duckdb_progress, "_EVERY", 0.01)
        heard = []
        with (
            duckdb_session(DuckDBLimits(threads=1)) as connection,
            listen(lambda name, share: heard.append((name, share))),
            phase("counting"),
        ):
            connection.execute("CREATE TABLE t AS SELECT CAST(range AS VARCHAR) AS item FROM range(1_500_000)")
            with reporting_progress(connection):
                connection.execute("SELECT MAX(MD5(item)) FROM t").fetchall()
        shares = [share for name, share in heard if share is not None]
        assert {name for name, _ in heard} == {"counting"}
        assert len(shares) > 3
        assert shares == sorted(shares)
        assert shares[-1] == 1.0

    def test_without_a_listener_there_is_no_second_thread(self):
        before = active_count()
        with duckdb.connect(":memory:") as connection, reporting_progress(connection):
            assert active_count() == before
