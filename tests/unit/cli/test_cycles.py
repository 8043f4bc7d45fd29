"""`cycles`: list, show, cancel, reopen, resend."""

from stratawatch.engine.labels import dispatch_batch
from tests.unit.cli.conftest import NOW, ROWS


class TestList:
    def test_cycles_are_listed_with_their_window_and_state(self, judged):
        (cycle,) = judged.json("cycles")["cycles"]
        assert (cycle["id"], cycle["panel"], cycle["state"]) == (1, "spam", "judged")
        assert cycle["window_end"] == "2026-01-12T00:00:00+00:00"
        assert "2026-01-05 to 2026-01-12  judged" in judged.run("cycles").stdout

    def test_by_state(self, judged):
        assert judged.json("cycles", "--state", "open")["cycles"] == []
        assert "There is no such cycle yet" in judged.run("cycles", "--state", "open").stdout

    def test_a_state_that_does_not_exist_is_told(self, judged):
        assert "no state 'judgd'; expected open, frozen" in judged.run("cycles", "--state", "judgd", code=2).stderr

    def test_a_panel_that_does_not_exist_is_told(self, judged):
        assert "there is no panel 'x'" in judged.run("cycles", "--panel", "x", code=2).stderr


class TestShow:
    def test_every_move_is_there(self, judged):
        document = judged.json("cycles", "show", "1")
        states = [move["new"] for move in document["moves"] if move["entity"] == "cycle"]
        assert states == ["frozen", "labelling", "settled", "judged"]
        assert [one["labels"] for one in document["rounds"]] == [24, 60]
        assert {batch["state"] for batch in document["batches"]} == {"closed"}
        assert document["revision"] == 1
        assert document["profile"]["rows"] == 2000

    def test_people_see_the_moves_with_their_reasons(self, judged):
        judged.columns = 60
        out = judged.run("cycles", "show", "1").stdout
        assert "cycle 1: open -> frozen" in out
        assert max(map(len, out.splitlines())) <= 60

    def test_a_cycle_that_does_not_exist_is_told(self, judged):
        assert judged.run("cycles", "show", "99", code=2).stderr.startswith("stratawatch: ")

    def test_an_option_before_the_subcommand_is_not_read_and_forgotten(self, judged, tmp_path):
        err = judged.run("cycles", "--config", str(tmp_path / "other.toml"), "show", "1", code=2).stderr
        assert "there is no configuration other.toml" in err
        assert "--panel stands before 'show'" in judged.run("cycles", "--panel", "spam", "show", "1", code=2).stderr


class TestIntervening:
    def test_cancel_ends_a_cycle_with_its_reason(self, fresh):
        fresh.run("open", "--now", NOW)
        assert fresh.json("cycles", "cancel", "1", "--why", "wrong export") == {"cycle": 1, "state": "cancelled"}
        document = fresh.json("cycles", "show", "1")
        assert (document["state"], document["reason"]) == ("cancelled", "wrong export")

    def test_a_judged_cycle_cannot_be_cancelled(self, judged):
        err = judged.run("cycles", "cancel", "1", "--why", "x", code=2).stderr
        assert err == "stratawatch: cycle 1 cannot be cancelled; expected open, frozen or labelling; got judged\n"

    def test_cancel_wants_a_reason(self, judged):
        assert "--why" in judged.run("cycles", "cancel", "1", code=2).stderr

    def test_reopen_gives_a_refused_window_another_chance(self, fresh):
        fresh.predict("SELECT * FROM (SELECT 'a' AS id, TIMESTAMP '2025-01-01' AS \"at\", 'x' AS \"text\", 'DE' AS country, "
                      "0.5 AS score_lr, 0.5 AS score_rf, true AS pred_lr)")  # fmt: skip
        fresh.run("open", "--now", NOW)
        out = fresh.run("advance", "--now", NOW, code=1).stdout
        assert "cycle 1: open -> refused: the window" in " ".join(out.split())
        refused = fresh.json("cycles", "show", "1")
        assert refused["state"] == "refused"
        assert "has no rows" in refused["reason"]
        fresh.run("cycles", "reopen", "1", "--why", "export mended")
        fresh.predict()
        fresh.run("advance", "--now", NOW)
        assert fresh.json("cycles", "show", "1")["state"] == "labelling"

    def test_only_a_refused_one_can_be_reopened(self, judged):
        err = judged.run("cycles", "reopen", "1", "--why", "x", code=2).stderr
        assert "cannot be reopened; expected refused; got judged" in err

    def test_resend_puts_batches_back_that_were_given_up(self, fresh, monkeypatch):
        monkeypatch.setattr(dispatch_batch, "MOST_SENDS", 3)
        out = fresh.folder / "queue" / "out"
        out.parent.mkdir()
        out.write_text("a file where the folder should be")
        fresh.run("open", "--now", NOW)
        for _ in range(2):
            fresh.run("advance", "--now", NOW, code=2)
        fresh.run("advance", "--now", NOW)
        assert [batch["state"] for batch in fresh.json("cycles", "show", "1")["batches"]] == ["failed"]
        assert '`stratawatch cycles resend 1 --why "..."` sends it again' in fresh.run("status").stdout
        out.unlink()
        assert fresh.json("cycles", "resend", "1", "--why", "disk mended") == {"cycle": 1, "batches": 1}
        fresh.run("advance", "--now", NOW)
        assert [batch["state"] for batch in fresh.json("cycles", "show", "1")["batches"]] == ["sent"]

    def test_resend_of_a_cycle_that_does_not_exist_is_told(self, judged):
        judged.run("cycles", "resend", "99", "--why", "x", code=2)


class TestBadRows:
    def test_each_reason_of_a_refused_window_is_counted_and_some_rows_are_shown_with_their_values(self, fresh):
        number = "CAST(substr(id, 6) AS INTEGER)"
        fresh.predict(
            f"SELECT * REPLACE (CASE WHEN {number} < 30 THEN 7.5 ELSE score_lr END AS score_lr,"
            f"CASE WHEN {number} >= 1980 THEN NULL ELSE id END AS id) FROM ({ROWS})"
        )
        fresh.run("open", "--now", NOW)
        fresh.run("advance", "--now", NOW, code=1)
        document = fresh.json("cycles", "show", "1")
        assert (document["profile"]["rows"], document["profile"]["bad_rows"]) == (2000, 50)
        assert [(one["rows"], one["example"]) for one in document["faults"]] == [(30, "7.5"), (20, None)]
        assert document["set_aside"][0]["unreadable"] == {"score of lr": "7.5"}
        out = fresh.run("cycles", "show", "1").stdout
        assert "50 of 2,000 rows (2.50%) cannot be used:\n" in out
        assert "  30: the score of 'lr' in 'score_lr' is not a probability in [0, 1] (such as '7.5')\n" in out
        assert "  20: the item id in 'id' is missing\n" in out
        assert f"  {document['set_aside'][0]['key']}: the score of 'lr' in 'score_lr' is not" in out

    def test_of_a_window_without_any_nothing_is_said(self, judged):
        assert judged.json("cycles", "show", "1")["faults"] == []
        assert "cannot be used" not in judged.run("cycles", "show", "1").stdout

    def test_of_a_window_that_was_not_counted_nothing_is_known(self, fresh):
        fresh.run("open", "--now", NOW)
        assert fresh.json("cycles", "show", "1")["faults"] == []


class TestAPanelThatLeft:
    def leave(self, home):
        home.run("open", "--now", NOW)
        home.run("advance", "--now", NOW)
        home.config.write_text(home.config.read_text().replace("panels.spam", "panels.mail"))

    def test_is_a_problem_and_named_by_status_until_somebody_decides(self, fresh):
        self.leave(fresh)
        problems = [one["problem"] for one in fresh.json("check", "--now", NOW, code=1)["problems"]]
        assert any("panel 'spam' is not configured any more, and 1 cycle of it under way" in one for one in problems)
        assert "panel spam is not configured any more; 1 cycle under way, undecided" in fresh.run("status").stdout
        assert fresh.json("cycles", "retire", "spam", "--finish", "--why", "renamed") == {
            "panel": "spam",
            "cancelled": [],
        }
        assert "spam" not in " ".join(one["problem"] for one in fresh.json("check", "--now", NOW)["problems"])
        assert fresh.json("status")["left_panels"] == [
            {"panel": "spam", "cycles": 1, "incidents": 0, "decision": "finish"}
        ]

    def test_its_cycles_can_be_given_up(self, fresh):
        self.leave(fresh)
        assert fresh.json("cycles", "retire", "spam", "--cancel", "--why", "a trial")["cancelled"] == [1]
        assert fresh.json("cycles", "show", "1")["reason"] == "a trial"
        assert fresh.json("status")["left_panels"] == []

    def test_one_of_the_two_has_to_be_said(self, fresh):
        self.leave(fresh)
        assert "--cancel or --finish" in fresh.run("cycles", "retire", "spam", "--why", "x", code=2).stderr


def test_the_audit_log_says_who_cancelled(fresh):
    assert "Nothing was done by hand." in fresh.run("audit").stdout
    fresh.run("open", "--now", NOW)
    fresh.run("cycles", "cancel", "1", "--why", "wrong export", "--by", "kim")
    (entry,) = fresh.json("audit", "--since", "2026-01-01")["entries"]
    assert (entry["by"], entry["action"], entry["why"]) == ("kim", "cancelled", "wrong export")
    assert fresh.json("audit", "--since", "2199-01-01") == {"entries": []}
    assert "kim cancelled cycle 1 of spam" in fresh.run("audit").stdout


class TestBackfill:
    def test_opens_past_windows_once_and_says_so(self, fresh):
        stretch = (
            "--panel",
            "spam",
            "--from",
            "2026-01-05",
            "--to",
            "2026-01-06",
            "--now",
            "2026-02-16T00:00:00+00:00",
        )
        assert "opened 1 cycle of spam" in fresh.run("backfill", *stretch, "--why", "a trial").stdout
        reason = "every one that is over has a cycle"
        assert fresh.json("backfill", *stretch) == {"opened": [], "left": 0, "reason": reason}
        assert f"opened 0 cycles of spam: {reason}" in fresh.run("backfill", *stretch).stdout
        (entry,) = fresh.json("audit")["entries"]
        assert (entry["action"], entry["subject"], entry["why"]) == ("backfilled", "1 window of spam", "a trial")
        assert "no panel 'spamm'" in fresh.run("backfill", "-p", "spamm", *stretch[2:], code=2).stderr

    def test_says_why_nothing_was_opened(self, fresh):
        def answer(first, last, code=0):
            stretch = ("--from", first, "--to", last, "--now", "2026-04-20T00:00:00+00:00")
            return fresh.run("backfill", "--panel", "spam", *stretch, code=code)

        swapped = answer("2026-02-01", "2026-01-10", code=2).stderr
        assert "--from is after --to; got --from 2026-02-01 --to 2026-01-10; swap them" in swapped
        assert "none of these windows is over yet" in answer("2026-04-21", "2026-05-10").stdout
        assert "opened 7 cycles of spam\n" in answer("2026-01-05", "2026-03-10").stdout
        out = answer("2026-01-05", "2026-03-10").stdout
        assert "opened 0 cycles of spam: the panel has as many cycles under way as it may" in out
        assert "3 windows left: say it again when cycles under way are judged" in out


class TestRerun:
    def test_a_judged_window_gets_a_new_cycle_and_keeps_the_old_one(self, judged):
        (old,) = judged.json("cycles")["cycles"]
        done = judged.json("cycles", "rerun", str(old["id"]), "--why", "scores corrected")
        (new,) = judged.json("cycles")["cycles"]
        assert (new["id"], new["state"], new["opened_at"]) == (done["cycle"], "open", old["opened_at"])
        shown = judged.json("cycles", "show", str(old["id"]))
        assert shown["state"] == "judged"
        assert shown["reason"].startswith("corrected on ")
        assert judged.json("estimates")["estimates"] == []
        assert {row["replaced"] for row in judged.json("estimates", "--history")["estimates"]} == {True}
        assert "cannot be run again" in judged.run("cycles", "rerun", str(new["id"]), "--why", "x", code=2).stderr
        cancelled = judged.run("cycles", "cancel", str(new["id"]), "--why", "wrong number").stdout
        assert f"judged before as cycle {old['id']}, has no estimates that hold now" in cancelled
        assert f'`stratawatch cycles rerun {new["id"]} --why "..."` reads it again' in " ".join(cancelled.split())
        again = judged.json("cycles", "rerun", str(new["id"]), "--why", "right number")["cycle"]
        cancelled = judged.run("cycles", "cancel", str(again), "--why", "wrong again").stdout
        assert f"judged before as cycle {old['id']}, has no estimates" in cancelled
