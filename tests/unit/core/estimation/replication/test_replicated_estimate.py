import numpy as np
import pytest
import scipy.stats

from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.estimation.replication.replicated_estimate import (
    ReplicatedEstimate,
    replicated_estimate,
    t_quantile,
)
from stratawatch.core.estimation.replication.replicates import replicates_of_pairs
from stratawatch.core.estimation.replication.units import StratifiedUnits


def test_any_statistic_of_replicate_weights():
    """A weighted median, which has no slope: its spread over replicates is near that over fresh draws."""
    source, sizes = np.random.default_rng(6), [10_000.0] * 30
    medians, errors = [], []
    for _ in range(200):
        values = np.concatenate([source.normal(h / 10, 1, size=10) for h in range(30)])
        made = replicates_of_pairs(StratifiedUnits(np.repeat(np.arange(30), 10), np.array(sizes)), source)
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
