"""Words of notifications in the characters that receivers take."""

import pytest

from stratawatch.adapters.alerts.alert_text import lines

BODY = """Now: 29.3% of its flags are wrong.
Elsewhere: region=south 19%.
Clue: flags a week from 5,257 to 6,296.
Do: 1. Acknowledge it: stratawatch alerts ack 1
2. Find what changed.
Fine, proven (OK): recall of trees.
Not the cause: items 100,000.
Stopgap, not applied: cut-off 0.7.
Next verdict: on the window to 2026-03-02.
Figures: stratawatch alerts show 1"""
KEPT = "Now", "Do", "2. Find", "Next verdict", "Figures"


@pytest.mark.parametrize("longest", range(len(BODY) + 2))
def test_no_text_is_longer_than_it_may_be(longest):
    assert len(lines(BODY, longest)) <= longest


@pytest.mark.parametrize("longest", range(220, len(BODY)))
def test_whole_lines_are_left_out_and_what_has_to_be_done_stays(longest):
    *found, dots = lines(BODY, longest).splitlines()
    assert dots == "..."
    assert set(found) < set(BODY.splitlines())
    assert [start for start in KEPT if any(line.startswith(start) for line in found)] == list(KEPT)


def test_the_least_needed_goes_first():
    found = lines(BODY, len(BODY) - 1)
    assert "Stopgap" not in found
    assert "Not the cause" in found


def test_a_text_that_fits_is_as_it_was_but_for_control_characters():
    assert lines(BODY, len(BODY)) == BODY
    assert lines("a\x1bb\nc", 10) == "a b\nc"
