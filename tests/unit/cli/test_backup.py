"""`backup` and `restore`: a drill with a folder of label files, by commands alone."""

import shutil

import pytest

from stratawatch.adapters.store.schema import EXPECTED
from tests.unit.cli.conftest import NOW

HOURS = [f"2026-01-12T{hour:02}:00:00+00:00" for hour in range(8, 15)]


def finish(home, times):
    """Advance hour by hour, answering what is out."""
    for at in times:
        home.answer()
        home.run("advance", "--now", at)


def estimates(home):
    return [(row["classifier"], row["metric"], row["value"]) for row in home.json("estimates")["estimates"]]


@pytest.mark.parametrize("moment", ["before it is opened", "opened", "sent"])
def test_a_lost_store_is_replaced_by_its_backup_and_every_label_counts(fresh, moment, monkeypatch):
    monkeypatch.chdir(fresh.folder)
    fresh.run("labels", "adopt-queue")  # as `init` does
    if moment != "before it is opened":
        fresh.run("open", "--now", NOW)
    if moment == "sent":
        fresh.run("advance", "--now", NOW)
    made = fresh.json("backup", "backup.db")
    assert (made["schema"], made["label_events"]) == (EXPECTED, 0)
    fresh.run("open", "--now", NOW)
    fresh.run("advance", "--now", NOW)
    finish(fresh, HOURS[:3])
    before = estimates(fresh)
    assert len(before) == 6

    (fresh.folder / "stratawatch.db").write_bytes(b"lost")
    done = fresh.json("restore", "backup.db")
    assert done["cycles"] == (moment != "before it is opened")
    assert done["next"][0].startswith("stratawatch check: ")
    fresh.run("open", "--now", HOURS[3])
    labels = fresh.json("advance", "--now", HOURS[3])["labels"]
    assert (labels["new"], labels["unknown"]) == ((60 - 36, 36) if moment == "sent" else (0, 60))
    for at in HOURS[4:]:
        fresh.run("advance", "--now", at)
    assert estimates(fresh) == before
    assert fresh.json("status")["waiting_labels"] == {"labels": 0, "items": 0, "since": None}


def test_batches_sent_since_the_backup_are_named_until_they_are_planned_again(fresh, monkeypatch):
    monkeypatch.chdir(fresh.folder)
    fresh.run("labels", "adopt-queue")
    fresh.run("backup", "backup.db")
    fresh.run("open", "--now", NOW)
    fresh.run("advance", "--now", NOW)
    sent = sorted(path.stem for path in (fresh.folder / "queue" / "out").iterdir())
    (fresh.folder / "stratawatch.db").write_bytes(b"lost")
    fresh.run("restore", "backup.db")
    fresh.run("advance", "--now", HOURS[0])
    assert fresh.json("status")["unplanned_batches"] == sent
    assert f"such as {sent[0]}, sent before a restore" in " ".join(fresh.run("status").stdout.split())
    fresh.run("open", "--now", HOURS[1])
    fresh.run("advance", "--now", HOURS[1])
    assert fresh.json("status")["unplanned_batches"] == []
    assert "sent before a restore" not in " ".join(fresh.run("status").stdout.split())


def test_what_was_done_and_comes_next_is_told(judged, monkeypatch):
    monkeypatch.chdir(judged.folder)
    assert "1 cycle, 60 label events, as it stood after 2026-01-12 09:00" in judged.run("backup", "b.db").stdout
    out = " ".join(judged.run("restore", "b.db").stdout.split())
    assert "restored the store from b.db: 1 cycle, 60 label events" in out
    assert "stratawatch.db.before-restore-" in out
    assert "What comes next: 1. stratawatch check" in out


def test_a_backup_that_is_there_is_kept_and_the_status_says_so(judged, monkeypatch):
    monkeypatch.chdir(judged.folder)
    shutil.copy(judged.folder / "stratawatch.db", judged.folder / "b.db")
    assert "b.db is there already" in judged.run("backup", "b.db", code=2).stderr


def test_another_part_of_the_configuration_may_be_broken(judged, monkeypatch):
    monkeypatch.chdir(judged.folder)
    judged.config.write_text(judged.config.read_text() + "\n[nonsense]\nx = 1\n")
    judged.run("backup", "b.db")


def test_of_postgres_the_commands_are_named_and_the_status_is_2(judged, monkeypatch, tmp_path):
    monkeypatch.chdir(judged.folder)
    judged.environment["STRATAWATCH_STORE__URL"] = "postgresql://watch@db.example/watch"
    told = judged.run("backup", "b.dump", "--json", code=2)
    assert "pg_dump --format=custom --file=b.dump postgresql://watch@db.example/watch" in told.stderr
    assert told.stdout == ""
    assert "pg_restore" in judged.run("restore", "b.dump", code=2).stderr
