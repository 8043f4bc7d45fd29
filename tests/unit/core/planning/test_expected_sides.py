"""What plans foresee against what labels then say, on average."""

import numpy as np
import pytest

from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.interval import metric_intervals
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.metrics import METRICS
from stratawatch.core.planning.expected_precision import ExpectedTotals
from stratawatch.core.planning.expected_rates import ExpectedRates
from tests.support.two_classifiers import two_classifiers

DRAWN = (60, 50, 50, 60, 120, 150)
SMALL = two_classifiers()
SHARES = np.array([SMALL.labels[SMALL.atoms == atom].mean() for atom in range(len(SMALL.cells.sizes))])
TOTALS = ExpectedTotals.of(SMALL.cells, ExpectedRates(SHARES, SHARES * (1 - SHARES)))
EXPECTED = TOTALS.sides(np.array(DRAWN, dtype=float))


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(4)
    evidence = [DifferenceEstimator.of(SMALL.cells, SMALL.answers(SMALL.random_draw(DRAWN, rng))) for _ in range(150)]
    return SideEstimates.stack([one.sides([one.everything]) for one in evidence])


@pytest.mark.parametrize("field", ["sizes", "totals", "labels", "yes", "max_weight", "joint_max_weight"])
def test_counts_come_as_expected(found, field):
    mean = getattr(found, field).mean(axis=0)[0]
    assert mean == pytest.approx(getattr(EXPECTED, field), rel=0.08)


def test_variances_come_as_expected(found):
    raw = found.variance.mean(axis=0)[0]
    assert raw[:, [0, 2]] == pytest.approx(EXPECTED.variance[:, [0, 2]], rel=0.12)


@pytest.mark.parametrize("name", METRICS)
def test_half_widths_come_as_expected(found, name):
    widths = metric_intervals(METRICS[name], SideIntervals(found, 0.95)).half_width.mean(axis=0)[0]
    foreseen = metric_intervals(METRICS[name], SideIntervals(EXPECTED, 0.95)).half_width
    assert widths == pytest.approx(foreseen, rel=0.25)


def test_many_plans_at_once_are_the_single_ones():
    plans = np.array([DRAWN, [30, 20, 20, 30, 60, 80]], dtype=float)
    together = TOTALS.sides(plans)
    for place, plan in enumerate(plans):
        alone = TOTALS.sides(plan)
        assert together.variance[place] == pytest.approx(alone.variance)
        assert together.joint_max_weight[place] == pytest.approx(alone.joint_max_weight)


def test_a_census_leaves_nothing_to_chance():
    whole = TOTALS.sides(SMALL.cells.stratum_sizes)
    for certain in (whole.variance, whole.max_weight, whole.unsampled_variance, whole.joint_max_weight):
        assert np.abs(certain).max() == 0


def test_a_stratum_without_labels_is_unseen_and_may_hold_anything():
    """Stratum 1 holds the 150 items that only a calls positive."""
    without = TOTALS.sides(np.array([60.0, 0, 50, 60, 120, 150]))
    assert without.unlabelled_strata[:, 0].tolist() == [150, 0]
    assert without.unsampled_variance[0, 0] - EXPECTED.unsampled_variance[0, 0] == pytest.approx(150**2 / 4)
