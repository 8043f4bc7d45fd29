"""`check`: every problem with its place and a remedy, and what was found."""

from datetime import UTC, datetime, timedelta

import duckdb
import pytest

from stratawatch.adapters.store.schema import EXPECTED
from tests.support.alertmanager_api import AlertmanagerBackend
from tests.unit.cli.conftest import NOW, ROWS

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
ROWS_NUMBERED = ROWS.replace("SELECT", "SELECT i,", 1)


def sentences(document) -> str:
    return "\n".join(f"{problem['place']}: {problem['problem']}" for problem in document["problems"])


class TestARightInstallation:
    def test_it_says_what_it_found_everywhere(self, fresh):
        document = fresh.json("check", "--now", NOW)
        assert document["ok"] is True
        assert document["problems"] == []
        found = document["found"]
        assert found["store"]["schema"] == EXPECTED
        assert found["source of spam"]["rows"] == "2,000"
        assert "score_lr" in found["source of spam"]["columns"]
        assert found["queue"]["batches out"] == "0"
        assert found["alerts"]["channels"] == "none: nobody is told of a breach"

    def test_old_names_of_keys_are_told_and_are_no_problem(self, fresh):
        fresh.configure(("budget = 60", "budget = 60\nblind_at = 4.0"))
        document = fresh.json("check", "--now", NOW)
        (notice,) = document["notices"]
        assert (document["ok"], notice["problem"].split(";")[0]) == (
            True,
            "'blind_at' is called 'blind_margin_factor' now",
        )
        assert notice["place"] == f"panels.spam.blind_at, line {notice['line']}"
        out = fresh.run("check", "--now", NOW).stdout
        assert notice["problem"] in out
        assert out.endswith("Everything is in order.\n")

    def test_people_are_told_that_it_is_in_order(self, fresh):
        out = fresh.run("check", "--now", NOW).stdout
        assert out.endswith("Everything is in order.\n")
        assert "panel spam: lr, rf; 60 labels a cycle" in out


class TestBudget:
    def test_that_proves_hardly_anything_is_told(self, fresh):
        fresh.configure(("budget = 60", "budget = 39"))
        told = fresh.json("check", "--now", NOW)["found"]["configuration"]["panel spam"]
        assert told == "lr, rf; 39 labels a cycle; so few prove hardly anything, and many a metric will be BLIND"


class TestCluster:
    def test_it_is_said_what_it_does(self, fresh):
        fresh.configure(('segments = ["country"]', 'segments = ["country"]\ncluster = "text"'))
        told = fresh.json("check", "--now", NOW)["found"]["configuration"]["cluster of spam"]
        assert (
            told
            == "text; items of one hang together: intervals count that, and are about clusters to come whose scores are like these;"
            " what windows add up to is about each window's own items"
        )

    def test_without_one_nothing_is_said(self, fresh):
        assert "cluster" not in fresh.run("check", "--now", NOW).stdout


class TestCutOffs:
    def test_a_limited_classifier_without_a_score_is_said_to_have_none(self, fresh):
        fresh.configure(('score = "score_lr"\n', ""))
        told = fresh.json("check", "--now", NOW)["found"]["configuration"]["cut-offs of spam"]
        assert told == "none can be tried of lr, which has no score: a page names none that would hold a limit"

    def test_where_all_have_one_nothing_is_said(self, fresh):
        assert "cut-offs of" not in fresh.run("check", "--now", NOW).stdout


class TestGoalsThatHistoryDoesNotHelp:
    @pytest.mark.parametrize(
        ("rule", "goal", "why"),
        [
            ('stop_rule = "goals"', "", ""),
            ('stop_rule = "goals"', "false_omission_rate", "with a goal of false-omission rate"),
            ('stop_rule = "goals"\nconfidence = 0.99', "", "with 99% of confidence"),
            ('stop_rule = "goals"\nvariance = "labels"', "false_omission_rate", ""),
            ('stop_rule = "budget"', "false_omission_rate", ""),
        ],
    )
    def test_is_told_with_what_it_costs(self, fresh, rule, goal, why):
        more = f'\n\n[[panels.spam.goals]]\nmetric = "{goal}"\nmargin = 0.1' if goal else ""
        fresh.configure(("budget = 60", f"budget = 60\n{rule}"), ("margin = 0.1", f"margin = 0.1{more}"))
        told = fresh.json("check", "--now", NOW)["found"]["configuration"].get("goals of spam", "")
        less = "where all are of precision and recall, at 95% or less, a cycle takes about a fifth fewer labels"
        assert told == (f"{why} intervals rest on each window's labels alone; {less}" if why else "")


class TestVariance:
    def test_another_than_the_default_is_told_with_what_was_measured(self, fresh):
        fresh.configure(("budget = 60", 'budget = 60\nvariance = "brr"'))
        told = fresh.json("check", "--now", NOW)["found"]["configuration"]["variance of spam"]
        assert told.startswith("brr; Intervals of variance = 'brr' are too narrow")

    def test_of_the_default_nothing_is_said(self, fresh):
        assert "variance" not in fresh.run("check", "--now", NOW).stdout


class TestTheNewestWindow:
    @pytest.fixture
    def this_week(self, fresh):
        """The installation's rows, moved into the newest complete window."""
        start = MONDAY + (datetime.now(UTC) - MONDAY) // timedelta(days=7) * timedelta(days=7) - timedelta(days=7)

        def predict(score: str, time: str = '"at"') -> None:
            moved = f"{time} + INTERVAL ({(start - MONDAY).days}) DAY"
            fresh.predict(f'SELECT * REPLACE ({moved} AS "at", {score} AS score_lr) FROM ({ROWS})')

        return predict

    def test_is_counted(self, fresh, this_week):
        this_week("score_lr")
        facts = fresh.json("check")["found"]["source of spam"]
        assert facts["newest window"].endswith(": 2,000 rows, 0 of them cannot be used")
        assert facts["read for it"].startswith("1 file, ")

    def test_that_nobody_could_read_is_a_problem(self, fresh, this_week):
        this_week("'inf'::DOUBLE")
        document = fresh.json("check", code=1)
        told = sentences(document)
        assert "would be refused: 2,000 of 2,000 rows (100%) cannot be used, more than the 1.00% that may be" in told
        assert "got 'inf' in a row with an unreadable score of 'lr'; `stratawatch census` counts them by reason" in told

    def test_of_rows_without_a_time_is_a_problem_that_says_why_they_are_in_it(self, fresh, this_week):
        this_week("score_lr", "CASE WHEN id LIKE 'item-2%' THEN NULL ELSE \"at\" END")
        told = sentences(fresh.json("check", code=1))
        assert "111 without a readable time; rows without a time belong to no window and count in each one" in told

    def test_without_the_value_that_means_yes_is_told(self, fresh, this_week):
        fresh.configure(('call = "pred_lr"', 'call = "country"\ncall_yes = "GB"'))
        this_week("score_lr")
        told = fresh.json("check")["found"]["source of spam"]["warnings"]
        assert told.startswith(
            "classifier 'lr' called nothing positive: no row has call_yes = 'GB' in column 'country'; "
        )
        fresh.configure(('call = "pred_lr"', 'call = "country"\ncall_yes = "FR"'))
        assert "warnings" not in fresh.json("check")["found"]["source of spam"]


class TestPastWindows:
    def test_the_labels_they_would_ask_for_are_told(self, fresh):
        waiting = fresh.json("check", code=1)["found"]["store"]["windows of spam"]
        windows, labels = (int(word.replace(",", "")) for word in waiting.split() if word[0].isdigit())
        assert windows > 0
        assert labels == 60 * windows

    def test_none_is_waiting_before_the_first_one_is_over(self, fresh):
        fresh.configure(("start = 2026", "start = 2126"))
        document = fresh.json("check", "--now", NOW, code=1)
        assert document["found"]["store"]["windows of spam"] == "none is waiting to be opened"
        assert "panel 'spam' has no complete window yet; the first is [2126-01-05" in sentences(document)


class TestConfiguration:
    def test_a_typo_is_told_with_place_line_and_remedy(self, fresh):
        fresh.configure(("budget = 60", "budgt = 60"))
        document = fresh.json("check", "--now", NOW, code=1)
        assert document["ok"] is False
        assert document["problems"] == [
            {"place": "panels.spam.budget, line 4", "line": 4, "variable": None, "problem": "'budget' is missing"},
            {
                "place": "panels.spam.budgt, line 8",
                "line": 8,
                "variable": None,
                "problem": "there is no key 'budgt'; did you mean 'budget'?",
            },
        ]

    def test_an_unknown_classifier_is_told(self, fresh):
        fresh.configure(('classifiers = ["lr"]', 'classifiers = ["rl2"]'))
        assert "there is no classifier 'rl2'" in sentences(fresh.json("check", "--now", NOW, code=1))

    def test_a_path_that_leaves_the_folder_is_told(self, fresh):
        fresh.configure(('path = "predictions/*.parquet"', 'path = "/etc/*.parquet"'))
        assert "panels.spam.source.path, line 13: 'path' leads out of the folder" in sentences(
            fresh.json("check", "--now", NOW, code=1)
        )

    def test_a_configuration_that_is_not_there_is_a_problem(self, empty):
        assert "there is no configuration stratawatch.toml" in sentences(empty.json("check", code=1))


class TestSource:
    def test_every_missing_column_is_told_with_the_line_that_names_it(self, fresh):
        rows = "SELECT 'a' AS id, TIMESTAMP '2026-01-05' AS \"at\", 'DE' AS country, 0.5 AS score_rf"
        fresh.predict(rows)
        document = fresh.json("check", "--now", NOW, code=1)
        told = {problem["line"]: problem["problem"] for problem in document["problems"]}
        lines = fresh.config.read_text().splitlines()
        assert {lines[line - 1].split(" =")[0] for line in told} == {"payload", "score", "call"}
        assert any("column 'text' (payload for labellers of panel 'spam') is missing" in text for text in told.values())
        assert any("column 'score_lr'" in text for text in told.values())
        assert any("column 'pred_lr'" in text for text in told.values())

    def test_a_missing_item_and_a_missing_time_are_told_once_each(self, fresh):
        fresh.predict("SELECT 'x' AS \"text\", 'DE' AS country, 0.5 AS score_rf, 0.5 AS score_lr, TRUE AS pred_lr")
        item, time = fresh.json("check", "--now", NOW, code=1)["problems"]
        assert item["place"].startswith("panels.spam.columns.item")
        assert item["problem"].startswith("column 'id' (the item id of panel 'spam') is missing")
        assert time["place"].startswith("panels.spam.columns.time")
        assert time["problem"].startswith("column 'at' (the time of panel 'spam') is missing")

    def test_a_time_that_is_a_number_is_one_problem_with_a_remedy(self, fresh):
        """Whatever the item is, its values are not told as times."""
        for item in ("id", "i AS id"):
            fresh.predict(f'SELECT * EXCLUDE (id, "at"), {item}, 1767571200 + i AS "at" FROM ({ROWS_NUMBERED})')
            document = fresh.json("check", "--now", NOW, code=1)
            (problem,) = document["problems"]
            assert problem["place"].startswith("panels.spam.columns.time")
            assert "column 'at' cannot be the time; expected a timestamp or " in problem["problem"]
            assert "give the source an export or a view in which it is a timestamp" in problem["problem"]
            assert "times" not in document["found"]["source of spam"]
            assert document["found"]["source of spam"]["rows"] == "2,000"

    def test_another_delimiter_is_one_problem(self, fresh):
        fresh.configure(("predictions/*.parquet", "predictions/*.csv"))
        (fresh.folder / "predictions" / "week.csv").write_text("id;at;text;country\na;2026-01-05;x;DE\n")
        (problem,) = fresh.json("check", "--now", NOW, code=1)["problems"]
        assert problem["place"].startswith("panels.spam.source")
        assert "look like one line of a CSV file; got 'id;at;text;country'" in problem["problem"]
        assert problem["problem"].endswith('set the source\'s delimiter: delimiter = ";"')

    def test_a_file_without_a_column_that_others_have_is_told(self, fresh):
        fresh.predict(ROWS)
        old = f'SELECT * EXCLUDE (score_rf) REPLACE ("at" - INTERVAL 700 DAY AS "at") FROM ({ROWS})'
        duckdb.sql(old).write_parquet(str(fresh.folder / "predictions" / "before.parquet"))
        told = fresh.json("check", "--now", NOW)["found"]["source of spam"]["missing"]
        assert told == "'score_rf' in 1 of 2 files, before.parquet the last: windows with rows of them are refused"

    def test_files_that_are_not_there_are_told_at_the_path(self, fresh):
        (fresh.folder / "predictions" / "week.parquet").unlink()
        (problem,) = fresh.json("check", "--now", NOW, code=1)["problems"]
        assert problem["place"] == "panels.spam.source.path, line 13"
        assert "no Parquet or CSV file matches" in problem["problem"]

    def test_a_file_that_is_no_parquet_is_told(self, fresh):
        (fresh.folder / "predictions" / "week.parquet").write_bytes(b"PAR1 cut in half")
        (problem,) = fresh.json("check", "--now", NOW, code=1)["problems"]
        assert problem["place"].startswith("panels.spam.source")


class TestChangedWindows:
    @pytest.mark.parametrize("change", [('every = "7d"', 'every = "1d"'), ("start = 2026-01-05", "start = 2026-01-12")])
    def test_that_open_would_refuse_are_a_problem(self, judged, change):
        judged.configure(change)
        problems = judged.json("check", "--now", NOW, code=1)["problems"]
        (problem,) = [one for one in problems if one["place"].startswith("panels.spam.schedule, line ")]
        assert "the windows of panel 'spam' changed after its first cycle" in problem["problem"]
        assert problem["problem"] in " ".join(judged.run("open", "--trust-clock", code=2).stderr.split())

    def test_are_allowed_before_the_first_cycle(self, fresh):
        fresh.configure(('every = "7d"', 'every = "1d"'))
        assert fresh.json("check", "--now", "2026-01-06T06:00:00+00:00")["problems"] == []


class TestTruth:
    TABLE = '[[truth]]\npanel = "spam"\nfolder = "chargebacks"\n'

    def test_a_folder_that_is_missing_is_a_problem_with_a_remedy(self, fresh):
        fresh.configure(more=self.TABLE)
        (problem,) = fresh.json("check", "--now", NOW, code=1)["problems"]
        assert problem["place"].startswith("truth[1].folder, line ")
        assert "chargebacks" in problem["problem"]
        assert "create it, mount it, or remove its [[truth]]" in problem["problem"]

    def test_lines_that_count_for_nothing_are_told(self, fresh):
        fresh.configure(more=self.TABLE)
        (fresh.folder / "chargebacks").mkdir()
        line = '{"item": "a", "value": "yes", "at": "2026-01-12T01:00:00Z", "calls": {"lr": true, "lrr": false}}\n'
        (fresh.folder / "chargebacks" / "one.jsonl").write_text(f"{line}no statement\n")
        feed = fresh.json("check", "--now", NOW)["found"]["truth of spam in chargebacks"]
        assert feed["lines tried"] == "2, 1 of them cannot be used"
        assert feed["unknown classifiers"].startswith("1 name in `calls`, such as 'lrr', that panel 'spam' has not")


class TestOtherParts:
    def test_one_parts_trouble_does_not_hide_anothers(self, fresh):
        (fresh.folder / "stratawatch.db").unlink()
        (fresh.folder / "predictions" / "week.parquet").unlink()
        (fresh.folder / "queue").write_text("a file where the folder should be")
        fresh.configure(more='[[alerts]]\nkind = "webhook"\nurl = "${env:NOT_THERE_AT_ALL}"\n')
        text = sentences(fresh.json("check", "--now", NOW, code=1))
        assert "holds no stratawatch schema" in text
        assert "no Parquet or CSV file matches" in text
        assert "queue.root" in text
        assert "the environment variable NOT_THERE_AT_ALL is not set" in text

    @pytest.mark.parametrize(
        ("queue", "place"),
        [
            ('kind = "webhook"\nurl = "${env:HOOK}"\nsend_key = "${env:KEY}"\nreceive_key = "${env:OTHER}"', "url"),
            (
                'kind = "webhook"\nurl = "${env:GOOD}"\nsend_key = "${env:HOOK}"\nreceive_key = "${env:OTHER}"',
                "send_key",
            ),
            (
                'kind = "webhook"\nurl = "${env:GOOD}"\nsend_key = "${env:KEY}"\nreceive_key = "${env:GONE}"',
                "receive_key",
            ),
            ('kind = "broker"\nurl = "${env:BROKER}"', "url"),
            ('kind = "label_studio"\nurl = "http://127.0.0.1:1"\ntoken = "${env:KEY}"', "url"),
            ('kind = "bucket"\nurl = "s3://labels"\ncredentials = { no_such_key = "${env:KEY}" }', "credentials"),
        ],
    )
    def test_of_a_queue_the_wrong_key_is_named(self, fresh, queue, place):
        fresh.environment |= {
            "HOOK": "https://exa mple.org/hook",
            "GOOD": "https://example.org/hook",
            "KEY": f"whsec_{'a' * 32}",
            "OTHER": f"whsec_{'b' * 32}",
            "BROKER": "redis://127.0.0.1:1/0",
        }
        fresh.configure(more=f"[queue]\n{queue}\n")
        problems = [one["place"] for one in fresh.json("check", "--now", NOW, code=1)["problems"]]
        assert [one.partition(",")[0] for one in problems] == [f"queue.{place}"]

    def test_channels_that_can_be_asked_are_asked(self, fresh, tmp_path):
        there = AlertmanagerBackend(tmp_path)
        try:
            tables = [
                f'kind = "alertmanager"\nurl = "{there.service.url}"',
                'kind = "alertmanager"\nname = "away"\nurl = "http://127.0.0.1:1"',
                'kind = "console"',
            ]
            fresh.configure(more="".join(f"[[alerts]]\n{one}\n" for one in tables))
            report = fresh.json("check", "--now", NOW, code=1)
            findings = {one["part"]: one for one in fresh.json("doctor", code=1)["findings"]}
        finally:
            there.close()
        assert report["found"]["alerts to alertmanager"]["state"] == "Alertmanager 0.27.0 answers (cluster: ready)"
        assert report["found"]["alerts to console"]["state"].startswith("can be built")
        (problem,) = report["problems"]
        assert problem["place"].startswith("alerts[2].url, line ")
        assert "cannot be reached at http://127.0.0.1:1" in problem["problem"]
        assert "Alertmanager 0.27.0 answers" in findings["channel alertmanager"]["fact"]
        assert findings["channel away"]["state"] == "trouble"
        assert there.said == []

    def test_a_channel_that_would_send_in_the_clear_is_told(self, fresh):
        fresh.environment["OPS_HOOK"] = "http://hooks.example.org/hunter2"
        fresh.configure(more='[[alerts]]\nkind = "webhook"\nurl = "${env:OPS_HOOK}"\n')
        text = sentences(fresh.json("check", "--now", NOW, code=1))
        assert "would be reached unencrypted" in text
        assert "hunter2" not in text

    @pytest.mark.parametrize("columns", [40, 60])
    def test_it_can_be_read_in_a_narrow_terminal(self, fresh, columns):
        fresh.columns = columns
        fresh.configure(("budget = 60", "budgt = 60"))
        lines = fresh.run("check", "--now", NOW, code=1).stdout.splitlines()
        assert max(map(len, lines)) <= columns
