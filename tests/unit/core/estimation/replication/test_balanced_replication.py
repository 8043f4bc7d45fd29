import numpy as np
import pytest
import scipy.stats

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.replication.balanced_replication import (
    ReplicatedEstimate,
    Statistic,
    brr,
    brr_of_metric,
    replicated_estimate,
    t_quantile,
)
from stratawatch.core.estimation.replication.replicates import ReplicationOptions, replicates
from stratawatch.core.estimation.replication.units import ClassifierCalls, StratifiedUnits
from stratawatch.core.metrics import METRICS
from tests.support.stratified_units import drawn, textbook

EVERYWHERE = Statistic(lambda totals: totals[..., 0], lambda totals: np.ones(totals.shape[:-1]))
RATIO = Statistic(lambda totals: totals[..., 0] / totals[..., 1], lambda totals: totals[..., 1])


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("units", [2, 3, 5, 7])
def test_a_total_has_the_textbook_variance(units):
    known, _, _ = drawn(rng(1), [units] * 20)
    values = rng(2).normal(size=(units * 20, 1))
    found = brr(replicates(known, ReplicationOptions(units), rng()), values, EVERYWHERE)
    assert found.variance == pytest.approx(textbook(known, values[:, 0]), rel=1e-12)
    assert found.degrees == 20


def test_any_statistic_of_replicate_weights():
    """A weighted median, which has no slope: its spread over replicates is near that over fresh draws."""
    source, sizes = rng(6), [10_000.0] * 30
    medians, errors = [], []
    for _ in range(200):
        values = np.concatenate([source.normal(h / 10, 1, size=10) for h in range(30)])
        made = replicates(StratifiedUnits(np.repeat(np.arange(30), 10), np.array(sizes)), ReplicationOptions(), source)
        order = np.argsort(values)
        below = np.cumsum(np.vstack([made.weights, made.replicated])[:, order], axis=1)
        found = values[order][(below < below[:, -1:] / 2).sum(axis=1)]
        medians.append(found[0])
        errors.append(replicated_estimate(made, found[0], found[1:]).variance)
    assert np.mean(errors) == pytest.approx(np.var(medians), rel=0.3)


class TestSpread:
    def test_students_t(self):
        low, high = ReplicatedEstimate(0.5, 0.01, 12).ends(0.9)
        assert (high - low) / 2 == pytest.approx(scipy.stats.t.ppf(0.95, 12) * 0.1)

    def test_many_degrees_are_the_normal(self):
        assert t_quantile(np.inf, 0.95) == pytest.approx(1.959964, abs=1e-6)

    def test_a_share_stays_between_0_and_1(self):
        assert ReplicatedEstimate(0.97, 0.01, 5).share(0.95).high == 1.0
        assert ReplicatedEstimate(0.97, 0.01, 5).ends(0.95)[1] > 1

    def test_n_eff_is_the_plain_draw_with_that_variance(self):
        assert ReplicatedEstimate(0.8, 0.0016, 20, 5000).share(0.95).n_eff == pytest.approx(100)

    def test_an_exact_value_counts_all_its_items(self):
        assert ReplicatedEstimate(0.8, 0.0, np.inf, 50.0).share(0.95) == IntervalEstimate(0.8, 0.8, 0.8, 50.0)


class TestNoInformation:
    def calls(self, positive):
        return ClassifierCalls(positive, ~positive, 40.0 * positive.any(), 60.0)

    def strata(self, n=4):
        return StratifiedUnits(np.repeat([0, 1], n // 2), np.array([50.0, 50.0]))

    def test_no_label_on_the_side_that_counts(self):
        calls = ClassifierCalls(np.zeros(4, dtype=bool), np.ones(4, dtype=bool), 40.0, 60.0)
        found = brr_of_metric(self.strata(), np.ones(4, dtype=bool), calls, "precision", rng())
        assert found == Undefined("no label among the 40 items it calls positive")

    def test_no_item_on_that_side(self):
        calls = ClassifierCalls(np.zeros(4, dtype=bool), np.ones(4, dtype=bool), 0.0, 100.0)
        found = brr_of_metric(self.strata(), np.ones(4, dtype=bool), calls, "precision", rng())
        assert found == Undefined("it calls no item positive")

    def test_recall_without_a_positive(self):
        positive = np.array([True, False, True, False])
        found = brr_of_metric(self.strata(), np.zeros(4, dtype=bool), self.calls(positive), "recall", rng())
        assert found == Undefined("the labels hold nothing to make it of")

    def test_a_replicate_that_leaves_no_positive(self):
        """One found and one missed, in different strata: a quarter of the half-samples has neither."""
        positive = np.array([True, False, True, False])
        yes = np.array([True, False, False, True])
        strata = StratifiedUnits(np.array([0, 0, 1, 1]), np.array([1e9, 1e9]))
        found = brr_of_metric(strata, yes, self.calls(positive), "recall", rng())
        assert isinstance(found, Undefined)
        assert found.reason.startswith("in 1 of 4 replicates no label is left to make it of")

    def test_fays_variant_keeps_the_positives(self):
        """Weights 3/2 and 1/2: recalls of 1/2, 1/2, 1/4 and 3/4, so v = (0 + 0 + 1/16 + 1/16) / 4 / (1/4)."""
        positive = np.array([True, False, True, False])
        yes = np.array([True, False, False, True])
        strata = StratifiedUnits(np.array([0, 0, 1, 1]), np.array([1e12, 1e12]))
        found = brr_of_metric(strata, yes, self.calls(positive), "recall", rng(), ReplicationOptions(fay=0.5))
        assert (found.value, found.variance) == (0.5, pytest.approx(0.125))

    def test_labels_that_all_agree(self):
        """All positive: the variance is 0, and that is no knowledge."""
        positive = np.array([True, True, True, True])
        found = brr_of_metric(self.strata(), np.ones(4, dtype=bool), self.calls(positive), "precision", rng())
        assert found == Undefined("all replicates agree: labels without any variation say nothing about their error")

    def test_everything_labelled_is_exact(self):
        strata = StratifiedUnits(np.array([0, 0, 1, 1]), np.array([2.0, 2.0]))
        positive = np.array([True, True, False, False])
        calls = ClassifierCalls(positive, ~positive, 2.0, 2.0)
        found = brr_of_metric(strata, np.array([True, False, True, False]), calls, "recall", rng())
        assert found.share(0.95) == IntervalEstimate(0.5, 0.5, 0.5, 2.0)

    def test_a_single_label(self):
        strata = StratifiedUnits(np.array([0]), np.array([9.0]))
        calls = ClassifierCalls(np.array([True]), np.array([False]), 9.0, 0.0)
        assert isinstance(brr_of_metric(strata, np.array([True]), calls, "precision", rng()), Undefined)


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_can_be_replicated(metric):
    known, yes, calls = drawn(rng(7), [6] * 10)
    found = brr_of_metric(known, yes, calls, metric, rng()).share(0.95)
    assert 0 <= found.low < found.value < found.high <= 1
    assert found.n_eff > 0


def test_a_statistic_of_ones_own():
    """The share of yes among labels by weights: its own total over another."""
    known, yes, _ = drawn(rng(8), [2] * 15)
    values = np.stack([yes, np.ones_like(yes)], axis=1).astype(float)
    found = brr(replicates(known, ReplicationOptions(), rng()), values, RATIO)
    assert found.variance == pytest.approx(textbook(known, yes.astype(float)) / known.sizes.sum() ** 2, rel=1e-12)
