"""`labels`: out, in, and the items to keep out of training."""

import csv
import json
import os
import re
from datetime import UTC, datetime

import pytest

from stratawatch.adapters.queues.label_line import Origin, read_line
from stratawatch.cli.label_files import read_labels
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.errors import StratawatchError
from tests.unit.cli.conftest import NOW, ROWS


@pytest.fixture
def item(judged) -> str:
    """An item that was drawn."""
    return judged.json("labels", "drawn")["drawn"][0]["item"]


class TestExport:
    def test_lines_of_json_by_default(self, judged):
        rows = [json.loads(line) for line in judged.run("labels", "export").stdout.splitlines()]
        assert len(rows) == 60
        assert set(rows[0]) == {
            "panel",
            "item",
            "value",
            "annotator",
            "at",
            "source",
            "event_id",
            "item_key",
            "question_key",
            "cycle",
            "window_start",
            "window_end",
            "stratum",
            "weight",
            "segments",
            "payload",
            "calls",
            "scores",
        }
        assert {row["value"] for row in rows} == {"yes", "no"}

    def test_each_line_has_what_is_known_of_its_item(self, judged):
        for row in judged.json("labels", "export")["labels"]:
            number = int(row["item"].removeprefix("item-"))
            score = (number * 7919) % 2003 / 2003
            assert row["payload"] == {"text": f"text {number}"}
            assert row["segments"] == {"country": "FR" if number % 3 else "DE"}
            assert row["calls"]["lr"] == ("called" if score >= 0.5 else "passed")
            assert row["scores"]["lr"] == pytest.approx(score, abs=0.04)
            assert (row["cycle"], row["window_start"]) == (1, "2026-01-05T00:00:00+00:00")
            assert row["weight"] >= 1

    def test_csv_by_the_files_ending(self, judged):
        to = judged.folder / "labels.csv"
        judged.run("labels", "export", "--to", str(to))
        with to.open(newline="") as handle:
            lines = list(csv.DictReader(handle))
        rows = judged.json("labels", "export")["labels"]
        nested = {"segments", "payload", "calls", "scores"}
        for line, row in zip(lines, rows, strict=True):
            assert {name: line[name] for name in row if name not in nested} == {
                name: str(value) for name, value in row.items() if name not in nested
            }
            assert {name for name in line if "." in name} == {f"{name}.{one}" for name in nested for one in row[name]}
            assert line["payload.text"] == row["payload"]["text"]

    @pytest.mark.parametrize("name", ["labels.jsonl", "labels.csv"])
    def test_what_was_exported_is_known_when_it_comes_back(self, judged, item, name):
        by_hand, to = judged.folder / "by_hand.jsonl", judged.folder / name
        by_hand.write_text(json.dumps({"item": item, "value": "skip", "annotator": "bob"}))
        judged.run("labels", "import", str(by_hand))
        judged.run("labels", "export", "--to", str(to))
        before = judged.json("labels", "export")
        got = judged.json("labels", "import", str(to))
        assert (got["lines"], got["new"], got["known_before"], got["unknown"]) == (61, 0, 61, 0)
        assert judged.json("labels", "export") == before

    def test_a_line_that_was_changed_since_its_export_is_another_label(self, judged):
        line, *_ = judged.json("labels", "export")["labels"]
        changed = judged.folder / "changed.jsonl"
        changed.write_text(json.dumps({**line, "value": "no" if line["value"] == "yes" else "yes"}))
        assert judged.json("labels", "import", str(changed))["new"] == 1
        assert len(judged.json("labels", "export")["labels"]) == 61

    def test_a_new_file_can_be_read_by_its_owner_alone(self, judged):
        to = judged.folder / "labels.jsonl"
        judged.run("labels", "export", "--to", str(to))
        assert oct(to.stat().st_mode & 0o777) == "0o600"

    @pytest.mark.parametrize("command", ["drawn", "waiting"])
    def test_files_without_what_labellers_saw_have_the_usual_mode(self, judged, command):
        to = judged.folder / "items.jsonl"
        judged.run("labels", command, "--to", str(to))
        (judged.folder / "usual").touch()
        assert to.stat().st_mode == (judged.folder / "usual").stat().st_mode

    def test_what_labellers_saw_may_be_long(self, fresh):
        fresh.predict(ROWS.replace("'text ' || i", "'text ' || i || ' ' || repeat('long ', 30000)"))
        fresh.run("open", "--now", NOW)
        fresh.run("advance", "--now", NOW)
        assert fresh.answer() == 24
        fresh.run("advance", "--now", "2026-01-12T08:00:00+00:00")
        to = fresh.folder / "long.csv"
        fresh.run("labels", "export", "--to", str(to))
        assert to.stat().st_size > 24 * 150_000
        assert fresh.json("labels", "import", str(to))["known_before"] == 24

    def test_another_ending_is_refused(self, judged):
        assert "expected .csv or .jsonl; got x.xlsx" in judged.run("labels", "export", "--to", "x.xlsx", code=2).stderr

    def test_a_file_that_cannot_be_written_is_told(self, judged):
        err = judged.run("labels", "export", "--to", str(judged.folder / "no" / "x.csv"), code=2).stderr
        assert "cannot be written; got No such file or directory" in err


class TestDrawn:
    def test_every_item_ever_drawn_once(self, judged):
        rows = judged.json("labels", "drawn")["drawn"]
        assert len({row["item"] for row in rows}) == len(rows) == 60
        assert min(row["first_drawn_at"] for row in rows) == "2026-01-12T06:00:00+00:00"

    def test_they_are_the_items_that_have_labels(self, judged):
        drawn = {row["item"] for row in judged.json("labels", "drawn")["drawn"]}
        assert drawn == {row["item"] for row in judged.json("labels", "export")["labels"]}


class TestFormulas:
    FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=quoted", "plain", "'tis")

    def test_a_spreadsheet_calculates_nothing_of_an_export(self, judged, item):
        lines = [{"item": item, "value": "yes", "annotator": name} for name in self.FORMULAS]
        path = judged.folder / "names.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        judged.run("labels", "import", str(path))
        out = judged.folder / "labels.csv"
        judged.run("labels", "export", "--to", str(out))
        with out.open(encoding="utf-8", newline="") as handle:
            cells = [cell for row in csv.reader(handle) for cell in row]
        assert {cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))} == set()
        assert {"'=1+1", "''=quoted", "plain", "'tis"} <= set(cells)
        assert sorted(label.annotator for label in read_labels(out) if label.annotator != "ann") == sorted(
            self.FORMULAS
        )


class TestImport:
    def write(self, judged, name: str, text: str) -> str:
        path = judged.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def test_new_labels_count_once_however_often_they_are_imported(self, judged, item):
        path = self.write(judged, "x.csv", f"item,value,annotator\n{item},no,bob\n")
        assert judged.json("labels", "import", path) == {
            "panel": "spam",
            "lines": 1,
            "new": 1,
            "unknown": 0,
            "misdated": 0,
            "known_before": 0,
        }
        assert judged.json("labels", "import", path)["known_before"] == 1
        words = [row for row in judged.json("labels", "export")["labels"] if row["annotator"] == "bob"]
        assert [(row["item"], row["value"]) for row in words] == [(item, "no")]

    def test_a_label_makes_a_new_revision_at_the_next_advance(self, judged, item):
        old = [row["value"] for row in judged.json("labels", "export")["labels"] if row["item"] == item]
        word = "no" if old == ["yes"] else "yes"
        lines = "".join(json.dumps({"item": item, "value": word, "annotator": name}) + "\n" for name in "bc")
        judged.run("labels", "import", self.write(judged, "x.jsonl", lines))
        judged.run("advance", "--now", "2026-01-13T00:00:00+00:00")
        assert judged.json("cycles", "show", "1")["revision"] == 2

    def test_items_that_were_never_drawn_wait_and_that_is_told(self, judged, item):
        lines = [{"item": item, "value": True, "annotator": "bob"}, {"item": "nobody", "value": "yes"}]
        path = self.write(judged, "x.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        out = judged.run("labels", "import", path).stdout
        assert "1 new label event of 2 lines for spam" in out
        assert "1 line for items that were not drawn: they count once their item is" in " ".join(out.split())
        (waiting,) = judged.json("labels", "waiting")["waiting"]
        assert (waiting["value"], waiting["annotator"], len(waiting["item_key"])) == ("yes", "import", 64)
        assert "! 1 label waits until the items (1) are drawn, since" in " ".join(judged.run("status").stdout.split())
        done = judged.json("advance", "--now", "2026-01-12T10:00:00+00:00")["labels"]
        assert (done["waiting"], done["waiting_items"]) == (1, 1)

    @pytest.mark.parametrize(
        "said", ["yes", " No ", "SKIP", "retract", True, False, None, 1, 1.0, "0.0", 0.5, "maybe", "", []]
    )
    def test_it_takes_the_words_that_the_queue_takes(self, tmp_path, said):
        line = json.dumps({"item": "a", "key": "a", "value": said})
        queued = read_line(line.encode(), Origin("folder", "ann.jsonl", 1, datetime(2026, 1, 5, tzinfo=UTC)))
        path = tmp_path / "x.jsonl"
        path.write_text(line + "\n")
        if isinstance(queued, QuarantinedRow):
            with pytest.raises(StratawatchError, match=re.escape(queued.reason)):
                read_labels(path)
        else:
            assert [label.value for label in read_labels(path)] == [queued.value]

    def test_cells_that_are_empty_beyond_the_columns_are_no_obstacle(self, judged, item):
        path = self.write(judged, "x.csv", f"item,value,annotator,,\n{item},no,bob,,,\n")
        assert judged.json("labels", "import", path)["new"] == 1

    def test_odd_items_survive_the_way_in(self, judged):
        odd = 'quote " comma , new\nline 🙂'
        lines = json.dumps({"item": odd, "value": "yes"}) + "\n"
        assert judged.json("labels", "import", self.write(judged, "x.jsonl", lines))["unknown"] == 1

    @pytest.mark.parametrize(
        ("name", "text", "told"),
        [
            ("x.csv", "item,value\na,maybe\n", "line 2: 'value' is none of yes, no, skip, retract, true, false"),
            ("x.csv", "item,label\na,yes\n", "no column 'value'"),
            ("x.csv", "", "no column 'item'"),
            ("x.csv", "item,value\n,yes\n", "line 2: has no 'item'"),
            ("x.csv", 'item,value\n"a,yes\n', "is not CSV at line"),
            ("x.jsonl", '{"item": "a", "value": "yes"}\n{"item": "b", "val', "line 2: not valid JSON"),
            (
                "x.jsonl",
                '{"item": "\\ud800", "value": "yes"}\n',
                "line 1: 'item' holds characters that no store can keep",
            ),
            ("x.jsonl", "[1]\n", "line 1: not a JSON object"),
            ("x.jsonl", '{"item": 3, "value": "yes"}\n', "line 1: 'item' is not a text"),
            ("x.csv", "item,value\na,\n", "line 2: has no 'value'"),
            ("x.csv", "item,value\na\n", "line 2: has no 'value'"),
            ("x.jsonl", '{"item": "a"}\n', "line 1: has no 'value'"),
            ("x.jsonl", '{"item": "a", "value": "yes", "annotator": ""}\n', "line 1: 'annotator' is empty"),
            ("x.jsonl", '{"item": "a", "value": "yes", "at": "2026-01-01"}\n', "line 1: 'at' has no offset from UTC"),
            ("x.csv", "item,value\na,yes,no\n", "line 2: has more cells than the first line; put quotes around"),
            ("x.csv", "item,value,value\na,yes,no\n", "x.csv has the column 'value' twice, so nothing was imported"),
            ("x.jsonl", '{"item": "a", "value": "yes", "annotator": "\\u200b"}\n', "line 1: 'annotator' is empty"),
            ("x.txt", "a yes", "x.txt is no label file; expected .csv or .jsonl; got .txt"),
        ],
    )
    def test_a_bad_line_is_told_and_nothing_is_imported(self, judged, item, name, text, told):
        good = f"{item},no\n" if name == "x.csv" and text.count("\n") > 1 else ""
        head, _, rest = text.partition("\n")
        path = self.write(judged, name, f"{head}\n{rest}{good}" if text else text)
        before = judged.json("labels", "export")
        assert told in judged.run("labels", "import", path, code=2).stderr
        assert judged.json("labels", "export") == before

    def test_many_bad_lines_are_told_in_short(self, judged):
        path = self.write(judged, "x.jsonl", "x\n" * 30)
        err = judged.run("labels", "import", path, code=2).stderr
        assert "has 30 bad lines, so nothing was imported" in err
        assert "... and 20 more" in err

    def test_a_file_that_is_not_there_is_told(self, judged):
        assert "cannot be read; got No such file" in judged.run("labels", "import", "nope.csv", code=2).stderr

    def test_an_unknown_panel_is_told(self, judged, item):
        path = self.write(judged, "x.csv", f"item,value\n{item},no\n")
        assert "there is no panel 'spm'" in judged.run("labels", "import", path, "--panel", "spm", code=2).stderr

    @pytest.mark.parametrize(
        ("chosen", "who"), [((), "no panel has a window yet"), (("--panel", "spam"), "panel 'spam' has no window yet")]
    )
    def test_before_the_first_open_it_says_to_run_that(self, fresh, chosen, who):
        path = self.write(fresh, "x.csv", "item,value\nitem-1,no\n")
        said = " ".join(fresh.run("labels", "import", path, *chosen, code=2).stderr.split())
        assert who in said
        assert "run `stratawatch open` first" in said
        assert "there is no panel 'spm'; expected spam" in " ".join(
            fresh.run("labels", "import", path, "--panel", "spm", code=2).stderr.split()
        )
        fresh.run("open", "--now", NOW)
        assert fresh.json("labels", "import", path, *chosen)["unknown"] == 1


class TestWhatDoesNotCount:
    @pytest.fixture
    def visited(self, fresh):
        """An installation whose queue brought a bad line twice, a label in the future and one of an unknown item."""
        fresh.run("advance")
        known = {"key": "ab" * 32, "value": "yes", "annotator": "ann", "at": "2026-01-12T07:00:00+00:00"}
        lines = [json.dumps(line) for line in (known, {**known, "at": "2100-01-01T00:00:00+00:00"})]
        (fresh.folder / "queue" / "in" / "ann.jsonl").write_text("\n".join(["oops", *lines, "oops"]) + "\n")
        return fresh, known

    def test_advance_and_status_name_files_that_are_not_read_once(self, fresh):
        fresh.run("advance")
        for name in ("labels.csv", "more.json"):
            path = fresh.folder / "queue" / "in" / name
            path.write_text("item,value\n")
            os.utime(path, (0, 0))
        (fresh.folder / "queue" / "in" / "draft.jsonl.part").write_text("it is written still")
        (fresh.folder / "queue" / "in" / "old").mkdir()
        out = fresh.run("advance").stdout
        assert "labels: 0 new, 0 for unknown items, 2 rejected" in out
        assert (
            "  the first that did not count: the file is not read: its name does not end in .jsonl (labels.csv)" in out
        )
        assert "0 rejected" in fresh.run("advance").stdout
        status = " ".join(fresh.run("status").stdout.split())
        assert "(2: the file is not read: its name does not end in .jsonl, as in labels.csv)" in status

    def test_advance_status_and_a_list_name_it(self, visited):
        home, known = visited
        out = home.run("advance").stdout
        assert "labels: 0 new, 1 for unknown items, 2 rejected" in out
        assert "  the first that did not count: not valid JSON (ann.jsonl, line 1)" in out
        assert "`stratawatch labels set-aside` lists what was rejected or set aside" in out
        assert "`stratawatch labels waiting` lists them" in out

        (home.folder / "queue" / "in" / "again.jsonl").write_text(json.dumps(known) + "\n")
        assert "labels: 0 new, 1 known already" in home.run("advance").stdout

        status = " ".join(home.run("status").stdout.split())
        assert "! 3 labels set aside in the last 7 days (1: a label that is dated in the future, as" in status
        assert "2: not valid JSON, as in ann.jsonl)" in status
        assert "`stratawatch labels set-aside` lists them" in status
        assert "`stratawatch labels waiting` lists them" in status
        reasons = {row["reason"]: row["labels"] for row in home.json("status")["set_aside"]}
        assert reasons == {"a label that is dated in the future": 1, "not valid JSON": 2}

        rows = {row["reason"]: row for row in home.json("labels", "set-aside")["set_aside"]}
        assert (rows["not valid JSON"]["origin"], rows["not valid JSON"]["count"]) == ("ann.jsonl", 2)
        assert "text oops" in home.run("labels", "set-aside").stdout

    def test_answers_by_item_id_are_rejected_with_file_and_line(self, fresh):
        fresh.run("advance")
        lines = [json.dumps({"key": key, "value": "yes", "annotator": "kim"}) for key in ("item-1", "item-2")]
        (fresh.folder / "queue" / "in" / "kim.jsonl").write_text("\n".join(lines) + "\n")
        reason = "no key of a question; answers carry the `key` of the line that asked"
        out = " ".join(fresh.run("advance").stdout.split())
        assert "labels: 0 new, 0 for unknown items, 2 rejected" in out
        assert f"the first that did not count: 'item-1' is {reason} (kim.jsonl, line 1)" in out
        assert "wait" not in out
        assert f"(2: {reason}, as in kim.jsonl)" in " ".join(fresh.run("status").stdout.split())
        (row,) = fresh.json("labels", "set-aside")["set_aside"]
        assert (row["origin"], row["reason"], row["count"]) == ("kim.jsonl", reason, 2)
        assert [(line["key"], line["line"]) for line in row["lines"]] == [("item-1", 1), ("item-2", 2)]
        assert fresh.json("labels", "waiting")["waiting"] == []
        assert fresh.run("labels", "waiting").stdout == "No label waits.\n"

    def test_those_that_wait_are_a_table_with_their_items(self, judged):
        home = judged
        known = {"key": "ab" * 32, "value": "yes", "annotator": "ann", "at": "2026-01-12T07:00:00+00:00"}
        (home.folder / "queue" / "in" / "stray.jsonl").write_text(json.dumps(known) + "\n")
        home.run("advance")
        drawn = {row["item"] for row in home.json("labels", "drawn")["drawn"]}
        held = {f"item-{number}" for number in range(2000)} - drawn
        lines = [json.dumps({"item": item, "value": "no", "annotator": "bo"}) for item in sorted(held)]
        (home.folder / "by-hand.jsonl").write_text("\n".join(lines) + "\n")
        home.run("labels", "import", str(home.folder / "by-hand.jsonl"))
        home.columns = 140
        heading, stranger, *others = home.run("labels", "waiting").stdout.splitlines()
        assert heading.split() == ["item", "who", "value", "when", "why", "it", "waits"]
        assert stranger.startswith("key abababab...")
        assert "ann  yes    2026-01-12 07:00  its key is that of no item in the newest windows" in stranger
        named = [line for line in others if line.startswith("item-")]
        assert named
        assert all(line.split()[0] in held and "cycle 1 has not drawn the item" in line for line in named)
        assert len(home.json("labels", "waiting")["waiting"]) == 1 + len(held)

    def test_channels_hear_of_it_where_it_is_more_than_a_few(self, fresh):
        fresh.configure(more='\n[[alerts]]\nkind = "console"\n')
        fresh.run("advance")
        line = json.dumps({"key": "ab" * 32, "value": "yes", "annotator": "ann", "at": "2026-01-12T07:00:00+00:00"})
        (fresh.folder / "queue" / "in" / "few.jsonl").write_text("\n".join([line] * 19 + ["oops"]) + "\n")
        assert "WARNING" not in fresh.run("advance").stderr
        (fresh.folder / "queue" / "in" / "two.jsonl").write_text("oops\noops\n")
        for number in range(3):
            other = fresh.folder / "queue" / "in" / f"{number}.csv"
            other.write_text("item,value\n")
            os.utime(other, (0, 0))
        assert "WARNING" not in fresh.run("advance").stderr
        (fresh.folder / "queue" / "in" / "many.jsonl").write_text("\n".join([line] * 17 + ["oops"] * 3) + "\n")
        told = " ".join(fresh.run("advance").stderr.split())
        assert "Labels are set aside: 3 of 20 labels that came do not count" in told
        assert "The first: not valid JSON (many.jsonl, line 18)." in told
        (fresh.folder / "queue" / "in" / "many.jsonl").write_text("\n".join([line] * 17 + ["oops"] * 5) + "\n")
        assert "WARNING" not in fresh.run("advance").stderr

    def test_status_counts_it_too_where_it_was_read_as_of_a_time_in_the_past(self, visited):
        home, _ = visited
        (home.folder / "queue" / "in" / "ann.jsonl").write_text("oops\n")
        home.run("advance", "--now", "2026-01-12T08:00:00+00:00")
        status = " ".join(home.run("status").stdout.split())
        assert "! 1 label set aside in the last 7 days (1: not valid JSON, as in ann.jsonl)" in status
