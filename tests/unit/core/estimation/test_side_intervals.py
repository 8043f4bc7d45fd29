"""Small counts: up to 95% of confidence larger tails where no event was seen, from 99% on none."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from stratawatch.core.estimation.side_intervals import (
    FULL_UP_TO,
    NONE_FROM,
    TAIL_GROWTH,
    SideIntervals,
    share_interval,
    tail_growth,
)
from stratawatch.core.metrics import METRICS
from tests.support.sides import sides

FEW = sides(labels=(100, 200), yes=(80, 2), weights=(20.0, 150.0))
CONFIDENCES = [0.1, 0.5, 0.8, 0.9, 0.949, FULL_UP_TO, 0.951, 0.96, 0.97, 0.98, 0.989, NONE_FROM, 0.991, 0.999, 0.99999]


def ends(made, name, confidence):
    low, high = SideIntervals(made, confidence).small_sample_ends(METRICS[name])
    return float(low), float(high)


class TestGrowth:
    def test_by_hand(self):
        """w makes 25/35 of V + w^2."""
        assert tail_growth(np.array(10.0), np.array(5.0), 0.95) == pytest.approx(1 + TAIL_GROWTH * (25 / 35) ** 2)

    def test_many_events_leave_little_of_it(self):
        assert tail_growth(np.array(1000.0), np.array(1.0), 0.95) == pytest.approx(1, abs=1e-5)

    def test_what_is_certain_has_none(self):
        assert tail_growth(np.array(0.0), np.array(0.0), 0.95) == 1

    @pytest.mark.parametrize("confidence", [NONE_FROM, 0.999, 0.99999])
    def test_pages_have_none(self, confidence):
        assert tail_growth(np.array(0.0), np.array(1.0), confidence) == 1

    def test_fades_between_both_confidences(self):
        middle = tail_growth(np.array(0.0), np.array(1.0), (FULL_UP_TO + NONE_FROM) / 2)
        assert middle == pytest.approx(1 + TAIL_GROWTH / 2)


@pytest.mark.parametrize("name", METRICS)
def test_more_confidence_is_never_a_narrower_interval(name):
    lows, highs = zip(*(ends(FEW, name, confidence) for confidence in CONFIDENCES), strict=True)
    assert (np.diff(lows) <= 0).all()
    assert (np.diff(highs) >= 0).all()


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("confidence", [FULL_UP_TO, NONE_FROM])
def test_ends_do_not_jump_where_the_rule_changes(name, confidence):
    below, above = (ends(FEW, name, confidence + by) for by in (-1e-7, 1e-7))
    assert below == pytest.approx(above, abs=1e-4)


def test_the_smaller_side_by_itself_has_none_of_it():
    share, weight = np.array(0.8), np.array(0.02)
    low, high = share_interval(share, np.array(FEW.variance[0] / 1000**2), weight, 0.95)
    assert ends(FEW, "precision", 0.95) == pytest.approx((float(low), float(high)))


@pytest.mark.parametrize("metric", ["recall", "false_omission_rate", "f1"])
def test_a_lighter_label_never_widens(metric):
    """More labels where one weighs most lower w, and with it the tails: what is gained stays more than what is lost."""
    widths = []
    for weight in np.linspace(400, 10, 60):
        low, high = ends(replace(FEW, max_weight=np.array([20.0, weight])), metric, 0.95)
        widths.append(high - low)
    assert (np.diff(widths) < 1e-12).all()


@pytest.mark.parametrize(("growth", "least", "mean"), [(False, 0.933, 0.964), (True, 0.931, 0.961)])
def test_what_a_plain_draw_pays_for_it(growth, least, mean):
    """Exact: 1,000 labels of 100,000 items that hold up to twelve positives for each hundred thousand labels."""
    labels = np.arange(0.0, 80)
    share, weight = labels / 1000, np.full(80, 1 / 1000)
    variance = share * (1 - share) / 1000
    times = tail_growth(variance, weight, 0.95) if growth else 1.0
    low, high = share_interval(share, variance, weight, 0.95, times)
    rates = np.linspace(0.0001, 0.012, 600)[:, None]
    held = (binom.pmf(labels, 1000, rates) * ((low <= rates) & (rates <= high))).sum(axis=1)
    assert held.min() > least
    assert held.mean() > mean
