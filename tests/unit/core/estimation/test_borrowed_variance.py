"""Intervals whose variance is history's, on strata whose truth is known."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.borrowed_variance import BorrowedVariance
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.metric_estimates import EstimationRequest, estimate_metrics
from stratawatch.core.history.variance_priors import VariancePrior
from stratawatch.core.labelled_sample import FOLDS, LabelCounts, LabelledSample
from stratawatch.core.metrics import metric_named

SIZES = np.array([20_000.0, 4_000, 1_000, 1_000])
RATES = np.array([0.005, 0.06, 0.7, 0.95])
CELLS = replace(Cells.of(("c",), ["0", "0", "1", "1"], SIZES, np.array([0.01, 0.1, 0.7, 0.95])), prior_rate=RATES)
TOTALS = np.array([150, 150, 150, 100])
PRECISION, RECALL = metric_named("precision"), metric_named("recall")


def priors(ratio=1.0, variance=0.0, classifiers=("c",)):
    return tuple(
        VariancePrior(name, metric, ratio, variance) for metric in ("precision", "recall") for name in classifiers
    )


def counts(yes, totals=TOTALS):
    share = np.full((FOLDS, 1), 1 / FOLDS)
    return LabelCounts(share * totals, share * np.asarray(yes, dtype=float))


def borrowed(yes=None, known=None, cells=CELLS):
    yes = TOTALS * RATES if yes is None else yes
    return BorrowedVariance.of(DifferenceEstimator.of(cells, counts(yes)), priors() if known is None else known)


def estimates(yes, known, metrics=("precision", "recall", "false_omission_rate")):
    sample = LabelledSample(TOTALS, counts(yes).labelled, counts(yes).positive)
    return estimate_metrics(CELLS, (), sample, EstimationRequest(0.95, metrics, (None,), priors=known))


def textbook(metric):
    """sum_h N_h^2 (1/n_h - 1/N_h) g_h^2 p_h (1 - p_h)."""
    on_a, on_b = metric.slopes(borrowed().sides.table)
    slope = np.where(CELLS.positive[:, 0], on_a[0], on_b[0])
    return float((SIZES**2 * (1 / TOTALS - 1 / SIZES) * slope**2 * RATES * (1 - RATES)).sum())


@pytest.mark.parametrize("metric", [PRECISION, RECALL])
def test_labels_as_expected_and_a_sure_history_have_the_models_variance(metric):
    """Counts by cell, so that shares scatter as Bernoulli trials do: the formula of the textbooks."""
    found = borrowed()
    assert found.intervals(metric, 0.95).variance == pytest.approx(textbook(metric), rel=0.02)


@pytest.mark.parametrize("ratio", [0.9, 1.5])
def test_a_sure_state_of_the_weeks_multiplies_it(ratio):
    found = borrowed(known=priors(ratio)).intervals(PRECISION, 0.95).variance
    assert found == pytest.approx(ratio * textbook(PRECISION), rel=0.02)


def test_a_state_that_is_lower_than_labels_allow_ends_where_they_do():
    """These scatter as the model says: with their own error they allow .85 of it, however sure a lower state is."""
    lowest = [borrowed(known=priors(ratio)).ratio(PRECISION)[0] for ratio in (0.5, 0.8)]
    assert lowest[0] == lowest[1]
    assert 0.8 < lowest[0] < 0.9


def test_an_unsure_state_follows_these_labels_by_as_much_as_they_are_surer():
    """From r, known to a variance v, towards what they scatter by: by v/(v + r^2 e^2), e^2 their error at a ratio of 1."""
    r = 1.3
    settled = TOTALS * np.array([0.005, 0.06, 0.75, 0.95])
    seen, sure = (borrowed(settled, priors(r, variance)).ratio(PRECISION)[0] for variance in (1e9, 0.0))
    assert (seen < 1, sure) == (True, pytest.approx(r))
    errors = []
    for variance in (0.05, 0.5):
        found = borrowed(settled, priors(r, variance)).ratio(PRECISION)[0]
        gain = (r - found) / (r - seen)
        errors.append(variance * (1 / gain - 1) / r**2)
    assert errors[0] == pytest.approx(errors[1])
    assert 0.05 < errors[0] ** 0.5 < 0.15


def test_labels_may_always_raise_it():
    """Three misses among the quiet weigh 133 items each: more than history knows of."""
    yes = TOTALS * RATES + np.array([3.0, 0, 0, 0])
    told = borrowed(yes, priors(1.0))
    alone = told.sides.raw_variance_of(*RECALL.slopes(told.sides.table))
    assert told.ratio(RECALL)[0] > 1.2
    assert 0.4 * alone < told.intervals(RECALL, 0.95).variance < alone


class TestBreak:
    broken = TOTALS * np.array([0.005, 0.06, 0.45, 0.8])

    def test_is_seen_where_a_side_contradicts_history(self):
        assert borrowed(self.broken).is_contradicted
        assert not borrowed().is_contradicted

    def test_leaves_no_interval_shorter_than_these_labels_alone(self):
        found = {one.metric: one.result for one in estimates(self.broken, priors(0.7))}
        alone = {one.metric: one.result for one in estimates(self.broken, ())}
        for metric in ("precision", "recall"):
            assert found[metric].half_width >= 0.999 * alone[metric].half_width

    @pytest.mark.parametrize(
        ("metric", "rates"),
        [(PRECISION, RATES * np.array([1, 1, 0.85, 0.85])), (RECALL, RATES + np.array([0.03, 0.03, 0, 0]))],
    )
    def test_of_a_known_kind_has_the_variance_that_it_brings(self, metric, rates):
        """Calls that turn false and misses that lie blindly: as these labels scatter, not as history did."""
        found, quiet = borrowed(TOTALS * rates), borrowed()
        truly = found.sides.raw_variance_of(*metric.slopes(found.sides.table))
        reported = found.intervals(metric, 0.95).variance
        assert 0.85 * truly < reported < 1.3 * truly
        assert reported > 1.4 * quiet.intervals(metric, 0.95).variance

    def test_takes_the_usual_turning_points(self):
        assert borrowed(self.broken).events == (15, 40)
        assert borrowed().events == (8, 20)


class TestEstimates:
    def test_say_that_they_borrow(self):
        found = {one.metric: one.method for one in estimates(TOTALS * RATES, priors())}
        assert found["precision"].endswith(", variance with history")
        assert "history" not in found["false_omission_rate"]

    def test_keep_values_and_what_does_not_borrow(self):
        found, alone = estimates(TOTALS * RATES, priors()), estimates(TOTALS * RATES, ())
        assert [one.result.value for one in found] == [one.result.value for one in alone]
        assert found[2] == alone[2]

    def test_without_rates_of_history_nothing_is_borrowed(self):
        cold = replace(CELLS, prior_rate=None)
        sample = LabelledSample(TOTALS, counts(TOTALS * RATES).labelled, counts(TOTALS * RATES).positive)
        request = EstimationRequest(0.95, ("precision",), (None,), priors=priors())
        assert "history" not in estimate_metrics(cold, (), sample, request)[0].method

    def test_what_is_labelled_wholly_is_exact(self):
        whole = SIZES.astype(int)
        found = BorrowedVariance.of(DifferenceEstimator.of(CELLS, counts(whole * RATES, whole)), priors())
        assert found.intervals(RECALL, 0.95).half_width == pytest.approx(0, abs=1e-6)
