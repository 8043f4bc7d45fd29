"""The value at which one window pages by itself, against intervals that are made at that value."""

import pytest

from stratawatch.core.alarms.ends import FixedEnd
from stratawatch.core.alarms.page_value import lies_outside, page_value, random_interval
from stratawatch.core.estimation.interval import normal_quantile

CONFIDENCE = 0.998


@pytest.mark.parametrize(("limit", "n_eff"), [(0.6, 300), (0.9, 60), (0.78, 1000)])
def test_it_is_that_of_a_score_test(limit, n_eff):
    """Wilson's upper end is the limit where the value is z standard errors of the limit below it."""
    by_hand = limit - normal_quantile(CONFIDENCE) * (limit * (1 - limit) / n_eff) ** 0.5
    found = page_value(FixedEnd(limit, is_floor=True), limit, n_eff, CONFIDENCE)
    assert found == pytest.approx(by_hand, abs=3e-4)


def test_a_ceiling_pages_above_it():
    end = FixedEnd(0.05, is_floor=False)
    found = page_value(end, 0.05, 400, CONFIDENCE)
    assert found > 0.05
    assert lies_outside(end, random_interval(found + 0.001, 400, CONFIDENCE), CONFIDENCE)
    assert not lies_outside(end, random_interval(found - 0.001, 400, CONFIDENCE), CONFIDENCE)


def test_a_floor_and_a_ceiling_mirror_each_other():
    floor = page_value(FixedEnd(0.9, is_floor=True), 0.9, 200, CONFIDENCE)
    ceiling = page_value(FixedEnd(0.1, is_floor=False), 0.1, 200, CONFIDENCE)
    assert floor == pytest.approx(1 - ceiling, abs=2e-4)


def test_more_labels_page_nearer_to_the_limit():
    end = FixedEnd(0.8, is_floor=True)
    found = [page_value(end, 0.8, labels, CONFIDENCE) for labels in (50, 200, 800)]
    assert found == sorted(found)


def test_few_labels_page_at_no_value():
    assert page_value(FixedEnd(0.8, is_floor=True), 0.8, 3, CONFIDENCE) is None
