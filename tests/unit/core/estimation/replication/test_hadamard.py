import numpy as np
import pytest
import scipy.linalg

from stratawatch.core.estimation.replication.hadamard import hadamard_matrix
from stratawatch.errors import StratawatchError


@pytest.mark.parametrize("b", range(9))
class TestHadamard:
    def test_columns_are_orthogonal(self, b):
        made = hadamard_matrix(b)
        assert (made.T @ made).tolist() == (2**b * np.eye(2**b, dtype=int)).tolist()

    def test_entries_are_signs_and_the_first_column_is_ones(self, b):
        made = hadamard_matrix(b)
        assert set(np.unique(made)) <= {-1, 1}
        assert made[:, 0].tolist() == [1] * 2**b

    def test_it_is_sylvesters(self, b):
        assert hadamard_matrix(b).tolist() == scipy.linalg.hadamard(2**b, dtype=int).tolist()


def test_doubling():
    small, large = hadamard_matrix(3), hadamard_matrix(4)
    assert large.tolist() == np.block([[small, small], [small, -small]]).tolist()


@pytest.mark.parametrize("b", [-1, 17])
def test_orders_that_are_not_made_are_refused(b):
    with pytest.raises(StratawatchError, match=r"is not made; expected 2\^0 to 2\^16"):
        hadamard_matrix(b)
