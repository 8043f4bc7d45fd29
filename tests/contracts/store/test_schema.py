import re
import subprocess
import sys
from importlib.resources import files

import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import IntegrityError

from stratawatch.adapters.store import SqlStore, migrate, open_store, schema_state
from stratawatch.adapters.store.schema import EXPECTED, REVISIONS, VERSION_TABLE, alembic_config
from stratawatch.adapters.store.tables import METADATA
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.model.states import BatchState, CycleState, Entity, RoundState
from stratawatch.errors import SchemaMismatch
from tests.support.store.examples import NOW, open_cycle
from tests.support.store.table_shapes import shape


def pretend(url, revision):
    engine = create_engine(url)
    with engine.begin() as sql:
        sql.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = :r"), {"r": revision})
    engine.dispose()


def create_all(url):
    engine = create_engine(url)
    METADATA.create_all(engine)
    engine.dispose()


class TestState:
    def test_of_nothing_is_empty_and_looking_creates_nothing(self, empty_url):
        assert schema_state(empty_url) == "empty"
        with pytest.raises(SchemaMismatch, match=r"holds no stratawatch schema.*stratawatch init"):
            open_store(empty_url)
        assert schema_state(empty_url) == "empty"

    def test_of_a_missing_file_does_not_create_it(self, tmp_path):
        url = f"sqlite:///{tmp_path}/store.db"
        assert schema_state(url) == "empty"
        with pytest.raises(SchemaMismatch):
            open_store(url)
        assert list(tmp_path.iterdir()) == []

    def test_of_a_database_of_somebody_elses_is_empty(self, empty_url):
        engine = create_engine(empty_url)
        with engine.begin() as sql:
            sql.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
        engine.dispose()
        assert schema_state(empty_url) == "empty"
        migrate(empty_url)
        assert schema_state(empty_url) == "current"

    def test_of_an_unknown_revision_is_newer_and_refused_with_a_remedy(self, store_url):
        pretend(store_url, "9999")
        assert schema_state(store_url) == "newer"
        with pytest.raises(
            SchemaMismatch, match=r"newer schema than this program.*got schema 9999.*version of stratawatch"
        ):
            open_store(store_url)
        with pytest.raises(SchemaMismatch, match="newer schema"):
            migrate(store_url)
        with pytest.raises(SchemaMismatch, match="newer schema"):
            SqlStore(store_url, create=True)

    def test_of_an_earlier_revision_is_older_and_refused_with_a_remedy(self, store_url, monkeypatch):
        monkeypatch.setattr("stratawatch.adapters.store.schema.REVISIONS", ("0000", *REVISIONS))
        pretend(store_url, "0000")
        assert schema_state(store_url) == "older"
        with pytest.raises(
            SchemaMismatch, match=rf"older schema.*expected schema {EXPECTED}; got schema 0000.*init --upgrade"
        ):
            open_store(store_url)

    def test_is_read_without_waiting_for_a_writer(self, store, store_url):
        with store.begin() as tx:
            open_cycle(tx)
            assert schema_state(store_url) == "current"
            open_store(store_url).dispose()


class TestMigrate:
    def test_creates_a_store_that_opens(self, empty_url):
        migrate(empty_url)
        assert schema_state(empty_url) == "current"
        open_store(empty_url).dispose()

    def test_can_be_repeated_and_keeps_what_is_there(self, store, store_url):
        with store.begin() as tx:
            open_cycle(tx)
            tx.commit()
        migrate(store_url)
        SqlStore(store_url, create=True).dispose()
        with store.begin() as tx:
            assert len(tx.cycles.find()) == 1

    def test_makes_exactly_the_tables_that_the_program_means(self, empty_url, other):
        migrate(empty_url)
        create_all(other)
        assert shape(empty_url) == shape(other)

    def test_leaves_alembic_nothing_to_do(self, store_url):
        from alembic.autogenerate import compare_metadata
        from alembic.migration import MigrationContext

        engine = create_engine(store_url)
        with engine.connect() as sql:
            options = {"compare_type": True, "compare_server_default": True, "version_table": VERSION_TABLE}
            assert compare_metadata(MigrationContext.configure(sql, opts=options), METADATA) == []
        engine.dispose()

    def test_does_all_of_it_or_nothing(self, empty_url, monkeypatch):
        monkeypatch.setattr("alembic.runtime.migration.HeadMaintainer.update_to_step", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            migrate(empty_url)
        monkeypatch.undo()
        assert shape(empty_url) == {}
        migrate(empty_url)
        assert schema_state(empty_url) == "current"

    def test_by_two_processes_at_once_is_done_once(self, empty_url):
        code = "import sys; from stratawatch.adapters.store import migrate; migrate(sys.argv[1])"
        both = [subprocess.Popen([sys.executable, "-c", code, empty_url], stderr=subprocess.PIPE) for _ in range(2)]
        errors = [process.communicate(timeout=60)[1].decode() for process in both]
        assert [process.returncode for process in both] == [0, 0], errors
        assert schema_state(empty_url) == "current"


class TestRevisions:
    def test_are_those_of_the_migrations_and_the_last_is_expected(self):
        from alembic.script import ScriptDirectory

        script = ScriptDirectory.from_config(alembic_config())
        assert tuple(each.revision for each in reversed(list(script.walk_revisions()))) == REVISIONS
        assert script.get_heads() == [EXPECTED]

    def test_are_written_as_literal_text(self):
        folder = files("stratawatch.sql") / "migrations" / "versions"
        sources = [file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(".py")]
        assert len(sources) == len(REVISIONS)
        assert not [source for source in sources if "import stratawatch" in source or "from stratawatch" in source]


def words(check):
    return re.findall(r"'([^']*)'", check)


STATES = {
    ("cycles", "state"): CycleState,
    ("rounds", "state"): RoundState,
    ("batches", "state"): BatchState,
    ("alarm_states", "state"): AlarmState,
    ("incidents", "kind"): AlarmState,
    ("transitions", "entity"): Entity,
}


class TestChecks:
    @pytest.mark.parametrize(
        ("place", "states"), STATES.items(), ids=lambda v: ".".join(v) if isinstance(v, tuple) else ""
    )
    def test_name_exactly_the_states_of_the_engine(self, store_url, place, states):
        table, column = place
        engine = create_engine(store_url)
        checks = {check["name"]: check["sqltext"] for check in inspect(engine).get_check_constraints(table)}
        engine.dispose()
        assert words(checks[f"ck_{table}_{column}"]) == [state.value for state in states]

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE cycles SET state = 'done'",
            "UPDATE cycles SET window_end = window_start",
            "INSERT INTO cycles SELECT 99, panel, version_id, 99, window_start, window_end, 'x', opened_at, NULL, 0, '', '', NULL, profile, source_version, NULL, FALSE, FALSE, NULL, NULL FROM cycles",
            "UPDATE cycles SET version_id = 12345",
        ],
    )
    def test_stop_what_no_program_of_ours_would_write(self, store, statement):
        with store.begin() as tx:
            open_cycle(tx)
            with pytest.raises(IntegrityError):
                tx._sql.execute(text(statement))

    def test_stop_half_an_estimate(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx._sql.execute(
                text("INSERT INTO revisions VALUES (1, :c, 1, 'f', 0, :at)"),
                {"c": cycle, "at": NOW.replace(tzinfo=None) if tx._sql.dialect.name == "sqlite" else NOW},
            )
            half = "INSERT INTO estimates VALUES (1, 0, 'lr', 'precision', NULL, NULL, NULL, '', 0.5, NULL, 1.0, 10.0, NULL, 5, 'm', 0.95, NULL)"
            with pytest.raises(IntegrityError):
                tx._sql.execute(text(half))
