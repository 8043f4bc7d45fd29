"""The mark by which readers know that the store changed, and stores that take no lock."""

import shutil
from threading import Thread

import pytest

from stratawatch.adapters.store import SqlStore
from stratawatch.adapters.store.change_mark import ChangeMark
from stratawatch.errors import Unreachable
from tests.support.store.examples import NOW


def write(store, name="advance"):
    with store.begin() as tx:
        tx.last_runs.record(name, NOW, [], good=True)
        tx.commit()


@pytest.fixture
def mark(store_url):
    made = ChangeMark(store_url)
    yield made
    made.close()


class TestMark:
    def test_changes_with_every_commit(self, store, mark):
        marks = [mark.read()]
        for name in ("a", "b", "c"):
            write(store, name)
            marks.append(mark.read())
        assert len(set(marks)) == 4

    def test_stays_while_nothing_is_written(self, store, store_url, mark):
        write(store)
        first = mark.read()
        with store.begin() as tx:
            tx.last_runs.get("advance")
        looking = SqlStore(store_url, only_looking=True)
        with looking.begin() as tx:
            tx.last_runs.get("advance")
        looking.dispose()
        assert mark.read() == mark.read()
        if store_url.startswith("sqlite"):  # others write to the same PostgreSQL beside
            assert mark.read() == first

    def test_is_read_by_many_threads(self, store, mark):
        found = []
        threads = [Thread(target=lambda: found.append(mark.read())) for _ in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert len(found) == 8


def test_a_store_that_was_put_in_its_place_is_another_one(migrated_sqlite, tmp_path):
    file = tmp_path / "store.db"
    shutil.copy(migrated_sqlite, file)
    mark = ChangeMark(f"sqlite:///{file}")
    before = mark.read()
    shutil.copy(migrated_sqlite, tmp_path / "restored.db")
    (tmp_path / "restored.db").replace(file)
    assert mark.read() != before
    store = SqlStore(f"sqlite:///{file}")
    before = mark.read()
    write(store)
    assert mark.read() != before
    store.dispose()
    file.unlink()
    with pytest.raises(Unreachable, match="did not answer"):
        mark.read()
    mark.close()


def test_looking_waits_for_no_writer(store, store_url):
    write(store, "advance")
    looking = SqlStore(store_url, only_looking=True)
    with store.begin() as writing:
        writing.last_runs.record("advance", NOW, ["down"], good=False)
        with looking.begin() as tx:
            assert tx.last_runs.get("advance").troubles == ()
        writing.commit()
    with looking.begin() as tx:
        assert tx.last_runs.get("advance").troubles == ("down",)
    looking.dispose()
