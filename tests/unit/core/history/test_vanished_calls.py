"""Calls that vanish from one period to the next: noticed where they fall suddenly, and until they are back."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.history.vanished_calls import called_part, counted_parts, vanished_part
from tests.support.seed import random_seed


def now(part, items=100_000.0):
    """A population of which somebody calls this part, and some items that nobody judged."""
    sizes = np.array([0.4 * part * items, 0.6 * part * items, (1 - part) * items, 5000.0])
    return Cells.of(("a", "b"), ("10", "-1", "00", "--"), sizes, np.full(4, np.nan))


def before(*parts):
    """Periods with these parts, the newest first; None where nobody counted."""
    counted = {age: part for age, part in enumerate(parts, 1) if part is not None}
    return replace(NO_HISTORY, called=counted)


STEADY = (0.1, 0.101, 0.1, 0.101, 0.1)


class TestASuddenFall:
    def test_is_the_part_of_items_that_is_not_called_any_more(self):
        assert vanished_part(now(0.08), before(*STEADY)) == pytest.approx(0.02)

    @pytest.mark.parametrize(("ago", "noticed"), [(1, 0.02), (2, 0.02), (3, 0.02), (4, 0.0)])
    def test_is_remembered_for_three_periods(self, ago, noticed):
        assert vanished_part(now(0.08), before(*[0.08] * ago, *STEADY)) == pytest.approx(noticed)

    def test_that_falls_into_two_periods_is_added_up(self):
        """Breaks seldom begin where a period does."""
        assert vanished_part(now(0.08), before(0.088, *STEADY)) == pytest.approx(0.02)

    def test_stands_out_from_one_other_that_was_large(self):
        """Nine in ten of the others count, and an outlier among eleven is not one of them."""
        assert vanished_part(now(0.08), before(*STEADY, 0.1, 0.101, 0.07, 0.07, 0.071, 0.07)) == pytest.approx(0.02)

    def test_may_be_the_first_change_of_all(self):
        """What is usual is not known then, but for what chance does."""
        assert vanished_part(now(0.08), before(0.1)) == pytest.approx(0.02)
        assert vanished_part(now(0.08, items=5000.0), before(0.1)) == pytest.approx(0.02)
        assert vanished_part(now(0.08, items=3000.0), before(0.1)) == 0

    def test_is_one_where_it_is_twice_the_others(self):
        usual = (0.1, 0.104, 0.1, 0.104, 0.1, 0.104)
        assert vanished_part(now(0.0921), before(*usual)) == 0
        assert vanished_part(now(0.0919), before(*usual)) == pytest.approx(0.0081)

    def test_counts_while_more_than_a_quarter_of_it_is_left(self):
        assert vanished_part(now(0.09), before(0.08, *STEADY)) == pytest.approx(0.02)
        assert vanished_part(now(0.096), before(0.08, *STEADY)) == 0


class TestNoFall:
    @pytest.mark.parametrize("history", [NO_HISTORY, before(), before(None, 0.1)])
    def test_is_known_where_the_period_before_was_not_counted(self, history):
        assert vanished_part(now(0.05), history) == 0

    def test_a_season_is_not_sudden(self):
        for known in (2, 3, 4, 5):
            assert vanished_part(now(0.05), before(*[0.06, 0.07, 0.08, 0.09, 0.1][:known])) == 0

    def test_nor_is_what_changes_much_every_period(self):
        assert vanished_part(now(0.08), before(0.1, 0.09, 0.11, 0.1, 0.12)) == 0

    def test_nor_are_weekends(self):
        days = np.tile([0.1] * 5 + [0.08] * 2, 5)
        for day in range(28, 35):
            assert vanished_part(now(days[day]), before(*days[:day][::-1])) == pytest.approx(0)

    def test_more_calls_are_none(self):
        assert vanished_part(now(0.15), before(*STEADY)) == 0

    def test_a_change_over_several_periods_is_none(self):
        """Nobody counted the one between: such changes are larger than those that are usual."""
        assert vanished_part(now(0.1), before(0.1, 0.1, None, 0.13, 0.13, 0.13)) == 0

    def test_items_that_nobody_judged_are_left_out(self):
        assert vanished_part(now(0.1, items=1_000_000.0), before(0.1, 0.1)) == pytest.approx(0)

    def test_of_one_classifier_whose_items_others_call_is_none(self):
        """They were called before and are: whoever else calls them finds them."""
        shifted = Cells.of(("a", "b"), ("-1", "01", "00", "--"), now(0.1).sizes, now(0.1).scores)
        assert vanished_part(shifted, before(*STEADY[::2])) == pytest.approx(0)

    def test_chance_is_seldom_sudden(self):
        """A fall beyond twice nine in ten of the others' changes: 3.3 standard errors or so, in four periods."""
        rng = np.random.default_rng(random_seed(__name__))
        parts = 0.1 * np.exp(rng.normal(0, 0.01, (1000, 31)))
        found = np.mean([vanished_part(now(each[0]), before(*each[1:])) > 0.001 for each in parts])
        assert found < 0.05

    @pytest.mark.parametrize("known", [1, 2, 4])
    def test_chance_is_seldom_sudden_in_a_young_history_either(self, known):
        rng = np.random.default_rng(random_seed(__name__))
        parts = rng.binomial(3000, 0.1, (1000, known + 1)) / 3000
        found = [vanished_part(now(each[0], items=3000.0), before(*each[1:])) > 0 for each in parts]
        assert np.mean(found) < 0.02


class TestTheCalledPart:
    def test_counts_an_item_once(self):
        found = called_part([("11", 10), ("10", 10), ("-1", 20), ("00", 50), ("-0", 10), ("00", 0)], 2)
        assert found == pytest.approx(0.4)

    def test_looks_at_no_auxiliary_letter(self):
        assert called_part([("0-1", 30), ("1--", 10)], 2) == pytest.approx(0.25)

    def test_leaves_out_what_nobody_judged(self):
        assert called_part([("10", 5), ("00", 5), ("--", 90)], 2) == pytest.approx(0.5)

    def test_is_unknown_where_nobody_judged_anything(self):
        assert called_part([("--", 10)], 2) is None
        assert counted_parts({1: {"--": 10}, 2: {"10": 1, "00": 3}, 3: {}}, 2) == {2: 0.25}
