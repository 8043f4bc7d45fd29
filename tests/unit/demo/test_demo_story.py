"""What the demo prints, from weeks made by hand."""

import io

import pytest
from rich.console import Console

from flows.demo_story import Story
from stratawatch.core.estimate import Undefined
from tests.support.demo_weeks import KNOWN, NOTIFICATION, ending, week


@pytest.fixture
def story():
    return Story(Console(file=io.StringIO(), width=80, highlight=False))


def told(story) -> str:
    return story.console.file.getvalue()


class TestTellWeek:
    def test_counts_answers_and_states_the_worst_last(self, story):
        story.print_week(week(7, precision=KNOWN))
        assert told(story) == "week  7  893 of 900 answered  OK 2  BREACH 1  4.2 s\n"

    def test_names_what_was_told_to_people(self, story):
        story.print_week(week(7, precision=KNOWN, notifications=(NOTIFICATION,)))
        assert "page: BREACH: precision\n" in told(story)


class TestEnd:
    def test_puts_the_truth_beside_the_estimate_within_80_columns(self, story):
        story.end(ending(week(10, precision=KNOWN)), 61)
        assert "logistic    precision       68.1% (64.9 to 71.1)  70.0%  yes     78.8%  UNPROVEN" in told(story)
        assert max(map(len, told(story).splitlines())) <= 80

    def test_says_when_the_interval_misses_the_truth(self, story):
        story.end(ending(week(9, precision=KNOWN), week(10, precision=KNOWN, truth=0.72)), 61)
        assert "72.0%  no " in told(story)
        assert "Truth inside its 95% interval: 2 of 4 times, 0 of 0 times for single regions." in told(story)

    def test_says_when_nothing_can_be_told(self, story):
        story.end(ending(week(10, precision=Undefined("no labels"))), 61)
        assert "undefined" in told(story)

    def test_compares_the_labels_with_plain_random_sampling(self, story):
        story.end(ending(week(9, precision=KNOWN), week(10, precision=KNOWN)), 61)
        said = " ".join(told(story).split())
        assert "1,800 labels of 2 weeks" in said
        assert "14,400 (8.0 times as many)" in said
        assert "21,600 (12.0 times)" in said

    def test_shows_the_page_in_full_and_its_words_are_never_markup(self, story):
        story.end(ending(week(10, precision=KNOWN)), 61)
        assert "the page of week 7" in told(story)
        assert "71.2% is [low]" in told(story)

    def test_says_that_the_promises_were_kept(self, story):
        assert story.end(ending(week(10, precision=KNOWN)), 61) == ()
        assert "promises kept" in told(story)

    def test_names_each_promise_that_was_not(self, story):
        broken = story.end(ending(week(10, precision=KNOWN), pages=()), 61)
        assert broken == ("the lost precision of logistic was not paged in week 7 or 8",)
        assert f"promise broken: {broken[0]}" in told(story)
