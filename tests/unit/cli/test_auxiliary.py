"""A score that helps: it shapes the strata, is told of nowhere as a classifier, and may be wrong."""

import pytest

from tests.unit.cli.conftest import NOW, ROWS

JUDGE = '[panels.spam.auxiliary.judge]\nscore = "p_judge"\n'


@pytest.fixture(params=["i % 2 * .9 + .05", "1 - i % 2 * .9 - .05", "CASE WHEN i % 3 = 0 THEN 'nan'::DOUBLE END"])
def helped(fresh, request):
    """An installation with a judge that knows, one that has it the wrong way round, and one that says little."""
    rows = ROWS.replace("FROM range(2000)", f", {request.param} AS p_judge FROM range(2000)")
    fresh.configure(("budget = 60", "budget = 300"), more=JUDGE)
    fresh.predict(rows)
    return fresh


def test_check_finds_its_column(helped):
    assert helped.json("check", "--now", NOW)["ok"] is True
    helped.predict()
    (problem,) = helped.json("check", "--now", NOW, code=1)["problems"]
    assert "column 'p_judge' (the auxiliary score 'judge' of panel 'spam') is missing" in problem["problem"]


def test_a_plan_shows_its_letter_last(helped):
    (plan,) = helped.json("plan", "--dry-run", "--now", NOW)["plans"]
    assert (plan["classifiers"], plan["auxiliary"]) == (["lr", "rf"], ["judge"])
    assert {len(atom["pattern"]) for stratum in plan["strata"] for atom in stratum["atoms"]} == {3}
    assert "what lr, rf, judge say, in this order" in helped.run("plan", "--dry-run", "--method", "--now", NOW).stdout
    assert "judge" not in helped.run("plan", "--dry-run", "--now", NOW).stdout


def test_a_cycle_estimates_the_classifiers_alone_and_tells_the_truth(helped):
    """Of the items that lr calls spam (score from one half on) the odd ones are spam: a precision of one half."""
    helped.run("open", "--now", NOW)
    for hour in (6, 8, 9):
        helped.run("advance", "--now", f"2026-01-12T{hour:02}:00:00+00:00")
        helped.answer()
    estimates = helped.json("estimates")["estimates"]
    assert {row["classifier"] for row in estimates} == {"lr", "rf"}
    [precision] = [row for row in estimates if (row["classifier"], row["metric"]) == ("lr", "precision")]
    truth = [number % 2 for number in range(2000) if ((number * 7919) % 2003) / 2003 >= 0.5]
    assert precision["low"] <= sum(truth) / len(truth) <= precision["high"]
    assert precision["high"] - precision["low"] < 0.25
