"""How many labels are needed: the numbers hold together, and nothing is written."""

from itertools import pairwise

import pytest

from stratawatch.core.goals import Goal
from stratawatch.core.tuning import PLANNER
from stratawatch.engine.cycle.label_needs import BUDGETS, label_needs
from stratawatch.engine.cycle.plan_preview import preview_plan
from stratawatch.engine.model.windows import window_of_period
from stratawatch.engine.progress import listen
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import label_cycle, label_weeks

SIZE = 600


def look(scenario, period=0):
    return label_needs(scenario.ports, scenario.panel, window_of_period(scenario.panel.windows, period), period)


class TestCurve:
    def test_shows_the_panels_budget_among_others_up_to_the_window_s_items(self, scenario):
        """3,000 predictions: what lies above is a census."""
        found = look(scenario)
        assert found.items == 3000
        assert [step.labels for step in found.curve] == sorted({*(b for b in BUDGETS if b <= 3000), 120})

    def test_more_labels_buy_narrower_intervals_and_a_census_exact_ones(self, scenario):
        found = look(scenario)
        keys = found.curve[-1].half_widths
        assert set(keys) == {(c, m) for c in ("lr", "rf") for m in ("precision", "recall", "false_omission_rate")}
        for key in keys:
            widths = [step.half_widths[key] for step in found.curve]
            assert all(later <= earlier * 1.02 for earlier, later in pairwise(widths))
            assert widths[-1] == 0

    def test_shows_a_metric_that_only_a_goal_names(self, make_scenario):
        scenario = make_scenario(spec(goals=(Goal("f1", 0.05),)))
        assert ("lr", "f1") in look(scenario).curve[0].half_widths


class TestProgress:
    def test_it_is_told_how_many_plans_are_made(self, make_scenario):
        scenario, heard = make_scenario(spec(goals=(Goal("precision", 0.05),))), []
        with listen(lambda phase, share: heard.append((phase, share))):
            budgets = len(look(scenario).curve)
        shares = [None, *((i + 1) / budgets for i in range(budgets)), 1.0]
        assert [share for phase, share in heard if phase == f"planning for {budgets} budgets"] == shares
        assert [share for phase, share in heard if phase == "planning for 2 goals"] == [None, 0.5, 1.0, 1.0]

    def test_a_dry_run_says_what_it_does_beside_reading(self, scenario):
        heard = []
        with listen(lambda phase, share: heard.append((phase, share))):
            preview_plan(scenario.ports, scenario.panel, window_of_period(scenario.panel.windows, 0), 0)
        assert heard == [(name, share) for name in ("grouping items", "planning") for share in (None, 1.0)]


class TestWishes:
    def test_there_is_one_for_every_goal_and_classifier_it_is_for(self, make_scenario):
        scenario = make_scenario(spec(goals=(Goal("precision", 0.05), Goal("recall", 0.1, classifiers=("rf",)))))
        wishes = {(wish.classifier, wish.metric): wish.margin for wish in look(scenario).goals}
        assert wishes == {("lr", "precision"): 0.05, ("rf", "precision"): 0.05, ("rf", "recall"): 0.1}

    def test_a_panel_without_goals_is_shown_the_usual_ones(self, make_scenario):
        wishes = look(make_scenario(spec(goals=()))).goals
        assert {(wish.metric, wish.margin) for wish in wishes} == {("precision", 0.03), ("recall", 0.05)}

    def test_the_labels_of_a_goal_agree_with_the_half_width_at_the_budget(self, make_scenario):
        """Whether the budget suffices must not depend on which column one reads."""
        for budget in (60, 150, 400, 1000):
            found = look(make_scenario(spec(budget=budget, goals=(Goal("precision", 0.05),))))
            for wish in found.goals:
                if wish.half_width <= wish.margin:
                    assert wish.labels <= budget
                else:
                    assert wish.labels > 0.8 * budget

    def test_a_tighter_margin_needs_more_and_all_goals_share_their_labels(self, make_scenario):
        needs = [look(make_scenario(spec(goals=(Goal("precision", m),)))).goals[0].labels for m in (0.1, 0.05, 0.02)]
        assert needs == sorted(needs)
        assert needs[0] < needs[-1] / 2
        found = look(make_scenario(spec(goals=(Goal("precision", 0.05), Goal("recall", 0.1)))))
        alone = [wish.labels for wish in found.goals]
        assert max(alone) <= found.together * 1.1
        assert found.together < sum(alone)

    def test_a_goal_that_only_a_census_meets_needs_no_more_than_that(self, make_scenario):
        found = look(make_scenario(spec(goals=(Goal("precision", 0.001),))))
        assert found.goals[0].labels <= 3000


class TestStop:
    """stop_rule = "goals": what such a cycle would ask, not only what its margins need."""

    WIDE = (Goal("precision", 0.2), Goal("recall", 0.3))

    def test_without_a_history_a_cycle_asks_its_pilot_at_least(self, make_scenario):
        scenario = make_scenario(spec(goals=self.WIDE, budget=900, stop_rule="goals"))
        found = look(scenario)
        assert look(make_scenario(spec(goals=self.WIDE, budget=900))).together < PLANNER.pilot_labels[0]
        assert PLANNER.pilot_labels[0] <= found.stop.labels == found.together <= 900
        assert all(wish.half_width == found.stop.half_widths[wish.classifier, wish.metric] for wish in found.goals)
        assert all(wish.half_width <= wish.margin for wish in found.goals)

    def test_a_dry_run_and_the_cycle_itself_ask_the_same(self, make_scenario):
        scenario = make_scenario(spec(goals=self.WIDE, budget=900, stop_rule="goals"))
        found = look(scenario)
        shown = preview_plan(scenario.ports, scenario.panel, window_of_period(scenario.panel.windows, 0), 0).plan
        assert (shown.labels, shown.half_widths) == (found.stop.labels, found.stop.half_widths)
        label_weeks(scenario, 0, size=SIZE)
        with scenario.ports.store.begin() as tx:
            asked = len(tx.labels.of_panel("spam"))
        assert asked == pytest.approx(found.stop.labels, rel=0.25)

    def test_goals_above_the_budget_need_more_and_the_cycle_stops_at_it(self, make_scenario):
        found = look(make_scenario(spec(goals=(Goal("precision", 0.02),), budget=120, stop_rule="goals")))
        assert found.stop.labels == 120 < found.together

    def test_what_is_needed_if_scores_say_nothing_is_said_until_labels_say_more(self, make_scenario):
        fresh = make_scenario(spec(goals=self.WIDE, budget=900, stop_rule="goals"))
        assert look(fresh).together <= look(fresh).without_scores <= SIZE
        label_weeks(fresh, 0, size=SIZE)
        fresh.produce(1, size=SIZE)
        assert look(fresh, 1).without_scores is None

    def test_where_the_budget_is_spent_nothing_stops(self, scenario):
        assert look(scenario).stop is None


class TestKnownLabels:
    """The second window has the items of the first one: their labels are there, and the forecast knows it."""

    @pytest.fixture
    def again(self, make_scenario):
        scenario = make_scenario(spec(budget=300))
        label_cycle(scenario)
        scenario.source.windows[MONDAY + WEEK] = scenario.source.windows[MONDAY]
        scenario.clock.moment = MONDAY + 2 * WEEK
        return scenario

    def test_a_dry_run_draws_what_the_cycle_draws(self, again):
        shown = preview_plan(again.ports, again.panel, window_of_period(again.panel.windows, 1), 1).plan
        cycle = label_cycle(again)
        with again.ports.store.begin() as tx:
            draws = tx.rounds.draws(cycle)
        reused = sum(draw.reused for draw in draws)
        assert reused > 150
        assert shown.labels_new == pytest.approx(300, abs=5)
        assert shown.known_labels == pytest.approx(reused, rel=0.05)
        assert shown.labels == pytest.approx(len(draws), rel=0.05)

    def test_half_widths_are_those_of_all_labels_together(self, again):
        told = next(step for step in look(again, 1).curve if step.labels == 300)
        again.produce(1)  # other items of the same kind
        blind = next(step for step in look(again, 1).curve if step.labels == 300)
        for metric in ("recall", "false_omission_rate"):
            assert told.half_widths["lr", metric] < 0.9 * blind.half_widths["lr", metric]
            assert told.ranges["lr", metric].high < 0.9 * blind.ranges["lr", metric].high

    def test_goals_need_fewer_new_labels(self, again, make_scenario):
        fresh = look(make_scenario(spec(budget=300)))
        assert look(again, 1).together < fresh.together


class TestRanges:
    def test_every_forecast_has_one_around_what_the_plan_counts_on(self, make_scenario):
        found = look(make_scenario(spec(goals=(Goal("precision", 0.05),))))
        for point in found.curve:
            assert point.ranges.keys() == point.half_widths.keys()
            assert all(point.ranges[k].low <= width <= point.ranges[k].high for k, width in point.half_widths.items())
        assert [goal.range for goal in found.goals] == [
            next(step for step in found.curve if step.labels == 120).ranges[goal.classifier, goal.metric]
            for goal in found.goals
        ]

    def test_one_goal_alone_never_needs_more_than_all(self, make_scenario):
        for stop_rule in ("budget", "goals"):
            goals = (Goal("precision", 0.05), Goal("recall", 0.1), Goal("false_omission_rate", 0.01))
            found = look(make_scenario(spec(goals=goals, budget=900, stop_rule=stop_rule)))
            assert max(goal.labels for goal in found.goals) <= found.together


class TestSource:
    def test_is_scores_alone_until_there_are_enough_labels(self, make_scenario):
        scenario = make_scenario()
        assert (look(scenario).from_history, look(scenario).past_labels) == (False, 0)
        label_weeks(scenario, 0, size=SIZE)
        scenario.produce(1)
        assert (look(scenario, 1).from_history, look(scenario, 1).past_labels) == (False, 120)
        label_weeks(scenario, 1, size=SIZE)
        scenario.produce(2)
        assert (look(scenario, 2).from_history, look(scenario, 2).past_labels) == (True, 240)

    def test_of_an_empty_window_is_nothing(self, scenario):
        found = look(scenario, 5)
        assert (found.items, found.together, found.curve) == (0, 0, ())

    def test_nor_does_a_cycle_stop_in_one(self, make_scenario):
        assert look(make_scenario(spec(stop_rule="goals")), 5).stop is None

    @pytest.mark.parametrize("write", ["cycles", "labels"])
    def test_nothing_is_written(self, scenario, write):
        look(scenario)
        with scenario.ports.store.begin() as tx:
            assert not (tx.cycles.find() if write == "cycles" else tx.labels.of_panel("spam"))
