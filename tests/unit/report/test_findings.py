"""What a picture shows in words: the value, on which side of its limit it lies, and since when."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.goals import Limit
from stratawatch.report.baseline_view import BaselineView
from stratawatch.report.findings import finding
from stratawatch.report.view import build
from tests.support.report_quarter import NOW, known, quarter


@pytest.fixture(scope="module")
def view():
    memory = quarter()
    return build(memory, memory.panel, NOW)


@pytest.fixture
def score(view):
    (nb,) = [one for one in view.scores if (one.classifier, one.metric) == ("nb", "precision")]
    return replace(nb, estimate=known(0.71, 0.03))


class TestSide:
    def test_a_breach_is_said_with_the_window_in_which_it_began(self, view, score):
        said = "Precision of nb: 71.0% (68.0 to 74.0), below its floor of 78.0% since the week of 16 Feb"
        assert finding(view, score) == said

    def test_a_breach_of_another_metric_or_segment_is_not_taken_for_its_own(self, view, score):
        recall, south = replace(score, metric="recall"), replace(score, segment="region=south")
        assert finding(view, recall).endswith("below its floor of 78.0%")
        assert finding(view, south) == "Precision of nb in region=south: 71.0% (68.0 to 74.0), below its floor of 78.0%"

    def test_a_breach_that_ended_is_not_the_one_that_is_open(self, view, score):
        (open_,) = [row for row in view.incidents if row.resolved_at is None]
        ended = replace(open_, resolved_at=NOW, since=datetime(2026, 1, 19, tzinfo=UTC))
        assert finding(replace(view, incidents=(ended, open_)), score).endswith("since the week of 16 Feb")
        assert finding(replace(view, incidents=(ended,)), score).endswith("below its floor of 78.0%")

    def test_a_breach_that_looks_over_is_still_one(self, view, score):
        said = finding(view, replace(score, estimate=known(0.84, 0.03)))
        assert said.endswith("above its floor of 78.0%, in breach since the week of 16 Feb")

    def test_another_year_is_said(self, view, score):
        rows = tuple(replace(row, since=datetime(2025, 12, 1, 6, tzinfo=UTC)) for row in view.incidents)
        assert finding(replace(view, incidents=rows), score).endswith("since the week of 1 Dec 2025 06:00")

    @pytest.mark.parametrize(
        ("state", "value", "ends"),
        [
            (AlarmState.OK, 0.84, "(81.0 to 87.0), above its floor of 78.0%"),
            (AlarmState.UNPROVEN, 0.79, "(76.0 to 82.0), above its floor of 78.0%, not proven"),
            (AlarmState.AT_RISK, 0.77, "(74.0 to 80.0), below its floor of 78.0%, not proven"),
            (AlarmState.BLIND, 0.77, "(74.0 to 80.0), below its floor of 78.0%, cannot see"),
        ],
    )
    def test_what_is_not_proven_says_so(self, view, score, state, value, ends):
        assert finding(view, replace(score, state=state, estimate=known(value, 0.03))).endswith(ends)

    def test_of_a_ceiling_above_is_outside(self, view, score):
        rate = replace(score, metric="false_omission_rate", limit=Limit("false_omission_rate", ceiling=0.02))
        rate = replace(rate, state=AlarmState.AT_RISK, estimate=known(0.03, 0.004))
        assert finding(view, rate).endswith("3.00% (2.60 to 3.40), above its ceiling of 2.00%, not proven")


class TestWithoutAFigure:
    def test_without_a_limit_there_is_the_value_alone(self, view, score):
        assert finding(view, replace(score, limit=None, state=None)) == "Precision of nb: 71.0% (68.0 to 74.0)"

    def test_what_cannot_be_told_says_why_and_no_figure(self, view, score):
        blind = replace(score, estimate=None, state=AlarmState.BLIND, reason="no yes among the 14 labels.")
        assert finding(view, blind) == "Precision of nb cannot be told: no yes among the 14 labels"
        assert "in breach since the week of 16 Feb: no yes" in finding(view, replace(blind, state=AlarmState.BREACH))
        assert len(finding(view, replace(blind, reason="x" * 5000))) < 300

    def test_control_characters_of_names_are_blanks(self, view, score):
        assert finding(view, replace(score, classifier="a\nb\x1b")).startswith("Precision of a b : 71.0%")


def test_a_fall_from_a_baseline_is_said(view, score):
    was = BaselineView(known(0.85, 0.02), "2026-01-05", "census", NOW, None, "fell by 14.0 points (9.0 to 19.0)", False)
    fell = replace(score, limit=Limit("precision", max_drop=0.05), baseline=was)
    said = finding(view, fell)
    assert "fell by 14.0 points (9.0 to 19.0) from its baseline of 85.0%, in breach since the week of 16 Feb" in said
