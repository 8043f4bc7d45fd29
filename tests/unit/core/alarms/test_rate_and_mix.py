import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.alarms.rate_and_mix import DomainWeights, decompose, with_gradient
from stratawatch.core.metrics import METRICS, metric_named

PRECISION, RECALL = (metric_named(name) for name in ("precision", "recall"))


class TestDecompose:
    def test_precision_by_hand(self):
        """Of 1000 items 100 are called in the north and 100 in the south; 90 of each are right, then 50 and 90.

        R falls from 180/200 to 140/200. The north's share of all items is .1, that of the calls .2: .1 x -.4 / .2.
        """
        weights = DomainWeights.of(PRECISION, 2)
        shares = np.array([0.1, 0.4, 0.1, 0.4])
        rate, mix = decompose(
            weights, (shares, shares), (np.array([0.9, 0.1, 0.9, 0.1]), np.array([0.5, 0.1, 0.9, 0.1]))
        )
        assert rate == pytest.approx([-0.2, 0, 0, 0])
        assert mix == pytest.approx([0, 0, 0, 0])

    def test_a_mix_by_hand(self):
        """The south (50% right) grows from 100 calls to 300 beside 100 in the north (90%): .7 becomes .6.

        R = .65, D = .3 on average: of the south (.5 - .65) x .2 / .3 = -.1.
        """
        weights = DomainWeights.of(PRECISION, 2)
        rates = np.array([0.9, 0.1, 0.5, 0.1])
        rate, mix = decompose(weights, (np.array([0.1, 0.4, 0.1, 0.4]), np.array([0.1, 0.3, 0.3, 0.3])), (rates, rates))
        assert rate == pytest.approx([0, 0, 0, 0])
        assert mix == pytest.approx([0, 0, -0.1, 0])

    def test_recall_by_hand(self):
        """60 of 80 positives are called, then 40 of 80: R falls from .75 to .5, half of it on either side.

        R = .625, D = .08: (1 - .625) x (-.02) / .08 on A, (0 - .625) x .02 / .08 on B.
        """
        weights = DomainWeights.of(RECALL, 1)
        shares = np.array([0.1, 0.9])
        rate, mix = decompose(
            weights, (shares, shares), (np.array([0.06, 0.02]) / shares, np.array([0.04, 0.04]) / shares)
        )
        assert rate == pytest.approx([-0.09375, -0.15625])
        assert mix == pytest.approx([0, 0])

    def test_a_new_domain_is_all_mix(self):
        weights = DomainWeights.of(PRECISION, 2)
        rate, mix = decompose(
            weights,
            (np.array([0.1, 0.9, 0.0, 0.0]), np.array([0.1, 0.8, 0.1, 0.0])),
            (np.array([0.9, 0.0, 0.0, 0.0]), np.array([0.9, 0.0, 0.1, 0.0])),
        )
        assert rate == pytest.approx([0, 0, 0, 0])
        assert mix.sum() == pytest.approx(-0.4)

    @given(name=st.sampled_from(sorted(METRICS)), seed=st.integers(0, 2**32), parts=st.integers(1, 5))
    def test_parts_of_every_metric_sum_to_its_change(self, name, seed, parts):
        rng = np.random.default_rng(seed)
        weights = DomainWeights.of(metric_named(name), parts)
        shares = [rng.dirichlet(np.ones(2 * parts)) * (rng.random(2 * parts) > 0.2) for _ in range(2)]
        rates = [rng.random(2 * parts) for _ in range(2)]
        if min(weights.sums(w, p)[1] for w, p in zip(shares, rates, strict=True)) <= 0:
            return
        rate, mix = decompose(weights, (shares[0], shares[1]), (rates[0], rates[1]))
        change = weights.ratio(shares[1], rates[1]) - weights.ratio(shares[0], rates[0])
        assert (rate + mix).sum() == pytest.approx(float(change), abs=1e-9)

    @given(seed=st.integers(0, 2**32))
    def test_nothing_changes_nothing(self, seed):
        rng = np.random.default_rng(seed)
        weights, shares, rates = DomainWeights.of(RECALL, 3), rng.dirichlet(np.ones(6)), rng.random(6)
        for part in decompose(weights, (shares, shares), (rates, rates)):
            assert part == pytest.approx(np.zeros(6), abs=1e-12)


class TestGradient:
    def test_it_is_that_of_finite_differences(self):
        weights, rng = DomainWeights.of(metric_named("f1"), 2), np.random.default_rng(3)
        shares = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4))
        before, after = rng.random(4), rng.random(4)

        def rate_part(one, two):
            return decompose(weights, shares, (one, two))[0]

        values, by_before, by_after = with_gradient(rate_part, before, after)
        assert values == pytest.approx(rate_part(before, after))
        for place, step in enumerate(1e-6 * np.eye(4)):
            moved = rate_part(before + step, after) - rate_part(before - step, after)
            assert by_before[:, place] == pytest.approx(moved / 2e-6, abs=1e-6)
            moved = rate_part(before, after + step) - rate_part(before, after - step)
            assert by_after[:, place] == pytest.approx(moved / 2e-6, abs=1e-6)
