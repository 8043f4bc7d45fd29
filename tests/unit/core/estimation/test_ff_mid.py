import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from stratawatch.core.estimation.ff_mid import ff_mid

# Computed once by an independent implementation (50 halvings of the mixture's distribution function).
ORACLE = [
    ([1000], [30], [12], 0.95, 0.230121771, 0.589591767),
    ([1000], [30], [12], 0.999, 0.140676207, 0.708204198),
    ([1000, 3000], [20, 40], [0, 0], 0.95, 0.0, 0.068561973),
    ([1000, 3000], [20, 40], [0, 0], 0.999, 0.0, 0.138176402),
    ([1000, 3000], [20, 40], [20, 40], 0.95, 0.931438027, 1.0),
    ([1000, 3000], [20, 40], [20, 40], 0.999, 0.861823598, 1.0),
    ([20000] * 3, [50] * 3, [25, 40, 50], 0.95, 0.702218399, 0.822306943),
    ([20000] * 3, [50] * 3, [25, 40, 50], 0.999, 0.655838731, 0.855933268),
    ([500, 4000, 90000], [60] * 3, [55, 9, 1], 0.95, 0.004843251, 0.095459705),
    ([500, 4000, 90000], [60] * 3, [55, 9, 1], 0.999, 0.001002427, 0.151073381),
    ([40, 60, 1000], [40, 30, 30], [7, 3, 0], 0.95, 0.004774005, 0.098610025),
    ([40, 60, 1000], [40, 30, 30], [7, 3, 0], 0.999, 0.00059103, 0.188451195),
    ([20000] * 6, [166] * 6, [1, 1, 2, 3, 6, 20], 0.95, 0.023549179, 0.045329919),
    ([20000] * 6, [166] * 6, [1, 1, 2, 3, 6, 20], 0.999, 0.018150882, 0.054837248),
    ([100, 100], [100, 50], [10, 20], 0.95, 0.203741178, 0.303086584),
    ([100, 100], [100, 50], [10, 20], 0.999, 0.174442229, 0.340389298),
]


def interval(sizes, labels, yes, confidence=0.95):
    """The interval of a stratified share by the textbook variance p (1 - p) f / n."""
    sizes, labels, yes = (np.array(values, dtype=float) for values in (sizes, labels, yes))
    weights, p, f = sizes / sizes.sum(), yes / labels, (sizes - labels) / np.maximum(sizes - 1, 1)
    share = np.array([weights @ p])
    variance = np.array([weights**2 @ (p * (1 - p) * f / labels)])
    weight = np.array([(weights * np.sqrt(f) / labels).max()])
    low, high = ff_mid(share, variance, weight, confidence)
    return float(low[0]), float(high[0])


@pytest.mark.parametrize(("sizes", "labels", "yes", "confidence", "low", "high"), ORACLE)
def test_agrees_with_an_independent_implementation(sizes, labels, yes, confidence, low, high):
    assert interval(sizes, labels, yes, confidence) == pytest.approx((low, high), abs=2e-9)


def test_many_intervals_at_once_are_the_single_ones():
    shares, variances, weights = np.array([0.0, 0.3, 0.5, 1.0]), np.array([0.0, 0.01, 1e-4, 0.0]), np.full(4, 0.02)
    low, high = ff_mid(shares, variances, weights, 0.95)
    for i in range(4):
        one = ff_mid(shares[i : i + 1], variances[i : i + 1], weights[i : i + 1], 0.95)
        assert (low[i], high[i]) == pytest.approx((one[0][0], one[1][0]), abs=1e-10)


@pytest.mark.parametrize(("yes", "n"), [(0, 30), (2, 30), (30, 30), (5, 200)])
def test_is_close_to_clopper_pearson_for_few_events_of_a_plain_draw(yes, n):
    low, high = interval([10**9], [n], [yes])
    exact_low = beta.ppf(0.025, yes, n - yes + 1) if yes else 0.0
    exact_high = beta.ppf(0.975, yes + 1, n - yes) if yes < n else 1.0
    assert low == pytest.approx(exact_low, abs=0.02)
    assert high == pytest.approx(exact_high, abs=0.02)


def test_no_positive_found_gives_an_upper_bound_and_not_plus_minus_zero():
    low, high = interval([10**6], [100], [0])
    assert low == 0.0
    assert high == pytest.approx(3.69 / 100, rel=0.02)


def test_a_census_is_exact():
    assert interval([50, 20], [50, 20], [10, 5]) == pytest.approx((15 / 70, 15 / 70), abs=1e-15)


def test_a_nearly_complete_census_returns_and_is_narrow():
    low, high = ff_mid(np.array([0.4]), np.array([1e-30]), np.array([0.0]), 0.95)
    assert 0.3998 < low[0] <= 0.4 <= high[0] < 0.4002


def test_one_label_of_one_heavy_cell_tells_nothing():
    low, high = interval([10**6], [1], [0])
    assert low == 0.0
    assert high > 0.95


parameters = st.tuples(st.floats(0, 1), st.floats(0, 0.25), st.floats(0, 1))


@given(parameters, st.floats(0.8, 0.999999))
def test_the_interval_holds_its_share_and_stays_inside_zero_and_one(law, confidence):
    share, variance, weight = (np.array([value]) for value in law)
    low, high = ff_mid(share, variance, weight, confidence)
    assert 0 <= low[0] <= share[0] <= high[0] <= 1


@given(st.floats(0, 1), st.floats(1e-8, 0.2), st.floats(1e-6, 0.5))
def test_more_confidence_is_never_a_narrower_interval(share, variance, weight):
    law = (np.array([share]), np.array([variance]), np.array([weight]))
    narrow, wide = ff_mid(*law, 0.95), ff_mid(*law, 0.999)
    assert wide[0][0] <= narrow[0][0] + 1e-9
    assert wide[1][0] >= narrow[1][0] - 1e-9


@given(st.integers(0, 10**6), st.floats(0, 0.2), st.floats(1e-6, 0.5))
def test_yes_and_no_are_treated_alike(millionths, variance, weight):
    share = millionths / 10**6  # no finer: 1 - 1e-38 is 1, and the mirror image of another share
    one, v, w = np.array([1.0]), np.array([variance]), np.array([weight])
    low, high = ff_mid(one * share, v, w, 0.95)
    mirrored_low, mirrored_high = ff_mid(one - share, v, w, 0.95)
    assert float(mirrored_low[0]) == pytest.approx(1 - float(high[0]), abs=1e-6)
    assert float(mirrored_high[0]) == pytest.approx(1 - float(low[0]), abs=1e-6)
