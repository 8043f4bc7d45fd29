"""What is said of a breach that lasts: nothing that no test of the newest window shows."""

from stratawatch.core.alarms.error_shares import error_share
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import Limit
from stratawatch.engine.evidence.lasting_text import still_on_line, still_sure_line

PRECISION = error_share("precision")


def week(value, half=0.03):
    return IntervalEstimate(value, value - half, value + half, 300.0)


def still_on(*values, is_inside=False):
    weeks = [None if value is None else week(value) for value in values]
    return still_on_line(weeks, PRECISION, "week", is_inside=is_inside)


def test_better_and_worse_are_beyond_what_both_intervals_leave_open():
    assert "; worse than in the first (20%, 30% wrong)." in still_on(0.8, 0.7)
    assert "; better than in the first (30%, 20% wrong)." in still_on(0.7, 0.8)
    assert "; no clear change since it began" in still_on(0.74, 0.71)


def test_of_a_metric_without_a_word_for_what_is_wrong_less_is_worse():
    said = still_on_line([week(0.8), week(0.7)], error_share("f1"), "week", is_inside=False)
    assert said == "Still on: yes, in week 2 of it; worse than in the first (80%, 70%)."


def test_the_first_window_is_shown_whatever_lies_between():
    said = still_on(0.5, *[0.7] * 9)
    assert (
        said == "Still on: yes, in week 10 of it; better than in the first (50%, ..., 30%, 30%, 30%, 30%, 30% wrong)."
    )


def test_a_window_of_which_nothing_is_known_is_a_gap():
    assert "(30%, ?, 30% wrong)" in still_on(0.7, None, 0.7)
    assert still_on(None, 0.7) == "Still on: yes, in week 2 of it."


def test_nothing_is_claimed_of_a_largest_fall_by_the_window_alone():
    assert still_on(0.7, is_inside=None) == "Still on: not ended in week 1 of it."
    fall = Limit("precision", max_drop=0.05)
    assert still_sure_line(week(0.7), fall, PRECISION, "week") == "Sure: proven when it was paged."


def test_a_window_that_looks_fine_is_not_proven_over():
    assert still_on(0.9, is_inside=True) == "Still on: not proven over in week 1 of it."


def test_a_floor_beside_a_fall_is_told_where_it_is_broken():
    both = Limit("precision", floor=0.79, max_drop=0.05)
    assert still_sure_line(week(0.7), both, PRECISION, "week").startswith("Sure: yes, proven. All of this week's")
    assert still_sure_line(week(0.78), both, PRECISION, "week") == "Sure: proven when it was paged."


def test_of_f1_the_limit_is_what_it_asks_for():
    said = still_sure_line(week(0.7), Limit("f1", floor=0.8), error_share("f1"), "week")
    assert said.endswith("67.0% to 73.0%, is outside the 80% that its limit asks for.")
