"""What a panel says of its pages: `alarms`, `focus` and `random_numbers`."""

import pytest

from stratawatch.adapters.store.json_codec import as_document
from stratawatch.config.loading import load_configuration

BUDGET = "budget = 120"


def test_they_have_values_by_themselves_that_make_no_new_version_of_a_panel(write):
    plain = load_configuration(write()).panels["spam"]
    assert (plain.alarms, plain.focus, plain.random_numbers) == ("evidence", True, "permanent")
    written = f'{BUDGET}\nalarms = "evidence"\nfocus = true\nrandom_numbers = "permanent"'
    assert as_document(load_configuration(write((BUDGET, written))).panels["spam"]) == as_document(plain)


def test_others_are_kept(write):
    others = 'alarms = "window"\nfocus = false\nrandom_numbers = "by window"'
    panel = load_configuration(write((BUDGET, f"{BUDGET}\n{others}"))).panels["spam"]
    assert (panel.alarms, panel.focus, panel.random_numbers, panel.draws_anew) == ("window", False, "by window", True)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('alarms = "windows"', "expected evidence or window; got windows"),
        ('focus = "often"', "panels.spam.focus"),
        ('random_numbers = "fresh"', "expected permanent or by window; got fresh"),
    ],
)
def test_other_words_are_refused(problem, line, expected):
    assert expected in problem((BUDGET, f"{BUDGET}\n{line}"))
