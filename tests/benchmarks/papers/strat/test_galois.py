import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.papers.strat.galois import is_prime, multiply, powers, prime_factors, primitive_tail
from stratawatch.errors import StratawatchError

FIELDS = [(2, 1), (2, 4), (3, 1), (3, 2), (3, 4), (5, 1), (5, 3), (7, 2), (11, 1)]


def added(one, other, n):
    return tuple((a + b) % n for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(("n", "b"), FIELDS)
class TestPowers:
    def test_every_element_but_zero_once(self, n, b):
        found = {tuple(row) for row in powers(n, b).tolist()}
        assert len(found) == n**b - 1
        assert (0,) * b not in found

    def test_each_is_the_one_before_times_x(self, n, b):
        rows = [tuple(row) for row in powers(n, b).tolist()]
        x = rows[1 % len(rows)]
        assert all(multiply(a, x, primitive_tail(n, b), n) == c for a, c in itertools.pairwise(rows))

    def test_after_the_last_comes_one(self, n, b):
        rows = [tuple(row) for row in powers(n, b).tolist()]
        assert multiply(rows[-1], rows[1 % len(rows)], primitive_tail(n, b), n) == rows[0]

    def test_exponents_add_where_elements_multiply(self, n, b):
        rows = [tuple(row) for row in powers(n, b).tolist()]
        for i in range(0, len(rows), 5):
            for j in range(0, len(rows), 7):
                assert multiply(rows[i], rows[j], primitive_tail(n, b), n) == rows[(i + j) % len(rows)]


@settings(deadline=None)
@given(st.sampled_from(FIELDS), st.data())
def test_multiplication_distributes_and_commutes(field, data):
    n, b = field
    element = st.tuples(*[st.integers(0, n - 1)] * b)
    one, two, three = (data.draw(element) for _ in range(3))
    tail = primitive_tail(n, b)
    assert multiply(one, two, tail, n) == multiply(two, one, tail, n)
    apart = added(multiply(one, two, tail, n), multiply(one, three, tail, n), n)
    assert multiply(one, added(two, three, n), tail, n) == apart


def test_the_papers_sums_of_polynomials():
    """STRAT eq. 24 in a field that the same rule makes: x^5 mod (x^5 + 2x + 1) over 3 is x + 2."""
    assert multiply((0, 0, 0, 0, 1), (0, 1, 0, 0, 0), (2, 1, 0, 0, 0), 3) == (2, 1, 0, 0, 0)


@settings(deadline=None)
@given(st.integers(2, 5000))
def test_prime_factors_divide_and_are_prime(n):
    factors = prime_factors(n)
    rest = n
    for factor in factors:
        assert n % factor == 0
        assert all(factor % d for d in range(2, int(factor**0.5) + 1))
        while rest % factor == 0:
            rest //= factor
    assert rest == 1


def test_zero_one_and_composites_are_not_prime():
    assert not any(is_prime(n) for n in (-3, 0, 1, 4, 9, 91))


@pytest.mark.parametrize(("n", "b", "words"), [(4, 2, "4 is not a prime"), (3, 0, "3\\^0"), (2, 17, "2\\^17")])
def test_what_is_no_field_is_refused(n, b, words):
    with pytest.raises(StratawatchError, match=words):
        powers(n, b)
