from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit

from stratawatch.core.estimation.interval import (
    LOGIT_EVENTS,
    SMALL_SAMPLE_EVENTS,
    logit_blend_by_events,
    logit_ends,
    metric_intervals,
)
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.metrics import metric_named
from tests.support.sides import sides


def variance_of(events: float, value: float = 0.1) -> float:
    """The variance at which a value has so many effective events."""
    return value**2 / events


class TestBlend:
    @pytest.mark.parametrize(
        ("events", "part"),
        [
            (1, 0),
            (SMALL_SAMPLE_EVENTS, 0),
            ((SMALL_SAMPLE_EVENTS + LOGIT_EVENTS) / 2, 0.5),
            (LOGIT_EVENTS, 1),
            (10 * LOGIT_EVENTS, 1),
        ],
    )
    def test_goes_from_the_small_count_interval_to_the_logit(self, events, part):
        assert float(logit_blend_by_events(np.array(0.1), np.array(variance_of(events)))) == pytest.approx(part)

    def test_counts_events_of_the_rarer_kind(self):
        parts = logit_blend_by_events(np.array([0.1, 0.9]), np.full(2, variance_of(20)))
        assert parts[0] == pytest.approx(parts[1])

    def test_a_value_without_variance_is_left_to_the_small_count_interval(self):
        assert float(logit_blend_by_events(np.array(0.0), np.array(0.0))) == 0

    @pytest.mark.parametrize("yes", [60, 100, 140])
    def test_ends_are_the_weighted_ends_of_both(self, yes, monkeypatch):
        made = sides(sizes=(10**6, 10**6), labels=(1000, 1000), yes=(yes, 10), weights=(1000, 1000))
        metric, reading = metric_named("precision"), SideIntervals(made, 0.95)
        monkeypatch.setattr("stratawatch.core.estimation.interval.SMALL_SAMPLE_EVENTS", 60.0)
        monkeypatch.setattr("stratawatch.core.estimation.interval.LOGIT_EVENTS", 140.0)
        found = metric_intervals(metric, reading)
        small, large = reading.small_sample_ends(metric), logit_ends(found.value, found.variance, 0.95)
        part = float(found.logit_weight)
        half = 0.5 / 10**6
        assert float(found.low) == pytest.approx(part * float(large.low) + (1 - part) * float(small.low) - half)
        assert float(found.high) == pytest.approx(part * float(large.high) + (1 - part) * float(small.high) + half)
        assert 0 <= part <= 1


class TestSides:
    """A: 1,000 of 2,000 labels of 10^6 items say yes. B: 3 of 1,000 labels of 10^8 items, each of which weighs much."""

    made = sides(sizes=(10**6, 10**8), labels=(2000, 1000), yes=(1000, 3), weights=(500, 10**5))

    @pytest.mark.parametrize("name", ["recall", "f1", "accuracy", "prevalence"])
    def test_many_known_hits_do_not_make_up_for_few_known_misses(self, name):
        assert float(metric_intervals(metric_named(name), SideIntervals(self.made, 0.95)).logit_weight) < 0.05

    def test_a_side_that_a_metric_does_not_read_does_not_matter(self):
        assert float(metric_intervals(metric_named("precision"), SideIntervals(self.made, 0.95)).logit_weight) == 1
        assert (
            float(metric_intervals(metric_named("false_omission_rate"), SideIntervals(self.made, 0.95)).logit_weight)
            == 0
        )

    def test_parts_are_weighed_by_what_makes_the_variance(self):
        """Both totals with the variance 10^4: recall .8 is moved (.2/1000)^2 by TP and (.8/1000)^2 by FN."""
        made = sides(sizes=(10**6, 10**6), labels=(100, 100), yes=(80, 20), variance=(1e4, 1e4))
        totals = replace(made, totals=np.array([800.0, 200.0]), yes=np.zeros(2), labels=np.ones(2))
        found = metric_intervals(metric_named("recall"), SideIntervals(totals, 0.95))
        few = float(logit_blend_by_events(np.array(200 / 1e6), np.array(1e4 / 1e12)))
        assert few == 0
        assert float(found.logit_weight) == pytest.approx(0.2**2 / (0.2**2 + 0.8**2))


class TestLogit:
    @pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
    def test_is_symmetrical_on_the_logit_scale(self, confidence):
        found = logit_ends(np.array([0.02, 0.5, 0.97]), np.array([1e-5, 1e-3, 1e-4]), confidence)
        centre = (logit(found.low) + logit(found.high)) / 2
        assert expit(centre).tolist() == pytest.approx([0.02, 0.5, 0.97])

    def test_of_a_plain_draw_is_the_textbooks(self):
        """p = .3, n = 500: logit(.3) +- 1.96 / sqrt(500 x .21)."""
        found = logit_ends(np.array(0.3), np.array(0.3 * 0.7 / 500), 0.95)
        step = 1.959964 / (500 * 0.21) ** 0.5
        assert [float(end) for end in found] == pytest.approx([expit(logit(0.3) - step), expit(logit(0.3) + step)])

    def test_extreme_values_do_not_overflow(self):
        found = logit_ends(np.array([0.0, 1.0, 0.5]), np.array([0.1, 0.1, 1e9]), 0.95)
        assert np.isfinite(found.low).all()
        assert np.isfinite(found.high).all()


class TestNextItem:
    """A: 134 of 135 items are labelled, 102 of them yes; the last is in a stratum of nine whose labels all say no."""

    made = sides(sizes=(135, 1865), labels=(134, 800), yes=(102, 40), weights=(1 / 3, 2), variance=(0.02, 100.0))
    by_labels = replace(made, totals=np.array([102.0, 90.0]))

    def test_the_last_item_may_be_either(self):
        found = metric_intervals(metric_named("precision"), SideIntervals(self.by_labels, 0.95))
        assert float(found.value) == float(found.low) == 102 / 135
        assert float(found.high) == 103 / 135

    @pytest.mark.parametrize("name", ["recall", "f1"])
    def test_of_the_other_side_too(self, name):
        sure = replace(self.by_labels, variance=np.zeros(3), smoothed_variance=np.zeros(3), max_weight=np.zeros(2))
        metric, reading = metric_named(name), SideIntervals(sure, 0.95)
        found = metric_intervals(metric, reading)
        for counts in ((102.0, 89.0), (102.0, 91.0), (103.0, 90.0)):
            value = float(metric.value(replace(sure, totals=np.array(counts)).table))
            assert float(found.low) <= value <= float(found.high)

    def test_an_interval_that_reaches_it_is_as_it_was(self):
        wide = replace(self.by_labels, labels=np.array([60.0, 800.0]), yes=np.array([50.0, 40.0]))
        wide = replace(wide, variance=np.array([40.0, 0, 100]), smoothed_variance=np.array([40.0, 0, 100]))
        metric, reading = metric_named("precision"), SideIntervals(wide, 0.95)
        found = metric_intervals(metric, reading)
        part, small = float(found.logit_weight), reading.small_sample_ends(metric)
        large = logit_ends(found.value, found.variance, 0.95)
        ends = part * float(large.low) + (1 - part) * float(small.low)
        assert float(found.low) == pytest.approx(ends - 0.5 / 135)


def test_many_at_once_are_the_single_ones():
    made = [sides(labels=(n, 3 * n), yes=(k, n // 3)) for n, k in ((50, 40), (10, 10), (900, 500))]
    stacked = SideIntervals(type(made[0]).stack(made), 0.95)
    for name in ("precision", "recall", "f1", "accuracy", "specificity"):
        together = metric_intervals(metric_named(name), stacked)
        for place, one in enumerate(made):
            alone = metric_intervals(metric_named(name), SideIntervals(one, 0.95))
            assert float(together.low[place]) == pytest.approx(float(alone.low), abs=1e-9)
            assert float(together.high[place]) == pytest.approx(float(alone.high), abs=1e-9)
            assert float(together.n_eff[place]) == pytest.approx(float(alone.n_eff), rel=1e-6)
