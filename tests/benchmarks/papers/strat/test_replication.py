"""Balanced replication against the delta method, which replicates that move next to nothing are."""

import numpy as np
import pytest

from benchmarks.papers.strat.linearised import linearised
from stratawatch.core.estimation.replication.balanced_replication import (
    brr_of_metric,
)
from stratawatch.core.estimation.replication.replicates import ReplicationOptions
from tests.support.stratified_units import drawn


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("metric", ["precision", "false_omission_rate", "accuracy", "prevalence"])
@pytest.mark.parametrize("units", [2, 3])
def test_metrics_that_are_shares_have_the_textbook_variance(metric, units):
    """They are linear in the labels, so the delta method is exact as well."""
    known, yes, calls = drawn(rng(3), [units] * 25)
    found, delta = (
        brr_of_metric(known, yes, calls, metric, rng(), ReplicationOptions(units)),
        linearised(known, yes, calls, metric),
    )
    assert found.value == pytest.approx(delta.value, rel=1e-12)
    assert found.variance == pytest.approx(delta.variance, rel=1e-12)


@pytest.mark.parametrize("metric", ["recall", "f1", "specificity"])
@pytest.mark.parametrize(("fay", "split"), [(0.0, False), (0.5, False), (0.0, True)])
def test_ratios_are_near_the_delta_method_with_many_labels(metric, fay, split):
    known, yes, calls = drawn(rng(4), [40] * 40)
    found = brr_of_metric(known, yes, calls, metric, rng(), ReplicationOptions(fay=fay, split=split))
    assert found.value == linearised(known, yes, calls, metric).value
    assert found.variance == pytest.approx(linearised(known, yes, calls, metric).variance, rel=0.6)


def test_fays_variant_tends_to_the_delta_method():
    """Replicates that move next to nothing are a derivative: for one deal the ratio's variance is then linear's."""
    known, yes, calls = drawn(rng(5), [2] * 40)
    near = brr_of_metric(known, yes, calls, "recall", rng(), ReplicationOptions(fay=0.9999))
    far = brr_of_metric(known, yes, calls, "recall", rng(), ReplicationOptions())
    expected = linearised(known, yes, calls, "recall").variance
    assert near.variance == pytest.approx(expected, rel=1e-3)
    assert abs(far.variance - expected) > abs(near.variance - expected)
