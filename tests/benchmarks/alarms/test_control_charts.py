"""Rules that are in use elsewhere, on weeks whose values are given."""

import numpy as np
import pytest

from benchmarks.alarms.control_charts import REFERENCE, cusum_rule, false_discovery_rule, three_deviations_rule
from benchmarks.alarms.frozen_weeks import Weeks


def weeks(values) -> Weeks:
    """Weeks of these values less their limits; the standard error of each is .01."""
    value = np.array(values, dtype=float)
    return Weeks(np.zeros((*value.shape, 3)), {}, value, value - 0.0196, value + 0.0196)


def paged(rule, values, order):
    found, first, _ = rule(weeks(values), np.array([order]))
    return found[0].tolist(), first[0].tolist()


def test_a_cusum_adds_up_deviations_above_its_slack_and_begins_anew():
    """z = 2 a week adds 1.5: the limit for two streams, 2.9, is reached every second week."""
    found, first = paged(cusum_rule(2), [[0.0, -0.02], [0.05, 0.05]], [0, 0, 0, 0, 1, 0])
    assert found == [False, True, False, True, False, False]
    assert first[:4] == [1, 1, 1, 1]


@pytest.mark.parametrize(("values", "pages"), [([-0.017, 0.0], False), ([-0.02, 0.0], True), ([-0.017, -0.017], True)])
def test_false_discoveries_step_up_over_the_streams(values, pages):
    """p is .045 at 1.7 standard errors and .023 at 2: one alone needs .025, two need .05 each."""
    assert paged(false_discovery_rule(2), [values], [0])[0] == [pages]


def test_three_deviations_below_the_weeks_before_page():
    steady = [[0.01], [-0.01]]
    order = [*([0, 1] * REFERENCE)[:REFERENCE], 2]
    assert paged(three_deviations_rule(), [*steady, [-0.04]], order)[0] == [False] * REFERENCE + [True]
    assert paged(three_deviations_rule(), [*steady, [-0.02]], order)[0] == [False] * (REFERENCE + 1)
