"""What the demo prints, from weeks made by hand."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from flows.demo_output import DemoOutput
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.engine.evidence.newest_together import NewestTogether
from tests.support.demo_weeks import NOTIFICATION, PRECISION, demo_result, week


@pytest.fixture
def output():
    return DemoOutput(Console(file=io.StringIO(), width=80, highlight=False))


def printed(output) -> str:
    return output.console.file.getvalue()


class TestPrintWeek:
    def test_counts_answers_and_states_the_worst_last(self, output):
        output.print_week(week(7, precision=PRECISION))
        assert printed(output) == "week  7  893 of 900 answered  OK 2  BREACH 1  4.2 s\n"

    def test_names_the_notifications_that_were_sent(self, output):
        output.print_week(week(7, precision=PRECISION, notifications=(NOTIFICATION,)))
        assert "page: BREACH: precision\n" in printed(output)


class TestEnd:
    def test_puts_the_truth_beside_the_estimate_within_80_columns(self, output):
        output.print_result(demo_result(week(10, precision=PRECISION)), 61)
        assert "logistic    precision       68.1% (64.9 to 71.1)  70.0%  yes     78.8%  BREACH" in printed(output)
        assert max(map(len, printed(output).splitlines())) <= 80

    def test_says_when_the_interval_misses_the_truth(self, output):
        output.print_result(demo_result(week(9, precision=PRECISION), week(10, precision=PRECISION, truth=0.72)), 61)
        assert "72.0%  no " in printed(output)
        assert "Truth inside its 95% interval: 2 of 4 times, 0 of 0 times for single regions." in printed(output)

    def test_says_when_an_estimate_is_undefined(self, output):
        output.print_result(demo_result(week(10, precision=Undefined("no labels"))), 61)
        assert "undefined" in printed(output)

    def test_compares_the_labels_with_plain_random_sampling(self, output):
        output.print_result(demo_result(week(9, precision=PRECISION), week(10, precision=PRECISION)), 61)
        said = " ".join(printed(output).split())
        assert "1,800 labels of 2 weeks" in said
        assert "14,400 (8.0 times as many)" in said
        assert "21,600 (12.0 times)" in said

    def test_shows_the_page_in_full_and_its_words_are_never_markup(self, output):
        output.print_result(demo_result(week(10, precision=PRECISION)), 61)
        assert "the page of week 7" in printed(output)
        assert "71.2% is [low]" in printed(output)

    def test_says_that_the_promises_were_kept(self, output):
        assert output.print_result(demo_result(week(10, precision=PRECISION)), 61) == ()
        assert "promises kept" in printed(output)

    def test_says_how_well_four_weeks_together_know_recall(self, output):
        assert output.print_result(demo_result(week(10, precision=PRECISION), recall_over_four=0.035), 61) == ()
        assert "Four weeks together know recall to ±3.5 points.\n" in printed(output)

    def test_names_four_weeks_that_know_recall_too_little(self, output):
        (broken,) = output.print_result(demo_result(week(10, precision=PRECISION), recall_over_four=0.05), 61)
        assert broken == "four weeks together know recall to ±5.00 points, not to ±4.30"

    def test_names_why_four_weeks_do_not_tell_recall(self, output):
        week_ten = week(10, precision=PRECISION)
        (broken,) = output.print_result(demo_result(week_ten, recall_over_four=Undefined("no labels")), 61)
        assert broken == "four weeks together do not tell recall: no labels"
        assert "Four weeks together know" not in printed(output)

    def test_the_widest_recall_is_that_of_four_weeks_of_all_classifiers(self):
        from flows.demo_weeks import widest_recall

        known = [
            Estimate("lr", metric, None, IntervalEstimate(0.7, 0.7 - half, 0.7 + half, 90), 300, "", 0.95)
            for metric, half in (("recall", 0.03), ("recall", 0.04), ("precision", 0.2))
        ]
        four = NewestTogether(("lr",), (), (None,) * 4, tuple(known))
        assert widest_recall([four]) == pytest.approx(0.04)
        lost = replace(known[0], result=Undefined("no labels"))
        assert widest_recall([replace(four, estimates=(*known, lost))]) == Undefined("no labels")
        few = Undefined("only 3 weeks can be counted together")
        assert widest_recall([four, replace(four, newest=(None,) * 3)]) == few
        assert widest_recall([]) == Undefined("only 0 weeks can be counted together")

    def test_names_each_promise_that_was_not(self, output):
        broken = output.print_result(demo_result(week(10, precision=PRECISION), pages=()), 61)
        assert broken == ("the lost precision of logistic was not paged in week 7 or 8",)
        assert f"promise broken: {broken[0]}" in printed(output)
