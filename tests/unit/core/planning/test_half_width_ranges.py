"""Ranges of half-widths: they hold what the plan counts on, grow with doubt, and shrink with labels."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.metrics import REPORTED
from stratawatch.core.planning.context import PlanningContext
from stratawatch.core.planning.expected_precision import ExpectedTotals, expected_half_widths
from stratawatch.core.planning.half_width_ranges import forecast_rates, half_width_ranges
from stratawatch.core.planning.round_planner import RoundPlanner
from tests.support.hypothesis_examples import examples
from tests.support.planned_cells import MADE, PAST, WHOLE

SURVEY = SurveySpec(budget=600)
COLD = PlanningContext(MADE, SURVEY, NO_HISTORY)
WARM = PlanningContext(MADE, SURVEY, PAST)
TESTED = PlanningContext(MADE, SURVEY, replace(PAST, ratios={1: {"precision": 1.0, "recall": 1.0}}))
DOUBTED = PlanningContext(MADE, SURVEY, replace(PAST, ratios={1: {"precision": 9.0, "recall": 9.0}}))
TOTALS = RoundPlanner(MADE, SURVEY, PAST).total_plan()


def spread(context):
    found = half_width_ranges(context, TOTALS, REPORTED).values()
    return float(np.mean([(one.high - one.low) / 2 / one.middle for one in found]))


class TestRange:
    @pytest.mark.parametrize("context", [COLD, WARM, TESTED])
    def test_holds_what_the_forecast_counts_on(self, context):
        ranges = half_width_ranges(context, TOTALS, REPORTED)
        expected = ExpectedTotals.of(MADE, forecast_rates(context))
        widths = expected_half_widths(expected, TOTALS, 0.95, REPORTED)
        assert ranges.keys() == widths.keys()
        assert all(ranges[key].low < width < ranges[key].high for key, width in widths.items())

    def test_is_wider_the_less_is_known(self):
        assert spread(COLD) > 2 * spread(WARM)
        assert spread(WARM) > spread(TESTED)

    def test_of_a_model_that_predicted_badly_is_that_of_one_that_was_not_tried(self):
        assert spread(DOUBTED) == spread(WARM)

    def test_of_a_census_is_nothing(self):
        found = half_width_ranges(COLD, WHOLE, REPORTED)
        assert max(one.high for one in found.values()) == pytest.approx(0)

    def test_reaches_no_further_than_a_share_can_be_off(self):
        found = half_width_ranges(COLD, np.minimum(WHOLE, 1), REPORTED)
        assert max(one.high for one in found.values()) <= 0.5

    def test_leaves_out_what_labels_leave_undefined(self):
        nothing = np.zeros_like(WHOLE)
        assert ("a", "recall") not in half_width_ranges(COLD, nothing, REPORTED)

    @settings(deadline=None, max_examples=examples(30))
    @given(st.integers(0, 2**32 - 1), st.booleans())
    def test_never_grows_with_labels(self, seed, remembered):
        """Whatever stratum they go to: this is why a larger budget may add to the plan of a smaller one."""
        rng, context = np.random.default_rng(seed), WARM if remembered else COLD
        fewer = np.minimum(rng.integers(0, 40, len(WHOLE)), WHOLE)
        more = np.minimum(fewer + rng.integers(0, 20, len(WHOLE)) * rng.integers(0, 2, len(WHOLE)), WHOLE)
        before, after = (half_width_ranges(context, totals, REPORTED) for totals in (fewer, more))
        for key, one in before.items():
            assert after[key].low <= one.low * (1 + 1e-9)
            assert after[key].high <= one.high * (1 + 1e-9)
