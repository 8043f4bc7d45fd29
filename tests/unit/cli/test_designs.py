"""Designs of the literature on the command line: what was measured is said, what is not told has its reason."""

import pytest

from tests.unit.cli.conftest import NOW

BENNETT = (
    ("budget = 60", 'budget = 40\ndesign = "bennett"'),
    ("[panels.spam.source]", "[panels.spam.options]\nper_bin = 5\n\n[panels.spam.source]"),
    ("margin = 0.1", 'margin = 0.1\nclassifiers = ["lr"]'),
    ('[[panels.spam.limits]]\nmetric = "false_omission_rate"\nceiling = 0.3\nclassifiers = ["rf"]\n', ""),
)
KUMAR = (("budget = 60", 'budget = 60\ndesign = "kumar"'),)


@pytest.fixture
def bennett(fresh):
    fresh.configure(*BENNETT)
    return fresh


class TestCheck:
    def test_a_design_is_told_with_its_options_and_what_was_measured(self, bennett):
        told = bennett.json("check", "--now", NOW)["found"]["configuration"]["design of spam"]
        assert told.startswith(
            "bennett (per_bin = 5); Labels of design = 'bennett' decide where the next ones are drawn"
        )

    def test_of_the_default_nothing_is_said(self, fresh):
        assert "design of" not in fresh.run("check", "--now", NOW).stdout

    def test_limits_in_vain_are_problems(self, fresh):
        fresh.configure(BENNETT[0], BENNETT[2])
        (problem,) = fresh.json("check", "--now", NOW, code=1)["problems"]
        assert problem["place"].startswith("panels.spam.limits[2].metric, line ")
        assert problem["problem"].startswith("design = 'bennett' does not tell false-omission rate of rf")


class TestPlan:
    def test_only_what_the_design_tells_is_foretold(self, bennett):
        document = bennett.json("plan", "--now", NOW)["outlooks"][0]
        assert [(goal["classifier"], goal["metric"]) for goal in document["goals"]] == [("lr", "precision")]
        for step in document["curve"]:
            assert [row["metric"] for row in step["half_widths"]] == ["precision"]
        assert "undefined" not in bennett.run("plan", "--now", NOW).stdout

    def test_budgets_that_are_no_plan_of_the_design_are_left_out(self, fresh):
        """A goal of a tenth needs more than the 20 labels that eight strata cannot share."""
        fresh.configure(*KUMAR)
        document = fresh.json("plan", "--now", NOW)["outlooks"][0]
        assert all(goal["labels_alone"] > 60 for goal in document["goals"])

    def test_a_budget_that_is_none_is_refused(self, fresh):
        fresh.configure(("budget = 60", 'budget = 12\ndesign = "kumar"'))
        refused = fresh.run("plan", "--now", NOW, code=2).stderr
        assert "12 labels do not give 2 to each of 8 strata" in " ".join(refused.split())


def test_a_cycle_tells_what_the_design_tells_and_why_not_the_rest(bennett):
    bennett.run("open", "--now", NOW)
    for hour in range(7, 12):
        bennett.run("advance", "--now", f"2026-01-12T{hour:02d}:00:00+00:00")
        bennett.answer()
    rows = bennett.json("estimates")["estimates"]
    told = {(row["classifier"], row["metric"]): row for row in rows if not row["segment"]}
    assert told["lr", "precision"]["labels_used"] == 40
    assert told["rf", "precision"]["undefined"] == (
        "design = 'bennett' does not tell precision of rf: only precision of lr"
    )
    assert "only precision of lr" in " ".join(bennett.run("estimates").stdout.split())
