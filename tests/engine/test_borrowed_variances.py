"""Cycles that ask until goals hold: what earlier windows say of variances is frozen with them, and pages ignore it."""

from dataclasses import replace

import pytest

from stratawatch.core.designs.frozen import pool_sizes
from stratawatch.core.goals import Goal, Limit
from stratawatch.engine.cycle.backfill import backfill
from stratawatch.engine.cycle.judge_cycle import judged_window
from stratawatch.engine.cycle.operator_actions import rerun_cycle
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.engine.model.survey_of_panel import max_rounds
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import cycle_of, label_cycle, label_weeks, work_on

GOALS = (Goal("precision", 0.06), Goal("recall", 0.08))


@pytest.fixture
def watched(make_scenario):
    """Three windows of a panel whose goals decide how many labels there are, and which could page."""
    limits = (Limit("precision", floor=0.2),)
    scenario = make_scenario(spec(budget=1500, stop_rule="goals", goals=GOALS, limits=limits), 0, 1, 2, size=3000)
    return scenario, scenario.cycles


def test_the_first_window_borrows_nothing_and_later_ones_do(watched):
    scenario, cycles = watched
    found = [cycle_of(scenario, cycle).variance_priors for cycle in cycles]
    assert found[0] == ()
    assert {(one.classifier, one.metric) for one in found[1]} == {
        (name, metric) for name in ("lr", "rf") for metric in ("precision", "recall")
    }
    assert {one.ratio for one in found[1]} == {1.0}
    assert 1.0 not in {one.ratio for one in found[2]}


def test_estimates_say_so_and_a_page_would_not_rest_on_it(watched):
    scenario, cycles = watched
    with scenario.ports.store.begin() as tx:
        methods = [
            {
                one.method
                for one in tx.estimates.latest(cycle).estimates
                if one.segment is None and one.metric != "false_omission_rate"
            }
            for cycle in cycles
        ]
        design = load_labelled_cycle(tx, scenario.panel, cycles[-1])
    assert not any("history" in method for method in methods[0])
    assert all(method.endswith("variance with history") for method in methods[2])
    alone = design.design.estimate(design.ledger, design.drawn, confidence=0.95, metrics=["precision"], borrow=False)
    borrowed = design.design.estimate(design.ledger, design.drawn, confidence=0.95, metrics=["precision"])
    assert [one.result.value for one in alone] == [one.result.value for one in borrowed]
    assert [one.result.low for one in alone] != [one.result.low for one in borrowed]
    surer = [
        design.design.estimate(design.ledger, design.drawn, confidence=0.99, borrow=some) for some in (True, False)
    ]
    assert surer[0] == surer[1]


def test_a_page_rests_on_the_windows_labels_alone(watched):
    scenario, cycles = watched
    cycle = cycle_of(scenario, cycles[-1])
    with scenario.ports.store.begin() as tx:
        labelled = load_labelled_cycle(tx, scenario.panel, cycle.id)
        found = tx.estimates.latest(cycle.id).estimates
        window = judged_window(tx, scenario.panel, cycle, labelled, found, None, scenario.clock.now())
    (key,) = [key for key in window.limits if key.classifier == "lr"]
    assert window.current[key].method.endswith("variance with history")
    assert "history" not in window.alone[key].method
    assert window.alone[key].result.value == window.current[key].result.value


def test_a_page_of_a_budget_rests_on_its_labels_alone_too(make_scenario):
    """There nothing is borrowed, and reported intervals follow history."""
    limits = (Limit("precision", floor=0.2),)
    scenario = make_scenario(spec(budget=500, limits=limits), 0, 1, size=3000)
    cycle = cycle_of(scenario, scenario.cycles[-1])
    with scenario.ports.store.begin() as tx:
        labelled = load_labelled_cycle(tx, scenario.panel, cycle.id)
        found = tx.estimates.latest(cycle.id).estimates
        window = judged_window(tx, scenario.panel, cycle, labelled, found, None, scenario.clock.now())
    assert cycle.variance_priors == ()
    (key,) = [key for key in window.limits if key.classifier == "lr"]
    assert window.current[key].method.endswith("variance with history")
    assert "history" not in window.alone[key].method
    assert window.alone[key].result.value == window.current[key].result.value


def test_every_cycle_is_judged_within_three_rounds(watched):
    scenario, cycles = watched
    with scenario.ports.store.begin() as tx:
        rounds = [len(tx.rounds.of(cycle)) for cycle in cycles]
    assert 1 <= min(rounds) <= max(rounds) <= max_rounds(scenario.panel) == 3
    assert {cycle_of(scenario, cycle).state for cycle in cycles} == {CycleState.JUDGED}


@pytest.mark.parametrize("rounds", [2, 3])
def test_the_first_window_has_all_the_rounds_that_its_goals_take(make_scenario, rounds):
    """The second of three rounds leaves a part to the third, which a cycle that ends before it never asks for."""
    goals = (Goal("precision", 0.05), Goal("recall", 0.07))
    panel = spec(budget=2500, stop_rule="goals", goals=goals, rounds=rounds)
    scenario = make_scenario(panel, 0, size=6000)
    with scenario.ports.store.begin() as tx:
        found, asked = tx.estimates.latest(scenario.cycles[0]).estimates, tx.rounds.of(scenario.cycles[0])
    margins = {goal.metric: goal.margin for goal in goals}
    wide = [
        one
        for one in found
        if one.segment is None and one.metric in margins and one.result.half_width > margins[one.metric]
    ]
    assert len(asked) == rounds
    assert wide == []


def why_settled(scenario, cycle):
    with scenario.ports.store.begin() as tx:
        (why,) = [one.why for one in tx.cycles.transitions(Entity.CYCLE, cycle) if one.new == CycleState.SETTLED]
    return why


@pytest.mark.parametrize("variance", ["default", "labels"])
def test_a_window_whose_pools_end_before_its_goals_hold_says_so(make_scenario, monkeypatch, variance):
    def ten_a_stratum(*census):
        return tuple(min(10, pool) for pool in pool_sizes(*census))

    monkeypatch.setattr("stratawatch.engine.input.assess_window.pool_sizes", ten_a_stratum)
    scenario = make_scenario(spec(budget=1500, stop_rule="goals", goals=GOALS, variance=variance))
    for cycle in label_weeks(scenario, 0, 1):
        assert cycle_of(scenario, cycle).state == CycleState.JUDGED
        assert "not all goals hold, as its plans asked for more items of" in why_settled(scenario, cycle)
        assert cycle_of(scenario, cycle).reason == ""


def test_one_that_spends_its_budget_has_no_goals_to_speak_of(make_scenario, monkeypatch):
    def ten_a_stratum(*census):
        return tuple(min(10, pool) for pool in pool_sizes(*census))

    monkeypatch.setattr("stratawatch.engine.input.assess_window.pool_sizes", ten_a_stratum)
    scenario = make_scenario(spec(budget=300, goals=GOALS))
    (cycle,) = label_weeks(scenario, 0)
    assert "goals" not in why_settled(scenario, cycle)


def test_one_whose_pools_last_says_nothing_of_them(watched):
    scenario, cycles = watched
    assert all("goals" not in why_settled(scenario, cycle) for cycle in cycles)


def test_a_later_window_that_borrows_nothing_is_over_after_two_rounds(make_scenario):
    panel = spec(budget=1500, stop_rule="goals", goals=GOALS, variance="labels")
    scenario = make_scenario(panel, 0, 1, size=3000)
    with scenario.ports.store.begin() as tx:
        rounds = [len(tx.rounds.of(cycle)) for cycle in scenario.cycles]
    assert {cycle_of(scenario, cycle).state for cycle in scenario.cycles} == {CycleState.JUDGED}
    assert rounds[1] <= 2


def test_where_calls_vanish_the_next_plan_looks_for_misses_and_says_so(watched):
    """Half of what was called is not any more: it may be missed, and no label is needed to see it."""
    scenario, cycles = watched
    scenario.produce(3, size=3000)
    start = MONDAY + 3 * WEEK
    rows = scenario.source.windows[start]
    lower = [replace(row, scores=tuple(0.3 * score for score in row.scores)) for row in rows[::2]]
    scenario.source.windows[start] = [*lower, *rows[1::2]]
    scenario.clock.moment = start + WEEK
    cycles = (*cycles, label_cycle(scenario))
    with scenario.ports.store.begin() as tx:
        firsts = [tx.rounds.of(cycle)[0].plan.method for cycle in cycles]
        called = label_history(tx, scenario.panel, 4, scenario.clock.now()).called
    assert [method.endswith("is called than before") for method in firsts] == [False, False, False, True]
    assert sorted(called) == [1, 2, 3, 4]
    assert called[1] == pytest.approx(called[2] / 2, rel=0.2)


@pytest.mark.parametrize("how", ["run again", "backfilled"])
def test_a_window_that_comes_between_two_rounds_of_a_later_one_changes_none_of_its_counts(make_scenario, how):
    """Later rounds are planned with what was known when the window was opened; the next window counts what came."""
    scenario = make_scenario(spec(budget=1500, stop_rule="goals", goals=GOALS), 0, size=3000)
    (first,) = scenario.cycles
    for period in (1, 2):
        scenario.produce(period, size=3000)
    scenario.clock.moment = MONDAY + 3 * WEEK
    ((second,), _) = backfill(scenario.ports, scenario.panel, 2, 2)
    work_on(scenario, 1)
    opened = cycle_of(scenario, second)
    assert opened.state != CycleState.JUDGED
    before = called(scenario, 2, opened.opened_at)
    if how == "run again":
        scenario.source.windows[MONDAY] = scenario.source.windows[MONDAY][: len(scenario.source.windows[MONDAY]) // 3]
        rerun_cycle(scenario.ports, first, "a mended table", scenario.panel)
    else:
        backfill(scenario.ports, scenario.panel, 1, 1)
    work_on(scenario, 4)
    assert cycle_of(scenario, second).state == CycleState.JUDGED
    assert sorted(before) == [2]
    assert called(scenario, 2, opened.opened_at) == before
    later = called(scenario, 3, scenario.clock.now())
    assert sorted(later) == ([1, 3] if how == "run again" else [1, 2, 3])
    assert (later[3] == before[2]) is (how == "backfilled")


def called(scenario, period, moment):
    """The part of items that somebody called, by age, as a window knew it at a moment."""
    with scenario.ports.store.begin() as tx:
        return label_history(tx, scenario.panel, period, moment).called


def test_a_plan_without_goals_counts_no_calls(make_scenario):
    scenario = make_scenario(spec(budget=300), 0, 1, size=3000)
    with scenario.ports.store.begin() as tx:
        assert label_history(tx, scenario.panel, 2, scenario.clock.now()).called is None


def test_goals_about_something_else_borrow_nothing(make_scenario):
    goals = (*GOALS, Goal("false_omission_rate", 0.05))
    scenario = make_scenario(spec(budget=1500, stop_rule="goals", goals=goals))
    assert cycle_of(scenario, label_weeks(scenario, 0, 1, size=3000)[-1]).variance_priors == ()


def test_labels_alone_borrow_nothing(make_scenario):
    scenario = make_scenario(spec(budget=1500, stop_rule="goals", goals=GOALS, variance="labels"), 0, 1, size=3000)
    cycles = scenario.cycles
    assert [cycle_of(scenario, cycle).variance_priors for cycle in cycles] == [(), ()]
