"""Replicates with a prime number of units a stratum, balanced by orthogonal arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.papers.strat.orthogonal_arrays import prime_units
from benchmarks.papers.strat.replicates import make_replicates
from stratawatch.core.estimation.replication.half_samples import half_samples
from stratawatch.errors import StratawatchError
from tests.support.hypothesis_examples import examples
from tests.support.stratified_units import drawn, textbook


def variance(made, values):
    """v of the estimated total."""
    return float(((made.replicated @ values - made.weights @ values) ** 2).sum()) * made.scale


@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from([2, 3, 5, 7]), st.integers(1, 40), st.sampled_from([0.0, 0.3, 0.9]), st.integers(0, 2**32))
def test_equal_units_give_the_textbook_variance(units, strata, fay, seed):
    """Any values, any sizes, any Fay: as many labels in every stratum as there are units."""
    rng = np.random.default_rng(seed)
    known, _, _ = drawn(rng, [units] * strata)
    values = rng.normal(size=units * strata) * 10
    found = variance(make_replicates(known, prime_units(units, fay), rng), values)
    assert found == pytest.approx(textbook(known, values), rel=1e-12)


@settings(max_examples=examples(40), deadline=None)
@given(st.sampled_from([2, 3, 5]), st.integers(1, 20), st.integers(0, 2**32), st.booleans())
def test_balance_gives_the_mean_of_the_replicates(units, strata, seed, split):
    rng = np.random.default_rng(seed)
    known, yes, _ = drawn(rng, [2 * units] * strata)
    made = make_replicates(known, prime_units(units, split=split), rng)
    totals = made.replicated @ yes.astype(float)
    assert totals.mean() == pytest.approx(made.weights @ yes.astype(float), rel=1e-12, abs=1e-9)


@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([2, 3]), st.booleans(), st.sampled_from([0.0, 0.5]))
def test_no_weight_is_negative_and_every_stratum_keeps_its_size(seed, units, split, fay):
    rng = np.random.default_rng(seed)
    known, _, _ = drawn(rng, rng.integers(units, 12, 6).tolist())
    made = make_replicates(known, prime_units(units, fay, split=split), rng)
    assert bool((made.replicated >= 0).all())
    if not split:
        sizes = np.array([made.replicated[:, known.of == h].sum(axis=1) for h in range(6)])
        assert np.allclose(sizes, known.sizes[:, None], rtol=1e-12)


def test_balanced_only_is_exact_with_half_the_replicates_and_off_in_their_mean():
    """Eight strata, eight replicates: the first unit of the first stratum is in all of them."""
    rng = np.random.default_rng(6)
    known, _, _ = drawn(rng, [2] * 8)
    values = rng.normal(size=16)
    made = make_replicates(known, prime_units(2, full=False), rng)
    assert len(made.replicated) == 8
    assert variance(made, values) == pytest.approx(textbook(known, values), rel=1e-12)
    off = (made.replicated @ values).mean() - made.weights @ values
    half = known.weights[0] * (values[0] - values[1]) / 2 * 2 * (1 - 2 / known.sizes[0]) ** 0.5
    assert abs(off) == pytest.approx(abs(half), rel=1e-9)


def test_prime_groups_of_any_number_of_labels():
    rng = np.random.default_rng(13)
    known, _, _ = drawn(rng, [14, 9, 23])
    assert make_replicates(known, prime_units(7), rng).strata == 3


@pytest.mark.parametrize("strata", [1, 2, 3, 7, 8, 60])
def test_two_units_are_the_half_samples(strata):
    assert prime_units(2).array(strata).tolist() == half_samples(strata).tolist()


@pytest.mark.parametrize(
    ("units", "full", "words"),
    [(4, True, "4 units in a stratum cannot be balanced"), (3, False, "fully balanced or not balanced at all")],
)
def test_what_cannot_be_balanced_is_refused(units, full, words):
    with pytest.raises(StratawatchError, match=words):
        prime_units(units, full=full)
