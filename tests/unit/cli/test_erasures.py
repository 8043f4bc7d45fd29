"""`labels about` and `labels erase`: one item, by command."""

import gc
import json

from stratawatch.engine.model.erasure import name_of_erased
from tests.support.played_windows import play
from tests.unit.cli.conftest import ROWS

WHY = ("--why", "request 4711", "--by", "ann")


def first_drawn(home) -> str:
    return home.json("labels", "drawn")["drawn"][0]["item"]


def close_stores() -> None:
    """Elsewhere each command is a process of its own, and has closed the store."""
    gc.collect()


def test_all_that_is_kept_about_an_item_is_listed(judged):
    item = first_drawn(judged)
    kept = judged.json("labels", "about", "--item", item)["panels"]["spam"]
    assert {name: len(rows) for name, rows in kept.items() if rows} == {
        "candidates": 1,
        "draws": 1,
        "labels": 1,
        "batches": 1,
    }
    assert kept["batches"][0]["payload"] == {"text": f"text {item.removeprefix('item-')}"}
    assert "draws 1" in judged.run("labels", "about", "--item", item).stdout
    assert "spam: nothing" in judged.run("labels", "about", "--item", "none").stdout


def test_an_item_is_erased_everywhere_and_a_restore_does_not_bring_it_back(judged, monkeypatch):
    monkeypatch.chdir(judged.folder)
    judged.run("backup", "backup.db")
    item, estimates = first_drawn(judged), judged.json("estimates")
    assert "say --yes" in judged.run("labels", "erase", "--item", item, *WHY, code=2).stderr
    assert first_drawn(judged) == item
    done = judged.json("labels", "erase", "--item", item, *WHY, "--yes")
    assert (done["erased"]["draws"], done["queue_away"]) == (1, None)
    close_stores()
    text = f'"text {item.removeprefix("item-")}"'
    kept = [path for path in judged.folder.rglob("*") if path.is_file() and path.name != "backup.db"]
    assert [path.name for path in kept if text.encode() in path.read_bytes()] == []
    assert judged.json("estimates") == estimates
    (entry,) = [one for one in judged.json("audit")["entries"] if one["action"] == "erased"]
    assert (entry["by"], entry["why"]) == ("ann", "request 4711")
    assert item not in json.dumps(entry)
    close_stores()
    steps = judged.json("restore", "backup.db")["next"]
    assert not any("erase" in step for step in steps)
    names = [one["item"] for one in judged.json("labels", "drawn")["drawn"]]
    assert item not in names
    assert name_of_erased(item) in names
    assert judged.json("estimates") == estimates


def test_a_restore_that_could_not_erase_again_says_so(judged, monkeypatch):
    monkeypatch.chdir(judged.folder)
    judged.run("backup", "backup.db")
    item = first_drawn(judged)
    judged.run("labels", "erase", "--item", item, *WHY, "--yes")
    listed = judged.folder / "stratawatch.db.erasures.jsonl"
    kept = listed.read_text()
    listed.write_text("junk\n")
    close_stores()
    assert "stratawatch labels erase --again" in judged.json("restore", "backup.db")["next"][0]
    assert "cannot be read" in judged.run("labels", "erase", "--again", code=2).stderr
    listed.write_text(kept)
    assert judged.json("labels", "erase", "--again")["erased"]["draws"] == 1
    assert "erased: nothing" in judged.run("labels", "erase", "--again").stdout


def test_what_cannot_be_meant_is_refused(judged):
    item = first_drawn(judged)
    for words, reason in (
        (["--item", item, "--yes"], "say why"),
        (["--item", item, "--yes", "--why", f"because of {item}"], "without the item's id"),
        (["--item", item, "--yes", "--why", f"request 4711 ({item.upper()})."], "without the item's id"),
        (["--item", item, "--yes", *WHY, "--by", item], "say who does it, without the item's id"),
        (["--item", item, "--yes", *WHY, "--by", f"ann, for {item}"], "say who does it, without the item's id"),
        (["--yes", *WHY], "--item ID, or --again"),
        (["--item", item, "--again", *WHY], "--item ID, or --again"),
        (["--item", name_of_erased(item), "--yes", *WHY], "was erased"),
        (["--item", item, "--yes", "--panel", "none", *WHY], "there is no panel"),
        (["--item", item, "--yes", "--list", "/nowhere/list", *WHY], "nothing was erased"),
    ):
        assert reason in judged.run("labels", "erase", *words, code=2).stderr
    assert first_drawn(judged) == item


def test_an_item_that_comes_again_after_its_erasure_is_exported_as_its_newest_window_has_it(fresh):
    again = """SELECT * REPLACE ("at" + INTERVAL 7 DAY AS "at")"""
    rows = ROWS.replace("'item-'", "'a-'")  # before the name of an erased one, in the order of letters
    fresh.configure(more='\n[panels.spam.drift]\nreplay = "warn"\n')
    fresh.predict(rows)
    play(fresh, "12")
    item = first_drawn(fresh)
    fresh.run("labels", "erase", "--item", item, *WHY, "--yes")
    fresh.predict(f"{rows} UNION ALL {again} FROM ({rows})")
    play(fresh, "19")
    lines = [one for one in fresh.json("labels", "export")["labels"] if one["cycle"] == 2]
    assert item in {one["item"] for one in lines}
    assert all(one["payload"]["text"] == f"text {one['item'].removeprefix('a-')}" for one in lines)
