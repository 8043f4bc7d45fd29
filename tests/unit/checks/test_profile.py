from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.panel_spec import ClassifierSpec
from tests.support.predictions.panels import START, WINDOW, panel

PANEL = panel()
Make = Callable[..., InputProfile]


class TestProfile:
    def test_a_healthy_window_passes(self, check, profile_of):
        report = check.profile(PANEL, WINDOW, profile_of())
        assert (report.passed, report.failures, report.refusal, report.bad_rows) == (True, (), "", ())

    def test_an_empty_window_is_refused(self, check, profile_of):
        nothing = profile_of({"positives": 0}, rows=0, first_time=None, last_time=None)
        report = check.profile(PANEL, WINDOW, nothing)
        assert report.refusal == "the window [2026-01-05 00:00, 2026-01-12 00:00) +00:00 has no rows"
        assert report.failures[0] == report.refusal
        assert not report.passed

    def test_bad_rows_up_to_the_cap_pass(self, check, profile_of):
        assert check.profile(PANEL, WINDOW, profile_of({"invalid": 10}, bad_rows=10)).passed

    def test_one_more_is_refused_with_the_causes(self, check, profile_of):
        bad = profile_of({"invalid": 2, "score_invalid": 8}, bad_rows=11, null_items=1)
        report = check.profile(PANEL, WINDOW, bad)
        assert report.refusal == (
            "11 of 1,000 rows (1.10%) cannot be used, more than the 1.00% that may be set aside: "
            "8 with an unreadable score of 'lr', 2 with an unreadable call of 'lr', 1 without an item id"
        )

    def test_rows_without_a_time_are_named_as_the_cause(self, check, profile_of):
        report = check.profile(PANEL, WINDOW, profile_of(bad_rows=500))
        assert report.refusal.endswith("may be set aside: 500 without a readable time")

    def test_rows_without_a_time_are_said_to_count_in_every_window(self, check, profile_of):
        refusal = check.profile(PANEL, WINDOW, profile_of(bad_rows=20, null_times=20)).refusal
        assert "may be set aside: 20 without a readable time; rows without a time belong to no window" in refusal
        assert "leave them out of the source" in refusal

    def test_the_cap_is_the_panels(self, check, profile_of):
        bad = profile_of({"invalid": 300}, bad_rows=300)
        assert check.profile(replace(PANEL, max_bad_row_share=0.3), WINDOW, bad).passed
        assert not check.profile(replace(PANEL, max_bad_row_share=0.299), WINDOW, bad).passed

    def test_more_missing_scores_than_allowed_refuse_it_and_in_a_long_table_warn(self, check, profile_of):
        missing = profile_of({"score_nulls": 11})
        refused = check.profile(PANEL, WINDOW, missing)
        assert refused.refusal.startswith("11 of 1,000 rows (1.10%) have no score of 'lr'")
        long = replace(PANEL, columns=replace(PANEL.columns, classifier="model"))
        told = check.profile(long, WINDOW, missing)
        assert (told.passed, told.failures) == (True, (refused.refusal,))
        assert not check.profile(replace(long, max_missing_score_share=0.01), WINDOW, missing).passed

    @pytest.mark.parametrize("positives", [0, 1000])
    def test_all_calls_alike_pass(self, check, profile_of, positives):
        assert check.profile(PANEL, WINDOW, profile_of({"positives": positives})).passed

    def test_no_call_at_all_is_refused(self, check, profile_of):
        report = check.profile(PANEL, WINDOW, profile_of({"nulls": 1000, "positives": 0}))
        assert report.refusal == "no classifier of panel 'posts' made a call on any of 1,000 rows"

    def test_a_call_made_from_an_unreadable_score_is_not_counted_beside_it(self, check, profile_of):
        cut = replace(panel((ClassifierSpec("lr", "score", cut_off=0.5),)), max_bad_row_share=0.01)
        bad = profile_of({"invalid": 8, "score_invalid": 8}, bad_rows=8, null_times=0)
        assert check.profile(cut, WINDOW, bad).failures == ()
        worse = profile_of({"invalid": 11, "score_invalid": 11}, bad_rows=11, null_times=0)
        assert check.profile(cut, WINDOW, worse).failures[1] == "11 values of classifier 'lr' cannot be read"

    def test_one_silent_classifier_is_reported_and_the_work_goes_on(self, check, profile_of):
        two = panel((ClassifierSpec("lr", call="a"), ClassifierSpec("nn", call="b")))
        column = profile_of().columns["lr"]
        silent = profile_of(columns={"lr": column, "nn": {**column, "nulls": 1000, "positives": 0}})
        report = check.profile(two, WINDOW, silent)
        assert (report.passed, report.refusal) == (True, "")
        assert report.failures == ("classifier 'nn' made no call on any of 1,000 rows",)

    @pytest.mark.parametrize(
        ("column", "told"), [({"positives": 0}, 1), ({"positives": 1}, 0), ({"nulls": 1000, "positives": 0}, 0)]
    )
    def test_a_value_that_means_yes_and_that_no_row_has_is_reported(self, check, profile_of, column, told):
        gate = panel((ClassifierSpec("lr", call="decision", call_yes="it's <b>löck"),))
        report = check.profile(gate, WINDOW, profile_of(column))
        sentence = (
            "classifier 'lr' called nothing positive: no row has call_yes = \"it's <b>löck\" in column 'decision'; "
            "is it written exactly so there?"
        )
        assert report.failures.count(sentence) == told
        assert report.passed == (column.get("nulls") is None)

    @pytest.mark.parametrize("offset", [timedelta(seconds=-1), timedelta(days=7)])
    def test_a_newest_row_outside_the_window_is_refused(self, check, profile_of, offset):
        report = check.profile(PANEL, WINDOW, profile_of(last_time=START + offset))
        assert "lies outside the window" in report.refusal

    def test_the_last_moment_of_the_window_is_inside(self, check, profile_of):
        last = START + timedelta(days=7, microseconds=-1)
        assert check.profile(PANEL, WINDOW, profile_of(last_time=last)).passed

    def test_a_window_whose_rows_all_lack_a_time_is_refused(self, check, profile_of):
        timeless = profile_of(bad_rows=1000, first_time=None, last_time=None)
        report = check.profile(replace(PANEL, max_bad_row_share=1.0), WINDOW, timeless)
        assert report.refusal.startswith("no row of the window")
