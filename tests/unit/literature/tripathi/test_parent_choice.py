from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.panel_draw import draw_panel
from stratawatch.literature.tripathi.parent_choice import best_parent, expected_labels, expected_savings
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns, Overlap
from stratawatch.literature.tripathi.sequence_length import longest_affordable

PANEL = CallPatterns.of(["000", "100", "110", "111", "011", "001"], np.array([8000, 100, 400, 900, 200, 50]), 3)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 30), st.integers(0, 30), st.integers(0, 30))
def test_expected_savings_by_enumeration(parent_length, length, both, only_parent, only_child):
    overlap = Overlap(both + only_parent, both + only_child, both)
    pir, cir = overlap.parent_ratio, overlap.child_ratio
    chances = [comb(parent_length, x) * pir**x * (1 - pir) ** (parent_length - x) for x in range(parent_length + 1)]
    expected = sum(chance * min(x, length * cir) for x, chance in enumerate(chances))
    assert expected_savings(overlap, parent_length, length) == pytest.approx(expected)


@pytest.mark.parametrize(("both", "saved"), [(0, 0), (100, 60)])
def test_savings_without_and_with_a_full_overlap(both, saved):
    assert expected_savings(Overlap(100, 100, both), 60, 60) == pytest.approx(saved)


@pytest.mark.parametrize("parent", [0, 1, 2])
def test_expected_labels_are_the_mean_of_draws(parent):
    length = np.array([300, 250, 400])
    found = [draw_panel(PANEL, length, parent, np.random.default_rng(seed)).labels for seed in range(300)]
    error = np.std(found) / 300**0.5
    assert expected_labels(PANEL, length, parent) == pytest.approx(np.mean(found), abs=4 * error + 0.5)


def test_the_best_parent_is_the_one_that_overlaps():
    assert best_parent(PANEL, np.array([300, 300, 300])) == 1


def test_a_classifier_that_calls_nothing_cannot_be_the_best():
    patterns = CallPatterns.of(["00", "01"], np.array([5, 50]), 2)
    assert best_parent(patterns, np.array([20, 20])) == 1


def test_a_cell_of_one_item_is_labelled_once():
    patterns = CallPatterns.of(["11"], np.array([1]), 2)
    assert expected_labels(patterns, np.array([50, 50]), 0) == 1


def test_classifiers_apart_need_all_their_labels():
    patterns = CallPatterns.of(["10", "01"], np.array([10**9, 10**9]), 2)
    assert expected_labels(patterns, np.array([50, 70]), 0) == pytest.approx(120, abs=1e-3)


class TestBudget:
    def labels(self, n):
        return draw_panel(PANEL, np.full(3, n), 1, np.random.default_rng(9)).labels

    def test_the_budget_is_kept_and_nearly_spent(self):
        n = longest_affordable(500, 2000, self.labels)
        assert 490 <= self.labels(n) <= 500

    def test_no_more_than_the_most_is_drawn(self):
        assert longest_affordable(10**6, 70, self.labels) == 70

    @given(st.integers(1, 200), st.integers(0, 50))
    def test_it_is_kept_where_labels_jump(self, budget, seed):
        steps = np.cumsum(np.random.default_rng(seed).integers(-2, 6, size=200)) + 3

        def labels(n):
            return int(steps[n - 1]) if n else 0

        try:
            assert labels(longest_affordable(budget, 200, labels)) <= budget
        except StratawatchError:
            assert labels(1) > budget or budget < 10

    def test_a_budget_for_nothing_is_refused(self):
        with pytest.raises(StratawatchError, match="does not buy one draw a classifier; got 0 labels"):
            longest_affordable(0, 100, self.labels)
