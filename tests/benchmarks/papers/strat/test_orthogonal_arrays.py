from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.papers.strat.orthogonal_arrays import orthogonal_array, replicates_needed
from stratawatch.errors import StratawatchError
from tests.support.hypothesis_examples import examples


def is_orthogonal(array, n):
    """Of any two columns each of the n^2 pairs in equally many rows: the indicators' products are all k / n^2."""
    k, columns = array.shape
    flags = (array[:, :, None] == np.arange(n)).reshape(k, columns * n).astype(float)
    products = (flags.T @ flags).reshape(columns, n, columns, n).transpose(0, 2, 1, 3)
    return bool((products[~np.eye(columns, dtype=bool)] == k / n**2).all())


def is_balanced(array, n):
    """Every symbol equally often in every column."""
    return all(np.bincount(column, minlength=n).tolist() == [len(column) / n] * n for column in array.T)


@pytest.mark.parametrize(
    ("strata", "units", "replicates"),
    [(483, 2, 512), (7, 2, 8), (8, 2, 16), (256, 3, 729), (200, 3, 729), (121, 3, 243), (122, 3, 729), (1, 7, 7)],
)
def test_the_papers_numbers_of_replicates(strata, units, replicates):
    assert replicates_needed(strata, units) == replicates
    assert orthogonal_array(strata, units).shape == (replicates, strata)


@pytest.mark.parametrize(
    ("strata", "units"),
    [
        (1, 2),
        (3, 2),
        (7, 2),
        (31, 2),
        (483, 2),
        (4, 3),
        (13, 3),
        (200, 3),
        (256, 3),
        (6, 5),
        (31, 5),
        (57, 7),
        (12, 11),
    ],
)
def test_orthogonal_and_fully_balanced(strata, units):
    array = orthogonal_array(strata, units)
    assert is_orthogonal(array, units)
    assert is_balanced(array, units)


@settings(max_examples=examples(40), deadline=None)
@given(st.sampled_from([2, 3, 5, 7]), st.integers(1, 60))
def test_every_array_is_orthogonal_and_fully_balanced(units, strata):
    array = orthogonal_array(strata, units)
    assert array.shape == (replicates_needed(strata, units), strata)
    assert is_orthogonal(array, units)
    assert is_balanced(array, units)


@settings(deadline=None)
@given(st.sampled_from([2, 3, 5, 7]), st.integers(1, 2000))
def test_no_smaller_power_would_do(units, strata):
    k = replicates_needed(strata, units)
    assert strata <= (k - 1) // (units - 1)
    assert strata > (k // units - 1) // (units - 1)


def test_one_column_more_would_repeat_one():
    """Where the columns end, the next is the first with its symbols renamed: the pairs are no longer balanced."""
    array = orthogonal_array(13, 3)
    again = np.column_stack([array, (array[:, 0] * 2) % 3])
    assert not is_orthogonal(again, 3)


class TestBalancedOnly:
    def test_one_stratum_more_for_the_same_replicates(self):
        assert replicates_needed(8, 2) == 16
        assert replicates_needed(8, 2, full=False) == 8

    def test_the_signs_are_orthogonal_and_one_column_is_not_balanced(self):
        array = orthogonal_array(8, 2, full=False)
        signs = 1 - 2 * array
        assert (signs.T @ signs).tolist() == (8 * np.eye(8, dtype=int)).tolist()
        assert [is_balanced(array[:, [column]], 2) for column in range(8)] == [False] + [True] * 7

    def test_there_is_no_such_array_for_three_units(self):
        with pytest.raises(StratawatchError, match="fully balanced or not balanced at all"):
            orthogonal_array(8, 3, full=False)


def test_the_papers_array_is_not_orthogonal():
    """STRAT eq. 12 as printed: column 2 sums to 2, and of the pairs of columns not even half are orthogonal."""
    rows = ["++-+---", "+-+---+", "-+---++", "+---++-", "--+++-+", "-++----", "-+++---", "+++++++"]
    printed = np.array([[0 if sign == "+" else 1 for sign in row] for row in rows])
    signs = 1 - 2 * printed
    assert signs[:, 1].sum() == 2
    assert not is_orthogonal(printed, 2)
    assert sum(int(signs[:, a] @ signs[:, b]) == 0 for a, b in combinations(range(7), 2)) < 21


@pytest.mark.parametrize(
    ("strata", "units", "words"),
    [
        (5, 4, "4 units in a stratum cannot be balanced; expected a prime number"),
        (5, 1, "1 units in a stratum cannot be balanced"),
        (5, 9, "form random groups of labels"),
        (0, 2, "no stratum can be replicated"),
        (70_000, 2, "70,000 strata of 2 units need 131,072 replicates; expected at most 65,536"),
    ],
)
def test_what_cannot_be_balanced_is_refused(strata, units, words):
    with pytest.raises(StratawatchError, match=words):
        orthogonal_array(strata, units)


def test_an_array_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        orthogonal_array(3, 2)[0, 0] = 1
