"""`check` looks at a panel's windows as `plan` and `advance` would, and says what they would say."""

import re

import pytest

from tests.unit.cli.conftest import NOW, ROWS

MONDAY_AFTER = "2026-01-19T06:00:00+00:00"
EMPTY = "the newest window would be refused: the window [2026-01-12 00:00, 2026-01-19 00:00) +00:00 has no rows"


def problems(document) -> list[str]:
    return [one["problem"] for one in document["problems"]]


class TestAnEmptyNewestWindow:
    def test_is_a_problem_and_the_newest_with_rows_is_looked_at(self, fresh):
        document = fresh.json("check", "--now", MONDAY_AFTER, code=1)
        (problem,) = problems(document)
        assert problem.startswith(EMPTY)
        assert "The newest window with rows, [2026-01-05 00:00, 2026-01-12 00:00) +00:00, was looked at" in problem
        facts = document["found"]["source of spam"]
        assert facts["newest window"].endswith(": no rows")
        assert facts["newest window with rows"].endswith(": 2,000 rows, 0 of them cannot be used")

    def test_does_not_hide_what_is_wrong_with_the_newest_that_has_rows(self, fresh):
        fresh.predict(f"SELECT * REPLACE (100 * score_rf AS score_rf) FROM ({ROWS})")
        empty, refused = problems(fresh.json("check", "--now", "2027-01-01T00:00:00+00:00", code=1))
        assert "was looked at instead" in empty
        assert refused.startswith(
            "the newest window with rows [2026-01-05 00:00, 2026-01-12 00:00) +00:00 would be refu"
        )

    def test_is_no_problem_once_a_cycle_has_read_it(self, judged):
        judged.predict(f"SELECT * FROM ({ROWS}) WHERE FALSE")
        assert problems(judged.json("check", "--now", "2026-01-12T10:00:00+00:00")) == []

    def test_is_no_problem_of_a_paused_panel(self, fresh):
        fresh.configure(("budget = 60", "budget = 60\npaused = true"))
        assert problems(fresh.json("check", "--now", MONDAY_AFTER)) == []


class TestTheSentence:
    @pytest.mark.parametrize(
        "column",
        [
            "100 * score_rf AS score_rf",
            "CASE WHEN id LIKE '%7' THEN NULL ELSE score_rf END AS score_rf",
            "CASE WHEN pred_lr THEN 'spam' ELSE 'ham' END AS pred_lr",
            "'one' AS id",
            'CASE WHEN id LIKE \'%7\' THEN NULL ELSE "at" END AS "at"',
        ],
    )
    def test_is_that_which_the_cycle_keeps(self, fresh, column):
        fresh.predict(f"SELECT * REPLACE ({column}) FROM ({ROWS})")
        told = " ".join(problems(fresh.json("check", "--now", NOW, code=1)))
        fresh.run("plan", "--dry-run", "--now", NOW, code=2)
        fresh.run("open", "--now", NOW)
        (move,) = fresh.json("advance", "--now", NOW, code=1)["moved"]
        assert move["to"] == "refused"
        assert f"would be refused: {move['why']}" in told


class TestAPlan:
    def test_that_is_impossible_is_a_problem(self, fresh, monkeypatch):
        from stratawatch.engine.cycle import plan_preview
        from stratawatch.errors import PlanImpossible

        def impossible(*_):
            raise PlanImpossible("no allocation serves the limits", hint="raise the budget")

        monkeypatch.setattr(plan_preview, "plan_assessed", impossible)
        (problem,) = problems(fresh.json("check", "--now", NOW, code=1))
        assert "cannot be planned: no allocation serves the limits; raise the budget" in problem


class TestWhatIsHardlyMeant:
    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (("floor = 0.97", 'floor = 0.97\nsegment = "country=XX"'), "is in country=XX: limits on it are BLIND"),
            (("budget = 60", "budget = 2001"), "the budget of 2,001 labels is larger than the window"),
        ],
    )
    def test_is_told_and_no_problem(self, fresh, change, said):
        fresh.configure(change)
        document = fresh.json("check", "--now", NOW)
        (notice,) = document["notices"]
        assert said in notice["problem"]

    def test_a_deadline_longer_than_a_window_is_told_with_the_cycles_at_once(self, fresh):
        fresh.configure(('deadline = "3d"', 'deadline = "90d"'))
        told = fresh.json("check", "--now", NOW)["found"]["configuration"]["deadline of spam"]
        assert told.endswith("up to 14 cycles ask at once; 8 at most, so that later windows wait")


class TestCallsInWordsOfOnesOwn:
    @pytest.fixture
    def said(self, fresh):
        """The problem where two classifiers call in these words and nothing says which means yes."""

        def saying(no: str, yes: str) -> str:
            words = f"CASE WHEN score_lr >= 0.5 THEN '{yes}' ELSE '{no}' END"
            fresh.predict(f"SELECT * REPLACE ({words} AS pred_lr), {words} AS pred_rf FROM ({ROWS})")
            fresh.configure(('score = "score_rf"\ncut_off = 0.6', 'score = "score_rf"\ncall = "pred_rf"'))
            (problem,) = fresh.json("check", "--now", NOW, code=1)["problems"]
            return problem["problem"]

        return saying

    def test_the_value_that_init_would_propose_is_named_once_for_both(self, said):
        problem = said("ham", "spam")
        assert problem.count('write call_yes = "spam", if that is what means yes (') == 1
        assert problem.endswith("for 'lr', 'rf'")
        assert "2,000 with an unreadable call of 'lr', 'rf'; got 'ham' in a row" in problem
        assert problem.count("with an unreadable call of") == 2

    def test_plan_says_so_too_and_not_that_there_are_no_predictions(self, fresh, said):
        said("ham", "spam")
        trouble = " ".join(fresh.run("plan", "--now", NOW, code=2).stderr.split())
        assert "2,000 with an unreadable call of 'lr', 'rf' (such as 'ham')" in trouble
        assert "no predictions" not in trouble

    def test_of_words_that_tell_nothing_people_have_to_say_which(self, said):
        problem = said("blue", "green")
        assert re.search(r"say which value means yes \('\w+', '\w+'\): call_yes = \.\.\. for 'lr', 'rf'$", problem)
