"""Designs of the literature through the engine: rounds, retries, late labels, and what they do not tell."""

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.goals import Goal, Limit
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.label_needs import label_needs
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.cycle.plan_preview import preview_plan
from stratawatch.engine.cycle.plan_round import plan_round
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.model.windows import window_of_period
from tests.support.fakes import spec
from tests.support.scenario import Scenario

MOST_ADVANCES = 40
PRECISION = (Goal("precision", 0.05, classifiers=("lr",)),)


def chosen(design: str, budget: int = 120, goals=PRECISION, **options):
    return spec(design=design, options=options, budget=budget, goals=goals)


def judged(scenario: Scenario) -> int:
    """A cycle that people answered to the end."""
    (cycle,) = open_cycles(scenario.ports, {scenario.panel.name: scenario.panel})
    for _ in range(MOST_ADVANCES):
        scenario.clock.advance(minutes=30)
        assert advance(scenario.ports).troubles == ()
        with scenario.ports.store.begin() as tx:
            if tx.cycles.get(cycle).state == CycleState.JUDGED:
                return cycle
        scenario.queue.answer(scenario.clock.now())
    raise AssertionError("the cycle goes on for ever")


def read(scenario: Scenario, cycle: int):
    """Its rounds, and its latest estimates by (classifier, metric, segment)."""
    with scenario.ports.store.begin() as tx:
        revision = tx.estimates.latest(cycle)
        found = {(e.classifier, e.metric, str(e.segment or "")): e for e in revision.estimates}
        return tx.rounds.of(cycle), found, revision.number


class TestKumar:
    def test_pro_asks_once_and_tells_both_classifiers(self, make_scenario):
        scenario = make_scenario(chosen("kumar", 400, strata=4))
        rounds, found, _ = read(scenario, judged(scenario))
        assert [done.plan.method for done in rounds] == ["PRO on KM strata"]
        assert len(scenario.queue.asked()) == 400
        assert isinstance(found["rf", "false_omission_rate", ""].result, IntervalEstimate)
        assert found["lr", "recall", ""].result == Undefined(
            "design = 'kumar' does not tell recall: only labels say what it is a share of"
        )

    def test_opt_a2_asks_step_by_step_until_its_budget_is_spent(self, make_scenario):
        scenario = make_scenario(chosen("kumar", 150, strata=4, allocation="OPT-A2", n_step=40))
        rounds, _, _ = read(scenario, judged(scenario))
        assert [done.plan.labels for done in rounds] == [20, 60, 100, 140, 150]
        assert len(set(scenario.queue.asked())) == len(scenario.queue.asked()) == 150


class TestBennett:
    def test_stops_when_its_interval_is_narrow(self, make_scenario):
        scenario = make_scenario(chosen("bennett", 400, goals=(), delta=0.1, per_bin=6))
        rounds, found, _ = read(scenario, judged(scenario))
        assert 2 < len(rounds) < 17
        precision = found["lr", "precision", ""].result
        assert precision.half_width <= 0.1
        assert len(scenario.queue.asked()) == 24 * len(rounds)

    def test_tells_precision_of_one_classifier_and_why_nothing_else(self, make_scenario):
        scenario = make_scenario(chosen("bennett", 90, per_bin=5))
        _, found, _ = read(scenario, judged(scenario))
        assert [key for key, one in found.items() if isinstance(one.result, IntervalEstimate)] == [
            ("lr", "precision", "")
        ]
        inside = found["lr", "precision", "country=DE"].result
        assert inside == Undefined("design = 'bennett' tells nothing of segments")
        assert found["rf", "precision", ""].labels_used == 0

    def test_judges_the_limit_that_it_can_tell(self, make_scenario):
        scenario = make_scenario(chosen("bennett", 200, per_bin=10))
        cycle = judged(scenario)
        with scenario.ports.store.begin() as tx:
            (state,) = tx.alarms.current_states("spam")
        assert state.cycle_id == cycle
        assert state.state != AlarmState.BLIND


@pytest.mark.parametrize(
    "panel",
    [
        chosen("kumar", 60, share="precision", strata=3, allocation="OPT-A2", n_step=15),
        chosen("bennett", 60, per_bin=5),
    ],
    ids=["kumar", "bennett"],
)
class TestAnyOfThem:
    def test_a_round_that_fails_is_planned_again_as_it_was(self, make_scenario, panel):
        """Nothing is written before the last step; a crash there leaves the plan to be made again."""
        first, second = make_scenario(panel), make_scenario(panel)
        asked = []
        for scenario, stumble in ((first, False), (second, True)):
            (cycle,) = open_cycles(scenario.ports, {panel.name: panel})
            advance(scenario.ports)
            scenario.queue.answer(scenario.clock.now())
            if stumble:
                scenario.queue.troubles.append(RuntimeError("the platform fell over"))
            advance(scenario.ports)
            advance(scenario.ports)
            assert plan_round(scenario.ports, cycle) is None
            asked.append(scenario.queue.asked())
        assert sorted(asked[0]) == sorted(asked[1])

    def test_a_label_that_is_corrected_late_makes_a_new_revision(self, make_scenario, panel):
        scenario = make_scenario(panel)
        cycle = judged(scenario)
        _, before, _ = read(scenario, cycle)
        scenario.queue.truth = {key: not truth for key, truth in scenario.queue.truth.items()}
        _answer_again(scenario)
        scenario.clock.advance(hours=1)
        advance(scenario.ports)
        _, after, number = read(scenario, cycle)
        assert number == 2
        assert after["lr", "precision", ""].result != before["lr", "precision", ""].result
        assert sum(len(batch.tasks) for batch in scenario.queue.published.values()) == 60

    def test_can_be_previewed_and_planned_for(self, make_scenario, panel):
        scenario = make_scenario(panel)
        window = window_of_period(panel.windows, 0)
        whole = preview_plan(scenario.ports, panel, window, 0).plan
        assert whole.labels == 60
        assert ("lr", "precision") in whole.half_widths
        found = label_needs(scenario.ports, panel, window, 0)
        assert "recall" not in found.metrics
        assert [(wish.classifier, wish.metric) for wish in found.goals] == [("lr", "precision")]
        assert found.goals[0].labels > 60
        widths = {step.labels: step.half_widths["lr", "precision"] for step in found.curve}
        assert 0 == widths[3000] < widths[200] < widths[60] < 0.5


def test_the_usual_goals_are_shown_as_far_as_the_design_tells_them(make_scenario):
    panel = chosen("bennett", goals=())
    scenario = make_scenario(panel)
    found = label_needs(scenario.ports, panel, window_of_period(panel.windows, 0), 0)
    assert [(wish.classifier, wish.metric) for wish in found.goals] == [("lr", "precision")]


def test_a_panel_whose_budget_does_not_reach_every_stratum_is_told_so(make_scenario):
    panel = spec(design="kumar", budget=10, goals=(), limits=(Limit("precision", floor=0.5),))
    scenario = make_scenario(panel)
    (cycle,) = open_cycles(scenario.ports, {panel.name: panel})
    advance(scenario.ports)
    with scenario.ports.store.begin() as tx:
        refused = tx.cycles.get(cycle)
    assert refused.state == CycleState.REFUSED
    assert "10 labels do not give 2 to each of 8 strata; expected at least 16" in str(refused)


def _answer_again(scenario: Scenario) -> None:
    """Every item once more, by the truth as it is now."""
    for key in scenario.queue.asked():
        word = "yes" if scenario.queue.truth[key] else "no"
        scenario.queue.said.append(
            LabelEvent("fake", f"e{len(scenario.queue.said)}", key, "ann", word, scenario.clock.now())
        )
