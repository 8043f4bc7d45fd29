"""`init`: a configuration and a store, and nothing lost."""

import os

import pytest

from stratawatch.config.loading import load_configuration
from tests.support.store.old_schemas import first_schema


class TestAnEmptyFolder:
    def test_it_gets_a_configuration_that_loads_and_a_store(self, empty):
        document = empty.json("init")
        assert document["wrote_config"] is True
        assert (document["store_before"], document["store"]) == ("empty", "current")
        assert list(load_configuration(empty.config).panels) == ["toxicity"]
        assert (empty.folder / "stratawatch.db").exists()
        assert list(empty.folder.glob(".*")) == []

    def test_every_installation_has_a_seed_of_its_own(self, empty):
        empty.run("init")
        first = load_configuration(empty.config).panels["toxicity"].seed
        empty.run("init", "--force")
        second = load_configuration(empty.config).panels["toxicity"].seed
        assert first != second
        assert "toxicity-1" not in (first, second)

    def test_people_are_told_what_to_do_next(self, empty):
        out = empty.run("init").stdout
        assert "created the store" in out
        assert "Then run `stratawatch check`" in " ".join(out.split())


class TestWhatIsThereAlready:
    def test_a_configuration_is_never_overwritten(self, empty):
        empty.folder.mkdir()
        empty.configure()
        before = empty.config.read_text()
        assert empty.json("init")["wrote_config"] is False
        assert empty.config.read_text() == before
        assert (empty.folder / "stratawatch.db").exists()

    def test_force_keeps_the_old_one_beside_it(self, empty):
        empty.folder.mkdir()
        empty.configure()
        before = empty.config.read_text()
        assert empty.json("init", "--force")["wrote_config"] is True
        assert (empty.folder / "stratawatch.toml.bak").read_text() == before
        assert empty.config.read_text() != before

    def test_force_never_replaces_a_pipe_or_device(self, empty):
        empty.folder.mkdir()
        os.mkfifo(empty.config)
        assert "which is never replaced; name another file" in empty.run("init", "--force", code=2).stderr
        assert [path.name for path in empty.folder.iterdir()] == ["stratawatch.toml"]
        assert empty.config.is_fifo()

    def test_a_store_with_cycles_is_left_as_it_is(self, judged):
        assert judged.json("init")["store_before"] == "current"
        assert len(judged.json("cycles")["cycles"]) == 1

    def test_a_broken_configuration_is_told_not_replaced(self, empty):
        empty.folder.mkdir()
        empty.configure(("budget = 60", "budgt = 60"))
        err = empty.run("init", code=2).stderr
        assert "there is no key 'budgt'; did you mean 'budget'?" in err
        assert not (empty.folder / "stratawatch.db").exists()


class TestOlderStores:
    @pytest.fixture
    def older(self, fresh):
        for file in fresh.folder.glob("stratawatch.db*"):
            file.unlink()
        first_schema(f"sqlite:///{fresh.folder}/stratawatch.db")
        return fresh

    def test_they_are_not_touched_without_being_asked(self, older):
        err = older.run("init", code=2).stderr
        assert "has an older schema" in err
        assert "stratawatch init --upgrade" in err

    def test_upgrade_runs_the_migrations_and_keeps_what_is_there(self, older):
        assert "upgraded the store" in older.run("init", "--upgrade").stdout
        assert [cycle["state"] for cycle in older.json("cycles")["cycles"]] == ["frozen"]
        assert "the store is ready" in older.run("init", "--upgrade").stdout


def test_a_folder_that_cannot_be_written_is_told(empty):
    empty.folder.parent.mkdir(exist_ok=True)
    empty.folder.write_text("a file in the way")
    assert "cannot be written" in empty.run("init", code=2).stderr


class TestWhoMayReadIt:
    def test_nobody_but_its_owner_may_read_a_new_store(self, empty):
        empty.run("init")
        (store,) = empty.folder.glob("stratawatch.db")
        assert f"{store.stat().st_mode & 0o777:o}" == "600"

    def test_one_that_is_there_keeps_its_mode(self, judged):
        (judged.folder / "stratawatch.db").chmod(0o640)
        judged.run("init")
        assert f"{(judged.folder / 'stratawatch.db').stat().st_mode & 0o777:o}" == "640"
