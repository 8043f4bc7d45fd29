"""What is said of rows that cannot be used: each fault counted, with an example, and what to do."""

from dataclasses import replace
from typing import Any

import pytest

from stratawatch.engine.input.bad_row_reasons import (
    advice,
    bad_row_reasons,
    example,
    examples_text,
    quoted,
    summary,
    unreadable_values,
)
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from tests.support.predictions.panels import panel

PANEL = panel((ClassifierSpec("lr", "p_lr", call="is_lr"), ClassifierSpec("nn", "p_nn", cut_off=0.5)))
NOTHING = dict.fromkeys(("nulls", "invalid", "positives", "score_nulls", "score_invalid"), 0)


def profile(bad_rows: int = 0, rows: int = 1000, lr: dict[str, int] | None = None, **changes: Any) -> InputProfile:
    nn = changes.pop("nn", {})
    columns = {"lr": {**NOTHING, **(lr or {})}, "nn": {**NOTHING, **nn}}
    return InputProfile(rows, bad_rows, changes.pop("null_items", 0), None, None, columns, **changes)


def bad(**unreadable: str) -> QuarantinedRow:
    return QuarantinedRow(
        "prediction", "a", "", {"unreadable": {key.replace("_", " "): one for key, one in unreadable.items()}}
    )


class TestFaults:
    def test_each_is_counted_and_the_most_frequent_comes_first(self) -> None:
        found = bad_row_reasons(
            PANEL, profile(90, lr={"invalid": 20, "score_invalid": 30}, null_items=22, null_times=18)
        )
        assert [(one.rows, one.reason) for one in found] == [
            (30, "the score of 'lr' in 'p_lr' is not a probability in [0, 1]"),
            (22, "the item id in 'id' is missing"),
            (20, "the call of 'lr' in 'is_lr' is neither yes nor no, true nor false, 1 nor 0"),
            (18, "the time in 'ts' is missing or unreadable"),
        ]

    def test_a_call_made_from_an_unreadable_score_is_one_fault(self) -> None:
        found = bad_row_reasons(PANEL, profile(8, nn={"invalid": 8, "score_invalid": 8}, null_times=0))
        assert [(one.rows, one.short) for one in found] == [(8, "with an unreadable score of 'nn'")]

    def test_several_of_one_row_leave_rows_without_a_time_as_they_were_counted(self) -> None:
        found = bad_row_reasons(PANEL, profile(10, lr={"score_invalid": 10}, null_items=10, null_times=10))
        assert [one.rows for one in found] == [10, 10, 10]

    def test_where_times_were_not_counted_the_rest_lacks_one(self) -> None:
        assert [(one.rows, one.key) for one in bad_row_reasons(PANEL, profile(10, null_items=4))] == [
            (6, "time"),
            (4, "item"),
        ]

    def test_a_window_without_bad_rows_has_none(self) -> None:
        assert bad_row_reasons(PANEL, profile(null_times=0)) == ()


class TestExamples:
    def test_are_what_the_source_has(self) -> None:
        counted = profile(12, lr={"score_invalid": 10}, null_times=2)
        rows = [bad(time="05/01/2026"), bad(score_of_lr="n/a"), bad(score_of_lr="none")]
        assert summary(PANEL, counted, rows) == (
            "10 with an unreadable score of 'lr' (such as 'n/a'), 2 without a readable time (such as '05/01/2026')"
        )
        assert summary(PANEL, counted) == "10 with an unreadable score of 'lr', 2 without a readable time"

    def test_what_several_classifiers_have_is_said_once(self) -> None:
        both = panel((ClassifierSpec("lr", call="is_lr"), ClassifierSpec("nn", call="is_nn")))
        counted = profile(9, lr={"invalid": 9}, nn={"invalid": 9}, null_times=0)
        rows = [bad(call_of_lr="ham", call_of_nn="ham"), bad(call_of_lr="spam")]
        assert summary(both, counted, rows) == "9 with an unreadable call of 'lr', 'nn' (such as 'ham')"
        assert summary(both, counted) == "9 with an unreadable call of 'lr', 'nn'"
        assert examples_text(both, counted, rows) == "'ham' in a row with an unreadable call of 'lr', 'nn'"
        assert unreadable_values("call of lr", rows) == ["ham", "spam"]

    def test_there_is_none_of_what_is_missing_or_was_kept_by_an_older_program(self) -> None:
        (fault,) = bad_row_reasons(PANEL, profile(1, null_items=1, null_times=0))
        assert example(fault, [QuarantinedRow("prediction", "", "the item id in 'id' is missing")]) is None

    @pytest.mark.parametrize(
        ("value", "shown"), [("x" * 41, f"'{'x' * 39}…'"), ("\x1b[2J", r"'\x1b[2J'"), ("a\nb", r"'a\nb'")]
    )
    def test_are_escaped_and_cut_short(self, value: str, shown: str) -> None:
        assert quoted(value) == shown


class TestAdvice:
    def test_says_why_rows_without_a_time_are_in_every_window_and_what_to_do(self) -> None:
        told = advice(PANEL, profile(80, rows=4072, null_times=80))
        assert "count in each one, whatever their age" in told
        assert "max_bad_row_share of panel 'posts'" in told

    def test_is_silent_where_the_window_would_be_refused_without_them_too(self) -> None:
        assert advice(PANEL, profile(91, null_times=80)) == ""
        assert advice(PANEL, profile(90, null_times=80)) != ""

    def test_is_silent_where_every_row_has_a_time_or_they_were_not_counted(self) -> None:
        assert advice(PANEL, profile(8, null_times=0)) == ""
        assert advice(PANEL, replace(profile(8), null_times=None)) == ""
