import numpy as np
import pytest

from stratawatch.core.alarms.evidence.linear_tests import LimitTest, linear_test
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Segment
from stratawatch.errors import StratawatchError
from tests.support.closed_forms import RATIOS
from tests.support.small_windows import ratio, window

# The third pattern says that classifier a did not score its items.
DESIGN, TRUTH = window(
    ["11", "10", "-1", "01", "00"],
    [0.9, 0.6, 0.5, 0.4, 0.1],
    [0, 0, 0, 1, 2],
    ["1101", "10", "01", "0100", "000100"],
    segments=["xxyy", "xy", "xy", "xxyy", "xyxyxy"],
)
WHERE = [None, Segment("kind", "x"), Segment("kind", "y")]


def rates(segment):
    """The true share of yes by atom, inside the segment."""
    atoms, kinds = DESIGN.candidates.atoms, np.array(DESIGN.candidates.segments["kind"])
    truth = np.array([TRUTH[item] for item in DESIGN.candidates.items])
    inside = np.ones(len(kinds), bool) if segment is None else kinds == segment.value
    return np.array([truth[(atoms == a) & inside].mean() if ((atoms == a) & inside).any() else 0.0 for a in range(5)])


@pytest.mark.parametrize("segment", WHERE, ids=str)
@pytest.mark.parametrize("is_floor", [True, False])
@pytest.mark.parametrize("limit", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("metric", METRICS)
def test_the_sum_is_the_denominator_times_the_distance_from_the_limit(metric, limit, is_floor, segment):
    found = linear_test(LimitTest("a", metric, segment, "floor", limit, is_floor), DESIGN.cells, DESIGN.atoms)
    p = rates(segment)
    among = {
        item
        for item, kind in zip(DESIGN.candidates.items, DESIGN.candidates.segments["kind"], strict=True)
        if segment in (None, Segment("kind", kind))
    }
    distance = ratio(DESIGN, TRUTH, RATIOS[metric], among=among) - limit
    theta = found.sizes @ (found.alpha * p + found.beta)
    assert theta == pytest.approx((distance if is_floor else -distance) * found.scale(p), abs=1e-12)
    assert found.scale(p) == pytest.approx(ratio(DESIGN, TRUTH, lambda *c: (RATIOS[metric](*c)[1], 1), among=among))


@pytest.mark.parametrize("metric", METRICS)
def test_items_that_the_classifier_did_not_score_have_no_part_in_it(metric):
    found = linear_test(LimitTest("a", metric, None, "floor", 0.6, is_floor=True), DESIGN.cells, DESIGN.atoms)
    assert (found.alpha[2], found.beta[2], found.yes_scale[2], found.no_scale[2]) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("metric", "called", "passed"),
    [
        ("precision", (1, -0.7), (0, 0)),
        ("recall", (1 - 0.7, 0), (-0.7, 0)),
        ("false_omission_rate", (0, 0), (1, -0.7)),
        ("f1", (2 - 0.7, -0.7), (-0.7, 0)),
        ("accuracy", (1, -0.7), (-1, 1 - 0.7)),
        ("specificity", (0.7, -0.7), (-(1 - 0.7), 1 - 0.7)),
    ],
)
def test_alpha_and_beta_of_a_floor_of_70_percent(metric, called, passed):
    found = linear_test(LimitTest("a", metric, None, "floor", 0.7, is_floor=True), DESIGN.cells, DESIGN.atoms)
    assert (found.alpha[0], found.beta[0]) == pytest.approx(called)
    assert (found.alpha[4], found.beta[4]) == pytest.approx(passed)


def test_an_unknown_classifier_is_refused():
    with pytest.raises(StratawatchError, match="no classifier 'z'"):
        linear_test(LimitTest("z", "recall", None, "floor", 0.7, is_floor=True), DESIGN.cells, DESIGN.atoms)
