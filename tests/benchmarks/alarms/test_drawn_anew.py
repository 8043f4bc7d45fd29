"""Chains of a panel whose items stay: what is drawn anew, what is known, and what the promise is held against."""

import numpy as np
import pytest

from benchmarks.alarms.drawn_anew import LABELS, Chain, row_of, verdicts

ITEMS = 6_000


@pytest.mark.parametrize("numbers", ["by window", "permanent"])
def test_a_chain_asks_its_budget_and_labels_of_items_that_stay_are_free(numbers):
    first, second = Chain(numbers, 7, 0, ITEMS).weeks(2)
    assert (first.asked, first.used, second.asked) == (LABELS, LABELS, LABELS)
    again = second.used - second.asked
    assert 0 < again < 60 if numbers == "by window" else again > 100
    assert first.log_e.shape == second.log_e.shape == (8, 3)
    assert np.isfinite(second.log_e).all()
    assert second.log_e.any()


def test_the_promise_is_for_numbers_by_window_and_permanent_ones_are_to_break_it():
    kept = {"false pages a year": 0.5, "upper": 0.8, "mean E": 1.02, "its error": 0.02}
    broken = {**kept, "false pages a year": 15.0, "upper": 20.0}
    assert all(one.holds for one in verdicts([kept, broken], quick=False))
    assert [one.holds for one in verdicts([broken, kept], quick=False)] == [False, True, False]
    assert not next(iter(verdicts([{**kept, "upper": 1.2}, broken], quick=False))).holds
    assert next(iter(verdicts([{**kept, "upper": 1.2}, broken], quick=True))).holds


def test_a_row_has_what_weeks_add_up_to():
    row = row_of("by window", 1, 3, ITEMS, 7)
    assert row["labels asked a week"] == LABELS
    assert row["panel-years"] == pytest.approx(0.1)
