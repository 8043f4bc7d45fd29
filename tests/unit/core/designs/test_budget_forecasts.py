"""Forecasts for several budgets and goals do not contradict one another."""

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.designs import design_of
from stratawatch.core.designs.budget_forecasts import BudgetForecasts, BudgetPoint
from stratawatch.core.designs.frozen import stratify_for_survey
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.metrics import REPORTED
from stratawatch.core.population import Census
from stratawatch.core.score_bins import bins_of

BUDGETS = (50, 100, 160, 165, 170, 200, 205, 210, 300, 450, 500, 550, 600, 800, 900, 1000, 1010, 1200, 2000, 3000)
MARGINS = {"precision": 0.05, "recall": 0.1}
ROUNDING = 1 + 1e-9


def census(seed, items=20_000):
    """Three classifiers and two auxiliary scores see one signal, each with noise and a cut-off of its own."""
    rng = np.random.default_rng(seed)
    signal = 2.5 * rng.normal(size=items) - 4
    seen = signal[:, None] + rng.normal(size=(items, 5))
    calls = seen >= np.linspace(-1.5, 0.5, 5)
    patterns = ["".join("01"[call] for call in row) for row in calls.astype(int).tolist()]
    keys = Counter(zip(patterns, bins_of(1 / (1 + np.exp(-seen))).mean(axis=1).astype(int).tolist(), strict=True))
    rows = sorted(keys)
    patterns, bins, counts = (p for p, _ in rows), [b for _, b in rows], [keys[row] for row in rows]
    return Census(("a", "b", "c"), tuple(patterns), np.array(bins), np.array(counts), auxiliary=("d", "e"))


def forecasts(seed, budget=500, **changes):
    made = census(seed)
    goals = tuple(Goal(metric, margin, (who,)) for (metric, margin), who in product(MARGINS.items(), made.classifiers))
    return BudgetForecasts(made, SurveySpec(goals, budget=budget, **changes), NO_HISTORY), goals, made


def own_point(made, goals, labels):
    survey = SurveySpec(goals, budget=labels)
    cells = Cells.of_atoms(made.classifiers, stratify_for_survey(made, survey))
    plan = design_of(survey).plan_all_rounds(cells, survey, NO_HISTORY, REPORTED)
    return BudgetPoint(labels, plan.half_widths, plan.ranges)


def steps_that_look_worse(curve):
    return [
        (fewer.labels, more.labels, *key)
        for fewer, more in pairwise(curve)
        for key in fewer.half_widths
        if key not in more.half_widths
        or more.half_widths[key] > fewer.half_widths[key] * ROUNDING
        or more.ranges[key].low > fewer.ranges[key].low * ROUNDING
        or more.ranges[key].high > fewer.ranges[key].high * ROUNDING
    ]


class TestCurve:
    @pytest.mark.parametrize("seed", range(4))
    def test_more_labels_never_look_worse(self, seed):
        found, _, _ = forecasts(seed)
        assert steps_that_look_worse(found.curve(BUDGETS, 500, REPORTED)) == []

    def test_which_is_not_so_of_the_plans_of_each_budget_by_itself(self):
        """Otherwise the test above would show nothing."""
        worse = []
        for seed in range(4):
            _, goals, made = forecasts(seed)
            worse += steps_that_look_worse([own_point(made, goals, labels) for labels in BUDGETS])
        assert worse

    @pytest.mark.parametrize("own", [100, 500, 1000])
    def test_the_panels_own_budget_has_the_plan_that_its_cycle_would_have(self, own):
        found, goals, made = forecasts(1, own)
        [point] = [point for point in found.curve(BUDGETS, own, REPORTED) if point.labels == own]
        assert point == own_point(made, goals, own)

    def test_budgets_that_are_told_come_in_order_and_are_all_told(self):
        found, _, _ = forecasts(2)
        assert [point.labels for point in found.curve(reversed(BUDGETS), 500, REPORTED)] == sorted(BUDGETS)

    def test_other_designs_plan_each_budget_by_itself(self):
        found, _, _ = forecasts(0, design="srs")
        curve = found.curve((100, 500, 1000), 500, REPORTED)
        assert all(point.half_widths and not point.ranges for point in curve)


class TestNeeds:
    @pytest.mark.parametrize("seed", range(3))
    def test_one_goal_alone_never_needs_more_than_all_together(self, seed):
        found, goals, _ = forecasts(seed)
        curve = found.curve(BUDGETS, 500, REPORTED)
        needs = found.needs(goals, curve, 500)
        assert len(needs.alone) == len(goals)
        assert max(needs.alone) <= needs.together < sum(needs.alone)

    def test_nor_more_than_a_budget_of_the_curve_that_meets_it(self):
        found, goals, _ = forecasts(0)
        curve = found.curve(BUDGETS, 500, REPORTED)
        needs = found.needs(goals, curve, 500)
        for goal, labels in zip(goals, needs.alone, strict=True):
            (who,) = goal.classifiers
            met = [point.labels for point in curve if point.half_widths[who, goal.metric] <= goal.margin]
            assert labels <= min(met)

    def test_what_a_cycle_asks_for_all_of_them_bounds_each(self):
        found, goals, _ = forecasts(0)
        needs = found.needs(goals, (), 500, together=120)
        assert needs.together == max(needs.alone) == 120
