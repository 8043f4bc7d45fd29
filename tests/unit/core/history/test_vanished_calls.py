"""Calls that vanish from one period to the next: noticed where they fall off suddenly, and for some periods after."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.history.vanished_calls import vanished_calls
from tests.support.seed import random_seed


def now(part, quiet="00", items=10_000.0):
    """A population of which somebody calls this part, and some items that nobody judged."""
    sizes = np.array([0.4 * part * items, 0.6 * part * items, (1 - part) * items, 5000.0])
    return Cells.of(("a", "b"), ("10", "-1", quiet, "--"), sizes, np.full(4, np.nan))


def before(*parts, patterns=("10", "-1", "00", "--")):
    """Labels of periods with these parts, the newest first: calls were labelled much more often."""
    ages = np.repeat(np.arange(1, len(parts) + 1), 4)
    weights = np.array([[4 * part, 6 * part, 10 * (1 - part), 3.0] for part in parts]).ravel()
    said = np.zeros(len(ages), dtype=bool)
    return History(ages, patterns * len(parts), np.full(len(ages), np.nan), said, weights, said)


class TestASuddenFall:
    def test_is_the_part_of_items_whose_call_vanished(self):
        assert vanished_calls(now(0.08), before(0.1, 0.101, 0.099, 0.1)) == pytest.approx(0.02)

    @pytest.mark.parametrize("periods", [1, 2])
    def test_is_noticed_when_little_is_known_of_what_is_usual(self, periods):
        assert vanished_calls(now(0.08), before(*[0.1] * periods)) == pytest.approx(0.02)

    @pytest.mark.parametrize(("ago", "noticed"), [(1, 0.02), (2, 0.02), (3, 0.02), (4, 0.0)])
    def test_is_remembered_for_three_periods(self, ago, noticed):
        steady = [0.1, 0.101, 0.1, 0.101, 0.1]
        assert vanished_calls(now(0.08), before(*[0.08] * ago, *steady)) == pytest.approx(noticed)

    def test_the_largest_of_two_counts(self):
        assert vanished_calls(now(0.07), before(0.08, 0.1, 0.1, 0.1)) == pytest.approx(0.02)

    def test_of_one_classifier_whose_items_others_call_is_none(self):
        """They were called before and are: whoever else calls them finds them."""
        shifted = Cells.of(("a", "b"), ("-1", "01", "00", "--"), now(0.1).sizes, now(0.1).scores)
        assert vanished_calls(shifted, before(0.1, 0.1, 0.1)) == 0


class TestNoFall:
    def test_without_a_history_nothing_is_known(self):
        assert vanished_calls(now(0.1), NO_HISTORY) == 0

    def test_a_season_is_not_sudden(self):
        assert vanished_calls(now(0.05), before(0.06, 0.07, 0.08, 0.09, 0.1)) == 0

    def test_nor_is_what_changes_much_every_period(self):
        assert vanished_calls(now(0.08), before(0.1, 0.09, 0.11, 0.1, 0.12)) == 0

    def test_more_calls_are_none(self):
        assert vanished_calls(now(0.15), before(0.1, 0.1, 0.1)) == 0

    def test_items_that_nobody_judged_are_left_out(self):
        assert vanished_calls(now(0.1, items=1_000_000.0), before(0.1, 0.1)) == pytest.approx(0)

    def test_what_auxiliary_scores_lean_to_is_no_call(self):
        """The letters after the classifiers'."""
        history = before(0.1, 0.1, patterns=("101", "-10", "001", "--1"))
        history = replace(history, classifiers=2)
        assert vanished_calls(now(0.1), history) == pytest.approx(0)

    def test_periods_of_which_nothing_was_judged_are_skipped(self):
        history = before(0.1, 0.1, 0.1)
        history = replace(history, weights=np.where(history.ages == 1, 0, history.weights))
        assert vanished_calls(now(0.08), history) == pytest.approx(0.02)

    def test_chance_is_seldom_sudden(self):
        """Parts that scatter by a hundredth of themselves: three times the median change is two standard deviations."""
        rng = np.random.default_rng(random_seed(__name__))
        parts = 0.1 * np.exp(rng.normal(0, 0.01, (400, 12)))
        found = np.mean([vanished_calls(now(each[0]), before(*each[1:9])) > 0 for each in parts])
        assert found < 0.2
