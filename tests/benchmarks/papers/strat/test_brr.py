import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.papers.strat.brr import ClassifierCalls, Statistic, brr, brr_of_metric, expand_counts
from benchmarks.papers.strat.linearised import linearised
from benchmarks.papers.strat.orthogonal_arrays import prime_units
from benchmarks.papers.strat.replicates import ReplicationOptions, make_replicates
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.replication.units import StratifiedUnits
from stratawatch.core.metrics import METRICS
from tests.support.stratified_units import drawn, textbook

EVERYWHERE = Statistic(lambda totals: totals[..., 0], lambda totals: np.ones(totals.shape[:-1]))
RATIO = Statistic(lambda totals: totals[..., 0] / totals[..., 1], lambda totals: totals[..., 1])


def drawn_calls(*args, **options):
    """Strata, labels and calls."""
    strata, yes, positive = drawn(*args, **options)
    return strata, yes, ClassifierCalls.of(strata, positive)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("units", [2, 3, 5, 7])
def test_a_total_has_the_textbook_variance(units):
    known, _, _ = drawn(rng(1), [units] * 20)
    values = rng(2).normal(size=(units * 20, 1))
    found = brr(make_replicates(known, prime_units(units), rng()), values, EVERYWHERE)
    assert found.variance == pytest.approx(textbook(known, values[:, 0]), rel=1e-12)
    assert found.degrees == 20


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
    known, yes, calls = drawn_calls(rng(7), [6] * 10)
    found = brr_of_metric(known, yes, calls, metric, rng()).share(0.95)
    assert 0 <= found.low < found.value < found.high <= 1
    assert found.n_eff > 0


def test_a_statistic_of_ones_own():
    """The share of yes among labels by weights: its own total over another."""
    known, yes, _ = drawn(rng(8), [2] * 15)
    values = np.stack([yes, np.ones_like(yes)], axis=1).astype(float)
    found = brr(make_replicates(known, ReplicationOptions(), rng()), values, RATIO)
    assert found.variance == pytest.approx(textbook(known, yes.astype(float)) / known.sizes.sum() ** 2, rel=1e-12)


@pytest.mark.parametrize("metric", ["precision", "false_omission_rate", "accuracy", "prevalence"])
@pytest.mark.parametrize("units", [2, 3])
def test_metrics_that_are_shares_have_the_textbook_variance(metric, units):
    """They are linear in the labels, so the delta method is exact as well."""
    known, yes, calls = drawn_calls(rng(3), [units] * 25)
    found, delta = (
        brr_of_metric(known, yes, calls, metric, rng(), prime_units(units)),
        linearised(known, yes, calls, metric),
    )
    assert found.value == pytest.approx(delta.value, rel=1e-12)
    assert found.variance == pytest.approx(delta.variance, rel=1e-12)


@pytest.mark.parametrize("metric", ["recall", "f1", "specificity"])
@pytest.mark.parametrize(("fay", "split"), [(0.0, False), (0.5, False), (0.0, True)])
def test_ratios_are_near_the_delta_method_with_many_labels(metric, fay, split):
    known, yes, calls = drawn_calls(rng(4), [40] * 40)
    found = brr_of_metric(known, yes, calls, metric, rng(), ReplicationOptions(fay=fay, split=split))
    assert found.value == linearised(known, yes, calls, metric).value
    assert found.variance == pytest.approx(linearised(known, yes, calls, metric).variance, rel=0.6)


def test_fays_variant_tends_to_the_delta_method():
    """Replicates that move next to nothing are a derivative: for one deal the ratio's variance is then linear's."""
    known, yes, calls = drawn_calls(rng(5), [2] * 40)
    near = brr_of_metric(known, yes, calls, "recall", rng(), ReplicationOptions(fay=0.9999))
    far = brr_of_metric(known, yes, calls, "recall", rng(), ReplicationOptions())
    expected = linearised(known, yes, calls, "recall").variance
    assert near.variance == pytest.approx(expected, rel=1e-3)
    assert abs(far.variance - expected) > abs(near.variance - expected)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20))
def test_counts_become_labels_and_counts_again(cells):
    no, yes = (np.array(column, dtype=np.int64) for column in (zip(*cells, strict=True) if cells else ([], [])))
    rows, said = expand_counts(no + yes, yes)
    assert np.bincount(rows, minlength=len(cells)).tolist() == (no + yes).tolist()
    assert np.bincount(rows, weights=said, minlength=len(cells)).tolist() == yes.tolist()
