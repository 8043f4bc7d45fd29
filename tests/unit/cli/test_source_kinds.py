"""Commands on sources that are not files: what `check` says, and a window that is opened and frozen from a table."""

import duckdb
import pytest

from tests.unit.cli.conftest import NOW, ROWS

FILES = 'kind = "files"\npath = "predictions/*.parquet"'
DUCKDB = 'kind = "duckdb"\npath = "predictions.duckdb"\ntable = "weekly"'


@pytest.fixture
def tables(fresh):
    """An installation whose predictions are in a table of a DuckDB file."""
    fresh.configure((FILES, DUCKDB))
    with duckdb.connect(str(fresh.folder / "predictions.duckdb")) as connection:
        connection.execute(f"CREATE TABLE weekly AS {ROWS}")
    return fresh


class TestDuckDB:
    def test_check_says_what_was_found(self, tables):
        found = tables.json("check", "--now", NOW)["found"]["source of spam"]
        assert (found["table"], found["rows"]) == ("weekly", "2,000")
        assert "score_lr" in found["columns"]

    def test_a_cycle_is_frozen_and_keeps_what_was_read(self, tables):
        tables.run("open", "--now", NOW)
        tables.run("advance", "--now", NOW)
        (cycle,) = tables.json("cycles")["cycles"]
        shown = tables.json("cycles", "show", str(cycle["id"]))
        assert cycle["state"] == "labelling"
        assert shown["source_version"]["table"] == "weekly"

    def test_a_file_that_is_not_there_is_told_at_its_line(self, tables):
        (tables.folder / "predictions.duckdb").unlink()
        (problem,) = tables.json("check", "--now", NOW, code=1)["problems"]
        assert problem["place"] == "panels.spam.source.path, line 13"
        assert "cannot be looked at; got No such file" in problem["problem"]


class TestPostgres:
    LINES = 'kind = "postgres"\nurl = "postgresql://me@127.0.0.1:1/x"\ntable = "weekly"'

    def test_a_server_that_does_not_answer_is_told_at_its_address(self, fresh):
        fresh.configure((FILES, self.LINES))
        (problem,) = fresh.json("check", "--now", NOW, code=1)["problems"]
        assert problem["place"].startswith("panels.spam.source.url, line 13")
        assert problem["problem"].startswith("PostgreSQL does not let this program in; got connection ")
        assert problem["problem"].endswith("check the source's url and password, and that the server runs")

    def test_a_missing_password_is_told(self, fresh):
        fresh.configure((FILES, self.LINES + '\npassword = "${env:NOT_THERE}"'))
        (problem,) = fresh.json("check", "--now", NOW, code=1)["problems"]
        assert "the environment variable NOT_THERE is not set" in problem["problem"]
