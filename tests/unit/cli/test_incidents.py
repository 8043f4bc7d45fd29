"""`alerts list`, `show`, `ack`, `silence`, `silences` and `unsilence`, and what `status` says of them."""

import pytest


@pytest.fixture
def paged(judged):
    """An installation that has judged a breach and told of it."""
    judged.configure(more='[[alerts]]\nkind = "console"\n')
    judged.run("advance", "--now", "2026-01-12T10:00:00+00:00")
    return judged


def first(home):
    return home.json("alerts", "list")["incidents"][0]


class TestAck:
    def test_is_shown_by_list_show_and_status(self, paged):
        number = str(first(paged)["id"])
        done = paged.run("alerts", "ack", number, "--by", "ann", "--why", "rolling back").stdout
        assert "1 incident acknowledged by ann, 2" in done
        assert (first(paged)["acknowledged_by"], first(paged)["acknowledged_why"]) == ("ann", "rolling back")
        assert "acknowledged by ann" in paged.run("alerts", "list").stdout
        assert "acknowledged by ann" in paged.run("status").stdout
        assert paged.json("status")["incidents"][0]["acknowledged_by"] == "ann"
        assert "ann acknowledged incident" in paged.run("audit").stdout
        (told,) = [one for one in paged.json("alerts", "show", number)["history"] if one["what"] == "acknowledged"]
        assert told["text"] == "by ann: rolling back"

    def test_of_what_somebody_has_acknowledged_says_who_and_changes_nothing(self, paged):
        number = str(first(paged)["id"])
        assert paged.json("alerts", "ack", number, "--by", "ann", "--why", "rolling back")["acknowledged"] == 1
        out = paged.run("alerts", "ack", number, "--by", "bob", "--why", "mine now").stdout
        assert "Nothing to do: acknowledged before, by ann, 2" in " ".join(out.split())
        assert paged.json("alerts", "ack", number, "--by", "bob")["acknowledged"] == 0
        assert (first(paged)["acknowledged_by"], first(paged)["acknowledged_why"]) == ("ann", "rolling back")

    def test_of_what_is_not_there_says_so(self, paged):
        assert "there is no incident 99; `stratawatch alerts list`" in paged.run("alerts", "ack", "99", code=2).stderr
        assert "`stratawatch alerts list` shows them: 2, 1\n" in paged.run("alerts", "show", "99", code=2).stderr


class TestShow:
    def test_tells_its_history_in_order(self, paged):
        shown = paged.json("alerts", "show", str(first(paged)["id"]))
        assert [one["what"] for one in shown["history"]][:2] == ["opened", "judged"]
        (told,) = [one for one in shown["history"] if one["what"] == "told"]
        assert told["text"].startswith("page for 'console': lr (spam): ")
        assert (shown["kind"], shown["resolved_at"], shown["silent_until"]) == ("BREACH", None, None)
        out = paged.run("alerts", "show", str(shown["id"])).stdout
        assert "✖ BREACH" in out
        assert "told: page for 'console'" in out


class TestCutOffs:
    def test_of_an_open_breach_are_a_table(self, paged):
        found = first(paged)
        shown = paged.json("alerts", "show", str(found["id"]))["cut_offs"]
        in_use, *others = shown["rows"]
        assert (in_use["in_use"], in_use["cut_off"]) == (True, None)  # calls come from a column of their own
        assert (shown["metric"], shown["windows"], shown["reason"]) == (found["metric"], 1, None)
        assert 1 <= len(others) <= 7
        assert all(one["precision"]["low"] <= one["precision"]["value"] <= one["precision"]["high"] for one in others)
        out = " ".join(paged.run("alerts", "show", str(found["id"])).stdout.split())
        assert f"Cut-offs of {found['classifier']}" in out
        assert "nothing is applied: a new cut-off is another classifier" in out
        assert "Values are computed in another way than the scorecard's." in out  # of one window
        assert all(f"{one['flags']['value']:,.0f}" in out for one in shown["rows"])


class TestSilence:
    def test_is_listed_with_its_end_and_reason_and_may_be_ended(self, paged):
        made = paged.json("alerts", "silence", "spam", "--for", "2d", "--why", "moving house", "--by", "ann")
        assert (made["scope"], made["over"], made["by"]) == ("spam", False, "ann")
        assert first(paged)["silent_until"] == made["until"]
        for command in (["alerts", "list"], ["alerts", "silences"], ["status"]):
            out = " ".join(paged.run(*command).stdout.split())
            assert "silent until" in out
            assert "by ann: moving house" in out
        assert paged.json("status")["silences"][0]["reason"] == "moving house"
        assert "spam is not silent since" in paged.run("alerts", "unsilence", str(made["id"])).stdout
        assert paged.json("alerts", "silences") == {"silences": []}
        assert paged.json("alerts", "silences", "--all")["silences"][0]["over"]
        assert "was silent until" in paged.run("alerts", "silences", "--all").stdout
        assert "Nothing is silent." in paged.run("alerts", "silences").stdout
        assert first(paged)["silent_until"] is None

    def test_keeps_what_it_holds_out_of_what_is_undelivered(self, judged):
        judged.run("alerts", "silence", "spam", "--for", "2d", "--why", "moving house")
        judged.configure(more='[[alerts]]\nkind = "console"\n')
        judged.run("advance")
        (page,) = [one for one in judged.json("alerts", "list")["notifications"] if one["severity"] == "page"][:1]
        assert (page["state"], page["silent"]) == ("pending", True)
        assert "waiting, silent" in judged.run("alerts", "list").stdout
        assert judged.json("status")["undelivered"] == []

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (["--why", "x"], "a silence needs an end; expected --for with a length of time, 30 days at most"),
            (["--for", "31d", "--why", "x"], "a silence needs an end; expected in 30 days at most"),
            (["--for", "0s", "--why", "x"], "a silence needs an end; expected in 30 days at most"),
            (["--for", "soon", "--why", "x"], '--for is not a length of time; write "90m", "2h", "3d" or "1w"'),
            (["--for", "2d"], "a silence needs a reason; expected words for --why"),
            (["--for", "2d", "--why", "x", "--classifier", "lx"], "there is no classifier with a limit there called"),
            (["--for", "2d", "--why", "x", "--metric", "f1"], "there is no metric with a limit there called 'f1'"),
            (["--for", "2d", "--why", "x", "--segment", "a=b"], "there is no segment with a limit there called 'a=b'"),
        ],
    )
    def test_that_cannot_be_is_refused_in_a_sentence(self, judged, options, sentence):
        assert sentence in judged.run("alerts", "silence", "spam", *options, code=2).stderr

    def test_of_an_unknown_panel_names_those_that_there_are(self, judged):
        done = judged.run("alerts", "silence", "span", "--for", "2d", "--why", "x", code=2)
        assert "there is no panel with a limit called 'span'; expected spam; did you mean 'spam'?" in done.stderr

    def test_that_is_not_there_cannot_be_ended(self, judged):
        assert (
            "there is no silence 5; `stratawatch alerts silences --all` shows them; there is none"
            in judged.run("alerts", "unsilence", "5", code=2).stderr
        )


@pytest.mark.parametrize(
    "command",
    [["ack", "1"], ["show", "1"], ["silences"], ["silence", "spam", "--for", "2d", "--why", "x"], ["unsilence", "1"]],
)
def test_a_store_of_an_older_schema_is_refused_with_what_to_do(judged, command):
    import sqlite3

    with sqlite3.connect(judged.folder / "stratawatch.db") as store:
        store.execute("UPDATE stratawatch_schema SET version_num = '0016'")
    done = judged.run("alerts", *command, code=2)
    assert "0016" in done.stderr
    assert "init --upgrade" in done.stderr
