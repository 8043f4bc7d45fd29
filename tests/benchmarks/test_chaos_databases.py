"""The databases that the chaos benchmark makes: a server that crashes must not lose what a restored store has counted."""

import pytest
import sqlalchemy

from benchmarks.chaos.databases import PostgresDatabases


@pytest.fixture
def databases(tmp_path_factory):
    started = PostgresDatabases.start(tmp_path_factory.mktemp("pg") / "server")
    yield started
    started.close()


def test_a_database_that_was_put_back_counts_on_after_a_crash(databases, tmp_path):
    def run(*commands: str) -> None:
        engine = sqlalchemy.create_engine(databases.url("one"))
        with engine.begin() as sql:
            for command in commands:
                sql.execute(sqlalchemy.text(command))
        engine.dispose()

    databases._execute("CREATE DATABASE one")
    run("CREATE TABLE t (id serial PRIMARY KEY, x int)", "INSERT INTO t (x) VALUES (1), (2)")
    databases.back_up("one", tmp_path, "0")
    databases.put_back("one", tmp_path, "0")
    run("INSERT INTO t (x) VALUES (3), (4)")
    databases.stop_server()
    databases.start_server()
    run("INSERT INTO t (x) VALUES (5)")
