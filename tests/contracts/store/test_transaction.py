from datetime import datetime, timedelta, timezone
from importlib.util import find_spec

import pytest

from stratawatch.adapters.store import SqlStore, migrate, open_store
from stratawatch.adapters.store.schema import EXPECTED
from stratawatch.errors import ConfigError, StratawatchError, Unreachable
from tests.support.store.examples import NOW, WEEK, open_cycle, spec


class TestBegin:
    def test_rolls_back_without_a_commit(self, store):
        with store.begin() as tx:
            open_cycle(tx)
        with store.begin() as tx:
            assert tx.cycles.find() == ()
            assert tx.panels.latest() == {}

    def test_rolls_back_when_the_block_raises(self, store):
        def trip():
            with store.begin() as tx:
                open_cycle(tx)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            trip()
        with store.begin() as tx:
            assert tx.cycles.find() == ()

    def test_keeps_what_was_committed_and_only_that(self, store):
        with store.begin() as tx:
            open_cycle(tx, 0)
            tx.commit()
            open_cycle(tx, 1)
        with store.begin() as tx:
            assert [cycle.period for cycle in tx.cycles.find()] == [0]

    def test_shows_nothing_to_others_before_the_commit(self, store, open_stores, store_url):
        with store.begin() as tx:
            open_cycle(tx)
            if store_url.startswith("postgresql"):  # SQLite lets the other one wait instead
                with open_stores().begin() as other:
                    assert other.cycles.find() == ()
            tx.commit()
        with open_stores().begin() as other:
            assert len(other.cycles.find()) == 1

    def test_survives_reopening(self, store, open_stores):
        with store.begin() as tx:
            open_cycle(tx)
            tx.commit()
        store.dispose()
        with open_stores().begin() as tx:
            assert tx.cycles.find()[0].window.end == tx.cycles.find()[0].window.start + WEEK


class TestTimes:
    def test_without_an_offset_are_refused(self, store):
        naive = datetime(2026, 1, 5)  # noqa: DTZ001
        with store.begin() as tx, pytest.raises(StratawatchError, match="without its offset from UTC"):
            tx.panels.save(spec(), naive)

    def test_come_back_in_utc_to_the_microsecond(self, store):
        there = NOW.astimezone(timezone(timedelta(hours=-7)))
        with store.begin() as tx:
            tx.leases.take("a", "me", there, there + timedelta(microseconds=1))
            assert not tx.leases.take("a", "you", NOW, NOW + WEEK)
            assert tx.leases.take("a", "you", NOW + timedelta(microseconds=1), NOW + WEEK)
            version = tx.panels.save(spec(), NOW)
            from tests.support.store.examples import window

            cycle = tx.cycles.get(tx.cycles.open("spam", version, 0, window(), there))
        assert cycle.opened_at == NOW
        assert cycle.opened_at.utcoffset() == timedelta(0)


class TestAddress:
    @pytest.mark.parametrize("url", ["mysql://u:secret@h/d", "not a url secret", "postgresql://u:secret@h:port/d"])
    def test_that_cannot_be_used_is_refused_without_its_password(self, url):
        with pytest.raises(ConfigError) as error:
            open_store(url)
        assert "secret" not in str(error.value)

    @pytest.mark.postgres
    def test_that_nobody_answers_is_unreachable_without_its_password(self, tmp_path):
        assert find_spec("psycopg") is not None
        with pytest.raises(Unreachable, match="did not answer") as error:
            open_store(f"postgresql://u:secret@/d?host={tmp_path}")
        assert "secret" not in str(error.value)

    def test_in_a_folder_that_is_not_there_is_unreachable(self, tmp_path):
        with pytest.raises(Unreachable, match="did not answer"):
            migrate(f"sqlite:///{tmp_path}/no/such/folder.db")

    def test_of_a_file_that_is_no_database_is_refused(self, tmp_path):
        (tmp_path / "notes.txt").write_text("my notes " * 200)
        with pytest.raises(ConfigError, match="is not a SQLite database"):
            open_store(f"sqlite:///{tmp_path}/notes.txt")
        assert (tmp_path / "notes.txt").read_text() == "my notes " * 200

    def test_of_a_damaged_file_is_told_with_a_remedy(self, tmp_path, migrated_sqlite):
        whole = migrated_sqlite.read_bytes()
        (tmp_path / "half.db").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(StratawatchError, match="restore it from a backup"):
            open_store(f"sqlite:///{tmp_path}/half.db")

    @pytest.mark.postgres
    @pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
    def test_of_postgresql_may_be_spelt_in_every_usual_way(self, postgres_url, scheme):
        store = SqlStore(postgres_url.replace("postgresql+psycopg", scheme), create=True)
        assert store.describe()["database"].startswith("PostgreSQL ")
        store.dispose()

    def test_is_described_with_its_database_and_schema(self, store):
        found = store.describe()
        assert found["database"].split()[0] in ("SQLite", "PostgreSQL")
        assert found["schema"] == EXPECTED


class TestSqliteFile:
    def test_is_set_up_to_survive_a_kill_and_a_power_cut(self, migrated_sqlite):
        from sqlalchemy import text

        store = open_store(f"sqlite:///{migrated_sqlite}")
        with store._engine.connect() as sql:
            found = {
                name: sql.scalar(text(f"PRAGMA {name}"))
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            }
        store.dispose()
        assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000}
