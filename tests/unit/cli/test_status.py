"""`status`: states, open cycles, incidents, unanswered batches; on both databases and in narrow terminals."""

import re
import sqlite3
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

import pytest

from stratawatch.adapters.number_queries import BESIDE_STATUS
from stratawatch.adapters.status_queries import expected_schema, read_status
from stratawatch.adapters.store import SqlStore
from stratawatch.adapters.store.schema import EXPECTED
from stratawatch.cli.status_document import age, cycle_row, waits_for
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from tests.support.fakes import MONDAY
from tests.support.scenario import Scenario
from tests.support.store.old_schemas import first_schema
from tests.unit.cli.conftest import NOW


class TestAJudgedInstallation:
    def test_every_stream_has_its_state_value_and_window(self, judged):
        streams = judged.json("status")["streams"]
        assert [(row["classifier"], row["metric"]) for row in streams] == [
            ("lr", "precision"),
            ("rf", "false_omission_rate"),
        ]
        first = streams[0]
        assert first["state"] == "BREACH"
        assert 0 < first["low"] < first["value"] < first["high"] < 1
        assert first["window_start"] == "2026-01-05T00:00:00+00:00"

    def test_it_agrees_with_the_estimates(self, judged):
        known = {(row["classifier"], row["metric"]): row for row in judged.json("estimates")["estimates"]}
        for stream in judged.json("status")["streams"]:
            row = known[stream["classifier"], stream["metric"]]
            assert [stream[key] for key in ("value", "low", "high", "labels_used", "state", "revision")] == [
                row[key] for key in ("value", "low", "high", "labels_used", "state", "revision")
            ]

    def test_a_state_has_its_word_and_its_sign_in_text(self, judged):
        assert "✖ BREACH" in judged.run("status").stdout

    def test_a_state_that_is_not_ok_has_its_reason(self, judged):
        streams = judged.json("status")["streams"]
        out = " ".join(judged.run("status").stdout.split())
        (doubtful,) = [row for row in streams if row["state"] not in ("OK", "BREACH")]
        assert f"rf false omission rate: {doubtful['reason']}" in out

    def test_estimates_say_the_same_reason(self, judged):
        status, estimates = (" ".join(judged.run(name).stdout.split()) for name in ("status", "estimates"))
        said = re.search(r"rf false omission rate: .*?(?= \S+ rf | No open cycles)", status)[0]
        assert said in estimates
        assert "is proven below the floor of 97.0%" in estimates
        assert "is proven below" not in " ".join(judged.run("estimates", "--classifier", "rf").stdout.split())

    def test_a_moment_that_is_named_takes_the_place_of_the_clock(self, judged):
        out = judged.run("status", "--now", "2026-01-12T10:00:00Z").stdout
        assert "Last advance ended at " in out
        assert "is the clock right?" not in out
        assert judged.json("status", "--now", "2026-01-12T10:00:00Z")["now"] == "2026-01-12T10:00:00+00:00"

    def test_an_open_incident_is_told_with_its_reason(self, judged):
        incidents = {(row["classifier"], row["metric"]): row for row in judged.json("status")["incidents"]}
        incident = incidents["lr", "precision"]
        assert incident["kind"] == "BREACH"
        assert incident["opened_at"] == "2026-01-12T09:00:00+00:00"
        out = " ".join(judged.run("status").stdout.split())
        assert f"{len(incidents)} open incident" in out
        assert "BREACH: precision of lr (spam), since 2026-01-12 09:00" in out
        assert "is proven below the floor of 97.0%" in out

    def test_it_says_as_plan_does_what_became_of_forecasts(self, judged):
        (found,) = judged.json("status")["forecast_records"]
        assert found["panel"] == "spam"
        assert (found["plans"], found["left_out"], [one["cycle"] for one in found["windows"]]) == (1, 0, [1])
        assert found["inside"] + found["wider"] + found["narrower"] == found["half_widths"]
        sentence = f"Forecast of the last plan: {found['inside']} of {found['half_widths']} intervals came out as wide"
        assert found["sentence"].startswith(sentence)
        assert f"spam: {sentence}" in " ".join(judged.run("status").stdout.split())
        (outlook,) = judged.json("plan", "--now", NOW)["outlooks"]
        assert {"panel": "spam", **outlook["record"]} == found
        assert sentence in " ".join(judged.run("plan", "--now", NOW).stdout.split())

    def test_before_a_window_is_judged_it_says_nothing_of_forecasts(self, fresh):
        fresh.run("open", "--now", NOW)
        fresh.run("advance", "--now", NOW)
        assert fresh.json("status")["forecast_records"] == []
        assert "Forecast" not in fresh.run("status").stdout

    @pytest.mark.parametrize("columns", [40, 60, 80, 200])
    def test_no_line_is_longer_than_the_terminal_and_nothing_is_cut(self, judged, columns):
        judged.columns = columns
        out = judged.run("status").stdout
        assert max(map(len, out.splitlines())) <= columns
        assert "…" not in out
        assert "rf false omission rate" in " ".join(out.split())


class TestCyclesUnderWay:
    def test_an_advance_says_what_it_asked_where_and_until_when(self, fresh):
        fresh.run("open", "--now", NOW)
        done = fresh.json("advance", "--now", NOW)
        assert done["asked"] == [
            {
                "panel": "spam",
                "cycle": 1,
                "questions": 24,
                "queue": str(fresh.folder / "queue"),
                "answers_until": "2026-01-15T06:00:00+00:00",
            }
        ]
        fresh.answer()
        out = " ".join(fresh.run("advance", "--now", "2026-01-12T08:00:00+00:00").stdout.split())
        assert "spam: 36 questions are out in" in out
        assert "answers until Thursday, 2026-01-15 06:00 UTC" in out
        assert fresh.json("advance", "--now", "2026-01-12T08:10:00+00:00")["asked"] == []

    def test_a_cycle_waits_for_its_answers_and_its_batch_is_out(self, fresh):
        fresh.run("open", "--now", NOW)
        assert fresh.json("status")["cycles"][0]["waits_for"] == "its predictions to be read"
        fresh.run("advance", "--now", NOW)
        document = fresh.json("status")
        (cycle,) = document["cycles"]
        assert (cycle["state"], cycle["drawn"], cycle["answered"]) == ("labelling", 24, 0)
        assert cycle["waits_for"].startswith("answers for 24 of 24 items")
        assert document["oldest_unanswered_batch"]["key"].startswith("spam-p00000-r1-b1-")
        assert document["oldest_unanswered_batch"]["waiting_since"] == NOW

    def test_failed_attempts_to_read_show_with_their_reason(self, fresh):
        fresh.run("open", "--now", NOW)
        (fresh.folder / "predictions" / "week.parquet").unlink()
        fresh.run("advance", "--now", NOW, code=2)
        out = fresh.run("status").stdout
        assert "waits for its predictions to be read, 1 failed attempt so far" in out
        assert "no Parquet or CSV file matches" in out

    def test_an_empty_store_says_how_to_begin(self, fresh):
        assert "`stratawatch open` opens a cycle" in fresh.run("status").stdout


class TestWords:
    def cycle(self, state, **facts):
        return {"state": state, "drawn": 10, "answered": 4, "deadline_at": MONDAY, "failures": 0} | facts

    @pytest.mark.parametrize(
        ("facts", "words"),
        [
            ({"state": "frozen"}, "its first round to be planned"),
            ({"state": "settled"}, "its estimates"),
            ({"state": "expired"}, "its estimates"),
            ({"state": "labelling"}, "answers for 6 of 10 items, 24 hours left (2026-01-05 00:00)"),
            (
                {"state": "labelling", "answered": 10},
                "the next advance, or for more votes: every drawn item has an answer",
            ),
            ({"state": "labelling", "deadline_at": None}, "answers for 6 of 10 items"),
            (
                {"state": "labelling", "deadline_at": None, "further_votes": 2},
                "answers for 6 of 10 items and second votes on 2 items",
            ),
            (
                {"state": "labelling", "deadline_at": None, "answered": 10, "further_votes": 1},
                "second votes on 1 item",
            ),
        ],
    )
    def test_what_a_cycle_waits_for(self, facts, words):
        assert waits_for(self.cycle(**facts), MONDAY - timedelta(days=1)) == words

    def test_a_deadline_that_passed_is_overdue(self):
        assert "overdue" in waits_for(self.cycle("labelling"), MONDAY + timedelta(days=1))

    def test_ages_are_in_their_largest_unit(self):
        lengths = [timedelta(minutes=1), timedelta(minutes=119), timedelta(hours=71), timedelta(days=3)]
        assert [age(length) for length in lengths] == ["1 minute", "119 minutes", "71 hours", "3 days"]


class TestAConfigurationThatNoAdvanceCanRead:
    def test_is_named(self, judged):
        assert judged.json("status")["configuration_problems"] == []
        judged.config.write_text(judged.config.read_text().replace("budget = 60", "budget = -1"))
        (problem,) = judged.json("status")["configuration_problems"]
        assert problem.startswith("panels.spam.budget, line ")
        assert "! No advance can start: 1 problem in the configuration" in judged.run("status").stdout
        assert "budget" in judged.run("advance", code=2).stderr


class TestOddStores:
    def test_no_store_is_told_with_the_remedy(self, fresh):
        (fresh.folder / "stratawatch.db").unlink()
        for command in ("status", "advance"):
            err = fresh.run(command, code=2).stderr
            assert "holds no stratawatch schema" in err
            assert "run `stratawatch init` for a new one; if it was lost, `stratawatch restore FILE`" in err

    @pytest.mark.parametrize(
        ("revision", "word", "remedy"),
        [("0000", "newer", "run the version of stratawatch that wrote it"), ("9999", "newer", "that wrote it")],
    )
    def test_a_schema_of_another_program_is_told_with_the_remedy(self, fresh, revision, word, remedy):
        with sqlite3.connect(fresh.folder / "stratawatch.db") as connection:
            connection.execute("UPDATE stratawatch_schema SET version_num = ?", (revision,))
        err = fresh.run("status", code=2).stderr
        assert f"has a {word} schema" in err
        assert remedy in err

    def test_an_older_schema_is_told_with_the_remedy(self, fresh):
        for file in fresh.folder.glob("stratawatch.db*"):
            file.unlink()
        first_schema(f"sqlite:///{fresh.folder}/stratawatch.db")
        err = fresh.run("status", code=2).stderr
        assert "has an older schema" in err
        assert "run `stratawatch init --upgrade`" in err

    def test_a_database_that_does_not_answer_is_told_without_its_password(self, fresh):
        fresh.environment["STRATAWATCH_STORE__URL"] = "postgresql://watch:hunter2@127.0.0.1:1/nothing"
        err = fresh.run("status", code=2).stderr
        assert "did not answer" in err
        assert "hunter2" not in err

    def test_a_file_that_is_no_database_is_told(self, fresh):
        (fresh.folder / "stratawatch.db").write_text("not a database, but long enough to look like one" * 40)
        assert "is not a SQLite database" in fresh.run("status", code=2).stderr

    def test_a_configuration_with_a_mistake_elsewhere_does_not_silence_it(self, judged):
        text = judged.config.read_text()
        judged.config.write_text(text.replace("budget = 60", 'budget = "sixty"'))
        assert len(judged.json("status")["streams"]) == 2

    def test_the_schema_it_expects_is_the_stores(self):
        assert expected_schema() == EXPECTED


class TestTheLastAdvance:
    def record(self, home, **times):
        with sqlite3.connect(home.folder / "stratawatch.db") as connection:
            for name, value in times.items():
                connection.execute(f"UPDATE last_runs SET {name} = ?", (value,))

    def test_is_shown_with_its_age(self, judged):
        document = judged.json("status")
        last = document["last_advance"]
        assert 0 <= last["age_seconds"] < 3600
        assert last["finished_at"] == last["good_at"] <= document["now"]
        assert last["troubles"] == []
        assert re.search(r"^Last advance \d+ minutes? ago$", judged.run("status").stdout, re.MULTILINE)

    def test_that_had_troubles_says_which_and_when_the_last_good_one_was(self, judged):
        before = datetime.now(UTC) - timedelta(days=4)
        self.record(judged, good_at=before.isoformat(sep=" ")[:26], troubles="freeze 3: down\nfreeze 4: down")
        out = judged.run("status").stdout
        assert re.search(r"Last advance \d+ minutes? ago, the last good one 4 days ago", out)  # the play takes its time
        assert "  ! freeze 4: down" in out
        self.record(judged, good_at=None)
        assert "none was good yet" in judged.run("status").stdout

    def test_of_a_time_to_come_asks_for_the_clock(self, judged):
        self.record(judged, finished_at="2400-01-01 00:00:00.000000")
        assert "is the clock right?" in judged.run("status").stdout

    def test_before_the_first_there_is_none(self, fresh):
        fresh.run("open", "--now", NOW)
        assert fresh.json("status")["last_advance"] is None
        assert "No advance has ended yet" in fresh.run("status").stdout

    def test_of_a_simulated_moment_ended_now(self, fresh):
        fresh.run("advance", "--now", NOW)
        assert fresh.json("status")["last_advance"]["age_seconds"] < 3600


class TestInputWarnings:
    ROW = MappingProxyType({"id": 3, "panel": "spam", "state": "open", "failures": 0, "profile": {}})

    def test_stand_with_their_cycle_and_the_profile_stays_away(self):
        row = {**self.ROW, "profile": {"rows": 5, "warnings": ["twice the rows"]}}
        shown = cycle_row(row, NOW)
        assert shown["warnings"] == ["twice the rows"]
        assert "profile" not in shown

    def test_of_a_cycle_that_was_not_read_yet_are_none(self):
        assert cycle_row(self.ROW, NOW)["warnings"] == []


@pytest.mark.postgres
def test_postgresql_and_sqlite_say_the_same(postgres_url, tmp_path):
    """The statements are plain SQL; both databases must read them alike."""
    documents, began = [], datetime.now(UTC)
    for url in (postgres_url, f"sqlite:///{tmp_path}/scenario.db"):
        SqlStore(url, create=True)
        scenario = make_scenario(url)
        play(scenario)
        with scenario.ports.store.begin() as tx:
            tx.cycles.quarantine(None, [QuarantinedRow("label", "a.jsonl", "junk", {"count": 3})], began)
            tx.commit()
        document = dict(read_status(url, BESIDE_STATUS))
        (last,) = document.pop("last_advance")  # at the time of this machine
        assert last["finished_at"] == last["good_at"] >= began
        documents.append(document)
    assert documents[0] == documents[1]
    assert documents[0]["set_aside"] == ({"reason": "junk", "labels": 3, "newest_at": began, "origin": "a.jsonl"},)
    assert len(documents[0]["streams"]) == 1
    assert documents[0]["cycles"]
    assert documents[0]["batches"]
    assert {row["panel"] for row in documents[0]["estimates"]} == {row["panel"] for row in documents[0]["specs"]}
    assert {type(row["spec"]) for row in documents[0]["specs"]} == {dict}


def make_scenario(url: str) -> Scenario:
    scenario = Scenario.around(SqlStore(url))
    scenario.produce(0)
    scenario.produce(1)
    return scenario


def play(scenario: Scenario) -> None:
    """One cycle judged, one under way."""
    panels = {scenario.panel.name: scenario.panel}
    for _ in range(2):
        open_cycles(scenario.ports, panels)
        advance(scenario.ports)
        for _ in range(2):
            scenario.clock.advance(hours=1)
            if scenario.clock.now() > MONDAY + timedelta(days=14):
                break
            scenario.queue.answer(scenario.clock.now())
            advance(scenario.ports)
        scenario.clock.advance(days=7)


def test_truth_that_came_by_itself_is_counted_and_warned_of(judged):
    folder = judged.folder / "chargebacks"
    folder.mkdir()
    judged.config.write_text(judged.config.read_text() + '\n[[truth]]\npanel = "spam"\nfolder = "chargebacks"\n')
    line = '{"item": "item-%d", "value": "yes", "at": "2026-01-12T01:00:00Z", "source": "chargeback", %s}\n'
    place = '"predicted_at": "2026-01-05T00:00:00Z", "calls": {"lr": false, "rf": false}'
    (folder / "one.jsonl").write_text("".join(line % (number, place) for number in range(600)))
    before = judged.json("estimates")
    judged.run("advance", "--now", NOW)
    status, after = judged.json("status"), judged.json("estimates")
    assert after["estimates"] == before["estimates"]
    assert [(row["source"], row["statements"], row["yes"]) for row in (*status["truth"], *after["truth"])] == [
        ("chargeback", 600, 600)
    ] * 2
    (warning,) = status["truth_warnings"]
    assert (warning["classifier"], warning["metric"]) == ("rf", "false_omission_rate")
    text = judged.run("status").stdout
    assert "600 statements by chargeback" in text
    assert "are known to be positive (chargeback" in " ".join(text.split())
    assert "600 statements by chargeback" in judged.run("estimates").stdout
    judged.run("report", "--now", NOW)
    page = next((judged.folder / "reports").rglob("latest.html")).read_text()
    assert "Truth that came by itself" in page
    (cycle,) = judged.json("cycles")["cycles"]
    judged.run("cycles", "rerun", str(cycle["id"]), "--why", "scores corrected")
    assert judged.json("status")["truth_warnings"] == []


@pytest.mark.postgres
def test_both_databases_say_which_windows_were_refused(postgres_url, tmp_path):
    found = []
    for url in (postgres_url, f"sqlite:///{tmp_path}/scenario.db"):
        SqlStore(url, create=True)
        scenario = make_scenario(url)
        scenario.check.refusal = "a column is missing"
        open_cycles(scenario.ports, {scenario.panel.name: scenario.panel})
        advance(scenario.ports)
        found.append(read_status(url)["refused"])
    assert found[0] == found[1]
    (row,) = found[0]
    assert (row["cycle"], row["reason"], row["window_start"]) == (1, "a column is missing", MONDAY)
