import numpy as np

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.cluster_design_effect import VarianceStrata, sums_by_unit
from stratawatch.core.estimation.replication.units import StratifiedUnits


def test_one_cluster_is_no_information():
    assert isinstance(
        VarianceStrata.of(StratifiedUnits(np.zeros(4, dtype=np.int64), np.array([9.0]), np.zeros(4, int))), Undefined
    )


def test_a_stratum_of_one_cluster_is_read_with_its_neighbour():
    strata = StratifiedUnits(np.array([0, 0, 1, 1]), np.array([10.0, 10.0]), np.array([0, 0, 1, 2]))
    assert VarianceStrata.of(strata).units.tolist() == [3]


def test_sums_of_units():
    assert sums_by_unit(np.array([1, 0, 1]), np.array([[1.0], [2.0], [4.0]])).tolist() == [[2.0], [5.0]]
