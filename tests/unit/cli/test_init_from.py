"""`init --from`: a configuration from predictions, or a sentence that says why not."""

import re
import tomllib

import duckdb
import pytest

from stratawatch.cli import first_look, init_from
from stratawatch.config.loading import load_configuration
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS

SMS = """
SELECT
    'm-' || i AS message_id,
    TIMESTAMP '2026-01-05' + INTERVAL (i * 23) MINUTE AS scored_at,
    'the text of message ' || i AS "text",
    CASE WHEN i % 3 = 0 THEN 'DE' ELSE 'FR' END AS country,
    ((i * 7919) % 2003) / 2003.0 AS score_lr,
    CASE WHEN ((i * 7919) % 2003) / 2003.0 >= 0.6 THEN 'spam' ELSE 'ham' END AS pred_lr,
    (((i * 31) % 2003) / 2003.0 - 0.5) * 8 AS margin_svm,
    CAST(i % 11 = 0 AS INTEGER) AS label
FROM range(1300) AS t(i)
"""


@pytest.fixture
def home(empty):
    empty.folder.mkdir()
    return empty


@pytest.fixture
def predictions(home, monkeypatch):
    """Write predictions of a query into a file of the installation's folder, which is the working folder."""
    monkeypatch.chdir(home.folder)

    def write(query: str = SMS, name: str = "predictions.parquet", options: str = "") -> str:
        duckdb.sql(f"COPY ({query}) TO '{home.folder / name}' {options}")
        return name

    return write


@pytest.fixture
def no_plan(monkeypatch):
    """Leave the plan out, which takes most of the time, where a test is about something else."""
    monkeypatch.setattr(first_look, "plan_documents", lambda *_: [])


def panel_of(home, name: str = "spam"):
    return load_configuration(home.config).panels[name]


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.usefixtures("no_plan")
class TestAProposal:
    def test_it_is_what_a_person_would_write(self, home, predictions):
        home.run("init", "--from", predictions(), "--yes")
        panel = tomllib.loads(home.config.read_text())["panels"]["spam"]
        assert panel["question"] == "Is this spam?"
        assert panel["source"] == {"kind": "files", "path": "predictions.parquet"}
        assert panel["columns"] == {
            "item": "message_id",
            "time": "scored_at",
            "payload": ["text"],
            "segments": ["country"],
        }
        assert panel["classifiers"] == {
            "lr": {"score": "score_lr", "call": "pred_lr", "call_yes": "spam"},
            "svm": {"score": "margin_svm", "score_kind": "margin", "cut_off": 0.0},
        }
        assert (f"{panel['schedule']['start']:%Y-%m-%d}", panel["schedule"]["every"]) == ("2026-01-05", "7d")

    def test_it_is_short_and_says_where_all_keys_are(self, home, predictions):
        home.run("init", "--from", predictions(), "--yes")
        lines = home.config.read_text().splitlines()
        assert len([line for line in lines if line]) < 50
        assert "`stratawatch init` in an empty folder writes them all" in lines[1]

    def test_a_delimiter_is_found(self, home, predictions):
        name = predictions(name="predictions.csv", options="(DELIMITER ';')")
        assert home.json("init", "--from", name, "--yes")["ok"] is True
        assert tomllib.loads(home.config.read_text())["panels"]["spam"]["source"]["delimiter"] == ";"

    def test_days_where_no_week_is_full(self, home, predictions):
        home.run("init", "--from", predictions(f"SELECT * FROM ({SMS}) LIMIT 200"), "--yes")
        schedule = tomllib.loads(home.config.read_text())["panels"]["spam"]["schedule"]
        assert schedule["every"] == "1d"

    def test_classes_get_a_panel_each(self, home, predictions):
        classes = (
            'SELECT message_id, scored_at, "text", score_lr / 2 AS p_news, score_lr / 2 AS p_sport, '
            f"1 - score_lr AS p_other FROM ({SMS})"
        )
        home.run("init", "--from", predictions(classes), "--yes", "--class", "news", "--class", "sport")
        panels = load_configuration(home.config).panels
        assert {name: panel.classifiers[0].score for name, panel in panels.items()} == {
            "news": "p_news",
            "sport": "p_sport",
        }

    def test_goals_are_the_usual_ones_which_plan_for_what_is_missed_too(self, home, predictions):
        home.run("init", "--from", predictions(), "--yes")
        panel = panel_of(home)
        assert [(goal.metric, goal.margin) for goal in panel.goals] == [
            ("precision", 0.03),
            ("recall", 0.05),
        ]
        assert tuple((goal.metric, goal.margin) for goal in DEFAULT_GOALS) == (("precision", 0.03), ("recall", 0.05))
        assert [(limit.metric, limit.floor) for limit in panel.limits] == [("precision", 0.8)]

    def test_further_limits_hold_once_their_marks_are_taken_away(self, home, predictions):
        home.run("init", "--from", predictions(), "--yes")
        text = home.config.read_text()
        head, more = text.split("without the #, with values of your own:\n")
        home.config.write_text(head + "\n" + more.replace("# ", ""))
        ends = {(limit.metric, limit.floor, limit.ceiling) for limit in panel_of(home).limits}
        assert ends == {("precision", 0.8, None), ("recall", 0.6, None), ("false_omission_rate", None, 0.02)}

    def test_names_cannot_break_out_of_sql_or_toml(self, home, predictions):
        names = f"""
            SELECT message_id AS "id"" ; drop", scored_at AS "time'", "text" AS "te\\xt", score_lr AS "score ""lr"
            FROM ({SMS})
        """
        assert home.json("init", "--from", predictions(names), "--yes")["ok"] is True
        assert panel_of(home, "predictions").columns.payload == ("te\\xt",)


class TestCheckAndPlan:
    def test_check_and_plan_follow_and_the_next_commands_work(self, home, predictions):
        document = home.json("init", "--from", predictions(), "--yes")
        assert (document["ok"], document["problems"], document["plan_trouble"]) == (True, [], None)
        assert document["now"] == "2026-01-26T01:00:00+00:00"
        assert [outlook["panel"] for outlook in document["outlooks"]] == ["spam"]
        for command in document["next"]:
            home.run(*command.split()[1:])
        assert [cycle["window_start"] for cycle in home.json("cycles")["cycles"]] == ["2026-01-19T00:00:00+00:00"]

    def test_people_are_told_what_was_seen(self, home, predictions):
        out = flat(home.run("init", "--from", predictions(), "--yes").stdout)
        assert "lr: score score_lr, a probability; call pred_lr, of which 'spam' means yes" in out
        assert "'scored_at' says no offset from UTC: its times are read as UTC." in out
        assert "'label' looks like the answer itself, so it stays out" in out
        assert "`check`: Everything is in order." in out
        assert "All goals together need" in out
        assert "stratawatch plan --now 2026-01-26T01:00:00+00:00" in out

    def test_scores_in_percent_are_named_and_nothing_is_said_to_rest_on_scores(self, home, predictions):
        query = f"SELECT * EXCLUDE (margin_svm) REPLACE (100 * score_lr AS score_lr) FROM ({SMS})"
        out = flat(home.run("init", "--from", predictions(query), "--yes").stdout)
        assert re.search(r"'score_lr' stays out: its numbers go from \S+ to \S+, which looks like percentages", out)
        assert "percentages: divide by 100." in out
        assert "Predicted from calls alone, as no score is used." in out
        assert "scores alone" not in out
        assert "Everything is in order" not in out
        assert "`check`: No problem, but no score is used" in out


@pytest.mark.usefixtures("no_plan")
class TestOptions:
    def test_they_overrule_what_is_proposed(self, home, predictions):
        said = ("--question", "Is it junk?", "--panel", "junk", "--payload", "country", "--payload", "text")
        more = ("--segment", "label", "--every", "1d", "--call-yes", "ham", "--score", "score_lr")
        home.run("init", "--from", predictions(), *said, *more)
        panel = tomllib.loads(home.config.read_text())["panels"]["junk"]
        assert panel["question"] == "Is it junk?"
        assert panel["columns"]["payload"] == ["country", "text"]
        assert panel["columns"]["segments"] == ["label"]
        assert panel["schedule"]["every"] == "1d"
        assert panel["classifiers"] == {"lr": {"score": "score_lr", "call": "pred_lr", "call_yes": "ham"}}

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (("--item", "mesage_id"), "--item: there is no column 'mesage_id'"),
            (("--time", "text"), "'text' is no column of times"),
            (("--payload", "label"), "'label' cannot be shown to people"),
            (("--payload", "score_lr"), "'score_lr' cannot be shown to people"),
            (("--call-yes", "Spam"), "--call-yes: no call ever says 'Spam'; expected 'ham' or 'spam'"),
            (("--score", "text"), "'text' cannot be a score: it holds no numbers"),
            (("--call", "text"), "'text' cannot be a call: it has too many different values"),
            (("--every", "week"), "--every is not a length of time"),
            (("--every", "800d"), "--every is no length of windows"),
            (("--every", "90s"), "--every is no length of windows; expected whole minutes; got 90s"),
            (("--panel", "A B"), "--panel is not a name"),
        ],
    )
    def test_a_wrong_one_is_a_sentence(self, home, predictions, options, sentence):
        assert sentence in home.run("init", "--from", predictions(), "--yes", *options, code=2).stderr
        assert not home.config.exists()

    def test_they_need_predictions(self, home):
        assert "name them: --from PATH" in home.run("init", "--item", "id", code=2).stderr


@pytest.mark.usefixtures("no_plan")
class TestTheAnswerItself:
    def test_a_call_option_makes_a_call_of_it(self, home, predictions):
        home.run("init", "--from", predictions(), "--yes", "--call", "label")
        assert "label" in {one.call for one in panel_of(home).classifiers}

    def test_of_a_column_that_may_be_either_people_are_told(self, home, predictions):
        query = f"SELECT * EXCLUDE (label), label AS seen FROM ({SMS})"
        out = flat(home.run("init", "--from", predictions(query), "--yes").stdout)
        assert "'seen' says yes or no, and nothing tells whether a classifier says it" in out
        assert "seen" not in home.config.read_text()


class TestRefusals:
    @pytest.mark.parametrize(
        ("columns", "sentence"),
        [
            ("* EXCLUDE (scored_at)", "no column holds the time of a prediction"),
            ("* REPLACE (EPOCH(scored_at) AS scored_at)", "'scored_at' holds numbers, and no column holds times"),
            ("* REPLACE (STRFTIME(scored_at, '%d.%m.%Y') AS scored_at)", "the times in 'scored_at' cannot be read"),
            ("* REPLACE ('m-' || (LENGTH(message_id) + label) AS message_id)", "rows repeat the id of another row"),
            ('message_id, scored_at, "text", country', "no column holds what a classifier says"),
            ('message_id, scored_at, "text", label', "'label' may be the answer itself"),
            ("message_id, scored_at, score_lr * 5 AS score", "neither a probability (0 to 1) nor a margin"),
            ("message_id, scored_at, score_lr * 100 AS score", "which looks like percentages: divide by 100"),
        ],
    )
    def test_one_sentence_says_what_to_do(self, home, predictions, columns, sentence):
        err = home.run("init", "--from", predictions(f"SELECT {columns} FROM ({SMS})"), "--yes", code=2).stderr
        assert sentence in err
        assert err.count("\n") == 1
        assert not home.config.exists()

    def test_a_file_without_rows(self, home, predictions):
        err = home.run("init", "--from", predictions(f"SELECT * FROM ({SMS}) LIMIT 0"), "--yes", code=2).stderr
        assert "there is no row to look at" in err

    def test_a_file_that_is_not_there(self, home):
        assert "no Parquet or CSV file matches" in home.run("init", "--from", "none.parquet", "--yes", code=2).stderr

    def test_an_address(self, home):
        err = home.run("init", "--from", "s3://bucket/x.parquet", "--yes", code=2).stderr
        assert "--from looks at files of this machine" in err


@pytest.mark.usefixtures("no_plan")
class TestQuestions:
    NOTHING_TO_READ = f'SELECT * EXCLUDE ("text", pred_lr) FROM ({SMS})'

    def test_where_nobody_can_answer_the_options_are_named(self, home, predictions):
        err = home.run("init", "--from", predictions(self.NOTHING_TO_READ), code=2).stderr
        assert err.startswith("stratawatch: the predictions do not tell everything: ")
        assert "(--payload)" in err
        assert "(--question)" in err
        assert "--yes takes 'message_id', 'Should the answer to this item be yes?'" in err

    def test_json_asks_nothing(self, home, predictions, monkeypatch):
        monkeypatch.setattr(init_from, "_is_terminal", lambda: True)
        name = predictions(self.NOTHING_TO_READ)
        assert "(--payload)" in home.run("init", "--from", name, "--json", code=2).stderr

    def test_what_was_taken_unasked_is_told(self, home, predictions):
        out = flat(home.run("init", "--from", predictions(self.NOTHING_TO_READ), "--yes").stdout)
        assert "Nobody was asked: No column has text" in out
        assert "--payload says otherwise" in out

    def test_a_terminal_is_asked_with_the_proposal_as_default(self, home, predictions, monkeypatch):
        monkeypatch.setattr(init_from, "_is_terminal", lambda: True)
        answers = iter(["country, message_id", "Is it junk?"])
        asked = []

        def prompt(text, *, default):
            asked.append((text, default))
            return next(answers)

        monkeypatch.setattr(init_from.typer, "prompt", prompt)
        home.run("init", "--from", predictions(self.NOTHING_TO_READ))
        assert [default for _, default in asked] == ["message_id", "Should the answer to this item be yes?"]
        panel = panel_of(home, "predictions")
        assert (panel.question, panel.columns.payload) == ("Is it junk?", ("country", "message_id"))
        assert panel.columns.item == "message_id"

    def test_two_calls_that_do_not_tell_are_two_questions(self, home, predictions, monkeypatch):
        monkeypatch.setattr(init_from, "_is_terminal", lambda: True)
        calls = "['a', 'b', 'c'][i % 3 + 1] AS pred_lr, ['b', 'c', 'd'][i % 3 + 1] AS pred_rf"
        answers = {"Which value of 'pred_lr'": "c", "Which value of 'pred_rf'": "b", "Which yes/no question": "Is it?"}
        monkeypatch.setattr(
            init_from.typer,
            "prompt",
            lambda text, **_: next(answers.pop(start) for start in list(answers) if text.startswith(start)),
        )
        rows = f"SELECT * EXCLUDE (score_lr, pred_lr, margin_svm, label), {calls.replace('i %', 'day(scored_at) %')}"
        home.run("init", "--from", predictions(f"{rows} FROM ({SMS})"))
        panel = panel_of(home, "predictions")
        assert answers == {}
        assert [(one.call, one.call_yes) for one in panel.classifiers] == [("pred_lr", "c"), ("pred_rf", "b")]


@pytest.mark.usefixtures("no_plan")
class TestWhatIsThereAlready:
    def test_a_configuration_is_kept(self, home, predictions):
        home.configure()
        before = home.config.read_text()
        out = flat(home.run("init", "--from", predictions(), "--yes").stdout)
        assert "It was there already, so that nothing was proposed; --force replaces it." in out
        assert home.config.read_text() == before

    def test_force_replaces_it_and_keeps_the_old_one(self, home, predictions):
        home.configure()
        before = home.config.read_text()
        home.run("init", "--from", predictions(), "--yes", "--force")
        assert (home.folder / "stratawatch.toml.bak").read_text() == before
        assert panel_of(home).columns.item == "message_id"


@pytest.mark.usefixtures("no_plan")
class TestPaths:
    def test_files_outside_are_allowed_and_told(self, home, predictions, tmp_path):
        duckdb.sql(f"COPY ({SMS}) TO '{tmp_path / 'elsewhere.parquet'}'")
        predictions()
        out = flat(home.run("init", "--from", "../elsewhere.parquet", "--yes").stdout)
        assert "allow_outside = true lets it be read" in out
        source = tomllib.loads(home.config.read_text())["panels"]["spam"]["source"]
        assert source == {"kind": "files", "path": str(tmp_path / "elsewhere.parquet"), "allow_outside": True}

    @pytest.mark.parametrize("given", ["scored", "scored/*.parquet"])
    def test_a_folder_or_a_pattern(self, home, predictions, given):
        (home.folder / "scored").mkdir()
        predictions(name="scored/a.parquet")
        assert home.json("init", "--from", given, "--yes")["source"]["path"] == given
        assert panel_of(home).columns.item == "message_id"

    def test_a_fault_of_the_folder_itself_is_a_sentence(self, home, predictions):
        predictions()
        predictions(name="predictions.csv")
        assert "holds Parquet and CSV files" in home.run("init", "--from", ".", "--yes", code=2).stderr

    def test_a_link_that_leads_out_is_allowed_and_told(self, home, predictions, tmp_path):
        duckdb.sql(f"COPY ({SMS}) TO '{tmp_path / 'elsewhere.parquet'}'")
        predictions()
        (home.folder / "linked.parquet").symlink_to(tmp_path / "elsewhere.parquet")
        document = home.json("init", "--from", "linked.parquet", "--yes")
        assert document["source"]["allow_outside"] is True
        assert document["ok"] is True
