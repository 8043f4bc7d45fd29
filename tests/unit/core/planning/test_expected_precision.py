from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.cells import Cells
from stratawatch.core.metrics import METRICS
from stratawatch.core.planning.expected_precision import ExpectedTotals, expected_half_widths, half_widths_of_plans
from stratawatch.core.planning.expected_rates import ExpectedRates, prior_rates
from tests.support.hypothesis_examples import examples

LARGE = Cells.of(("a",), ["1", "0"], np.array([1e6, 4e6]), np.array([0.5, 0.1]))
FLAT = ExpectedRates(np.array([0.5, 0.1]), np.array([0.25, 0.09]))
MADE = Cells.of(
    ("a", "b"),
    ["00", "00", "01", "11", "10", "--"],
    np.array([900.0, 300, 90, 160, 50, 20]),
    np.array([0.02, 0.2, 0.4, 0.9, 0.6, 0.5]),
    strata=np.array([0, 1, 2, 2, 3, 4]),
)


def totals(*n):
    return np.array(n, dtype=np.int64)


class TestHalfWidths:
    def test_precision_of_many_labels_is_the_textbooks(self):
        """1.96 sqrt(.5 x .5/2500) = .0196."""
        found = expected_half_widths(ExpectedTotals.of(LARGE, FLAT), totals(2500, 2500), 0.95)
        assert found["a", "precision"] == pytest.approx(0.0196, rel=0.01)

    def test_prevalence_of_many_labels_is_the_textbooks(self):
        """V = .2^2 x .25/2500 + .8^2 x .09/2500 = 2.704e-5; 1.96 sqrt(V) = .0102."""
        found = expected_half_widths(ExpectedTotals.of(LARGE, FLAT), totals(2500, 2500), 0.95)
        assert found["a", "prevalence"] == pytest.approx(1.96 * np.sqrt(2.704e-5), rel=0.01)

    def test_confidence_widens_with_its_quantile(self):
        """2.576/1.960 = 1.314."""
        usual, sure = (
            expected_half_widths(ExpectedTotals.of(LARGE, FLAT), totals(2500, 2500), c)["a", "precision"]
            for c in (0.95, 0.99)
        )
        assert sure / usual == pytest.approx(1.314, rel=0.01)

    def test_a_census_is_exact(self):
        whole = MADE.stratum_sizes.astype(np.int64)
        assert max(
            expected_half_widths(ExpectedTotals.of(MADE, prior_rates(MADE)), whole, 0.95).values()
        ) == pytest.approx(0, abs=1e-9)

    def test_every_metric_of_every_classifier_unless_told_otherwise(self):
        plan = totals(40, 40, 40, 20, 0)
        found = expected_half_widths(ExpectedTotals.of(MADE, prior_rates(MADE)), plan, 0.95)
        assert set(found) == {(classifier, name) for classifier in "ab" for name in METRICS}
        few = expected_half_widths(ExpectedTotals.of(MADE, prior_rates(MADE)), plan, 0.95, ["recall"])
        assert few == {key: width for key, width in found.items() if key[1] == "recall"}

    def test_a_metric_that_cannot_be_told_is_left_out(self):
        """b calls nothing positive; a stratum of a fifth of its negatives gets no label."""
        made = Cells.of(("a", "b"), ["00", "10", "--"], np.array([800.0, 200, 50]), np.array([0.1, 0.7, 0.5]))
        found = expected_half_widths(ExpectedTotals.of(made, prior_rates(made)), totals(50, 0, 0), 0.95)
        assert ("b", "precision") not in found
        assert ("a", "precision") not in found
        assert ("b", "false_omission_rate") not in found
        assert ("a", "false_omission_rate") in found

    def test_without_labels_nothing_is_told(self):
        assert expected_half_widths(ExpectedTotals.of(MADE, prior_rates(MADE)), totals(0, 0, 0, 0, 0), 0.95) == {}

    def test_a_helper_has_no_metrics(self):
        made = Cells.of(("a",), ["00", "11"], np.array([800.0, 200]), np.array([0.1, 0.7]))
        assert {
            name for name, _ in expected_half_widths(ExpectedTotals.of(made, prior_rates(made)), totals(50, 50), 0.95)
        } == {"a"}


class TestCurves:
    plans = np.array([[10.0, 10, 10, 10, 0], [40, 40, 40, 20, 0], [200, 100, 100, 40, 0]])

    def test_several_plans_are_forecast_as_if_alone(self):
        rates = prior_rates(MADE)
        curves = half_widths_of_plans(ExpectedTotals.of(MADE, rates), self.plans, 0.95)
        for place, plan in enumerate(self.plans):
            alone = expected_half_widths(ExpectedTotals.of(MADE, rates), plan.astype(np.int64), 0.95)
            for (classifier, metric), width in alone.items():
                assert curves[metric][place]["ab".index(classifier)] == pytest.approx(width)

    def test_more_labels_buy_narrower_intervals(self):
        curves = half_widths_of_plans(ExpectedTotals.of(MADE, prior_rates(MADE)), self.plans, 0.95)
        assert all(bool(np.all(np.diff(widths, axis=0) < 0)) for widths in curves.values())

    def test_what_cannot_be_told_is_infinitely_wide(self):
        nothing = half_widths_of_plans(
            ExpectedTotals.of(MADE, prior_rates(MADE)), np.zeros((1, 5)), 0.95, ["precision"]
        )
        assert np.isinf(nothing["precision"]).all()

    def test_less_variance_is_narrower(self):
        rates = prior_rates(MADE)
        calm = replace(rates, variance=rates.variance / 4)
        wide, narrow = (
            half_widths_of_plans(ExpectedTotals.of(MADE, each), self.plans, 0.95, ["accuracy"])["accuracy"]
            for each in (rates, calm)
        )
        assert bool(np.all(narrow < wide))

    @settings(deadline=None, max_examples=examples(50))
    @given(st.lists(st.integers(0, 50), min_size=4, max_size=4), st.floats(0.5, 0.999))
    def test_every_width_is_a_share_or_untold(self, n, confidence):
        plan = np.array([*n, 0], dtype=float)
        for widths in half_widths_of_plans(ExpectedTotals.of(MADE, prior_rates(MADE)), plan, confidence).values():
            assert bool(np.all((widths >= 0) & ((widths <= 0.5 + 1e-9) | np.isinf(widths))))
