"""An advance that finds little to do says what it waits for: windows to be opened, files to be named otherwise."""

from stratawatch.errors import Unreachable
from tests.unit.cli.conftest import NOW


class TestWindowsThatWereNotOpened:
    def test_are_told_where_no_panel_is_in_the_store_yet(self, fresh):
        out = fresh.run("advance", "--now", NOW).stdout
        assert f"1 window of spam is over and not opened: `stratawatch open --now {NOW}`\n" in out
        assert fresh.json("advance", "--now", NOW)["unopened"] == [
            {
                "panel": "spam",
                "windows": 1,
                "sentence": "1 window of spam is over and not opened",
                "command": f"stratawatch open --now {NOW}",
            }
        ]

    def test_are_told_by_the_clock_without_a_moment(self, fresh):
        (row,) = fresh.json("advance")["unopened"]
        assert row["windows"] > 1
        assert row["command"] == "stratawatch open --newest 1"

    def test_of_a_new_panel_are_told_with_what_open_needs_to_begin(self, fresh):
        later = "2026-01-19T06:00:00+00:00"
        (row,) = fresh.json("advance", "--now", later)["unopened"]
        assert (row["windows"], row["command"]) == (2, f"stratawatch open --now {later} --newest 1")
        assert len(fresh.json(*row["command"].split()[1:])["opened"]) == 1

    def test_are_told_of_a_panel_with_judged_windows(self, judged):
        out = judged.run("advance", "--now", "2026-01-26T06:00:00+00:00").stdout
        assert "2 windows of spam are over and not opened: `stratawatch open" in out

    def test_are_none_once_opened(self, fresh):
        fresh.run("open", "--now", NOW)
        assert fresh.json("advance", "--now", NOW)["unopened"] == []

    def test_are_none_of_a_panel_that_is_paused_or_not_asked_for(self, fresh):
        fresh.configure(("budget = 60", "budget = 60\npaused = true"))
        assert fresh.json("advance", "--now", NOW)["unopened"] == []
        text = fresh.config.read_text().replace("paused = true", "")
        fresh.config.write_text(text + "\n" + text[text.index("[panels.spam]") :].replace("spam", "scam"))
        assert [one["panel"] for one in fresh.json("advance", "--now", NOW, "-p", "scam")["unopened"]] == ["scam"]

    def test_that_were_over_in_a_pause_are_none(self, judged):
        text = judged.config.read_text()
        judged.config.write_text(text.replace("budget = 60", "budget = 60\npaused = true"))
        for day in ("12", "20"):
            judged.run("open", "--now", f"2026-01-{day}T10:00:00+00:00")
        judged.config.write_text(text)
        assert judged.json("advance", "--now", "2026-01-20T11:00:00+00:00")["unopened"] == []

    def test_are_none_while_as_many_cycles_are_under_way_as_may_be(self, fresh):
        late = "2026-04-06T06:00:00+00:00"
        fresh.run("open", "--all", "--now", late)
        assert len(fresh.json("cycles")["cycles"]) == 8
        from stratawatch.engine.cycle.unopened_windows import unopened_windows
        from stratawatch.wiring import build

        installation = build(fresh.config)
        assert unopened_windows(installation.ports, installation.panels) == ()


class TestFilesThatAreNotRead:
    def put(self, home, *names):
        for name in names:
            (home.folder / "queue" / "in" / name).write_text("x\n")

    def test_are_told_by_the_first_name_and_their_number(self, fresh):
        fresh.run("open", "--now", NOW)
        fresh.run("advance", "--now", NOW)
        self.put(fresh, "labels.csv", "answers.json", "batch.JSONL", ".draft.csv")
        out = fresh.run("advance", "--now", NOW).stdout
        assert "! 3 files in in/ are not read, such as answers.json: only names that end in .jsonl are\n" in out
        assert fresh.json("advance", "--now", NOW)["unread_files"] == ["answers.json", "batch.JSONL", "labels.csv"]

    def test_are_none_where_all_are_read(self, judged):
        assert judged.json("advance", "--now", "2026-01-12T10:00:00+00:00")["unread_files"] == []

    def test_are_left_to_the_advance_where_the_queue_is_away(self, fresh, monkeypatch):
        from stratawatch.adapters.queues.folder import FolderQueue

        def away(_):
            raise Unreachable("the folder could not be listed")

        monkeypatch.setattr(FolderQueue, "unread_files", away)
        assert fresh.json("advance", "--now", NOW)["unread_files"] == []


class TestAnswersThatAreOutstanding:
    def test_are_told_by_the_advances_after_the_one_that_asked(self, fresh):
        fresh.run("open", "--now", NOW)
        asking = fresh.run("advance", "--now", NOW).stdout
        assert "looked at: 1 window to read, 1 window to plan, 1 batch to send" in asking
        assert "waits for" not in asking, "it has just said what it asked, and until when"
        (row,) = fresh.json("advance", "--now", NOW)["waits"]
        waiting = fresh.run("status", "--now", NOW).stdout
        assert row["sentence"].removeprefix("cycle 1 ") in " ".join(waiting.split())
        assert row["sentence"] in " ".join(fresh.run("advance", "--now", NOW).stdout.split())

    def test_are_none_once_all_came(self, judged):
        out = judged.run("advance", "--now", "2026-01-12T10:00:00Z").stdout
        assert "nothing was due" in out
        assert judged.json("advance", "--now", "2026-01-12T10:00:00Z")["waits"] == []
