"""Odd windows and what evidence and incidents make of them: one-sided answers, changed limits, gaps, the past."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.goals import Limit
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.backfill import backfill
from stratawatch.engine.cycle.operator_actions import cancel_cycle
from stratawatch.engine.evidence.panel_evidence import panel_evidence
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.model.panel_spec import ClassifierSpec
from stratawatch.engine.model.states import CycleState
from tests.support.fakes import MONDAY, WEEK, spec, unusable
from tests.support.scenario import cycle_of, label_cycle, label_weeks, open_all, severities, work_on

LIMITS = (Limit("precision", floor=0.5), Limit("recall", floor=0.3), Limit("false_omission_rate", ceiling=0.3))
KEPT = Limit("precision", floor=0.5, classifiers=("rf",))


def panel(*limits, **more):
    return spec(budget=150, limits=limits or LIMITS, **more)


def states(scenario):
    """The newest judgement of each metric of the first classifier."""
    with scenario.ports.store.begin() as tx:
        return {one.key.metric: one for one in tx.alarms.current_states("spam") if one.key.classifier == "lr"}


def rows(scenario, cycle):
    with scenario.ports.store.begin() as tx:
        return tx.evidence.of_cycle(cycle)


def total(scenario):
    with scenario.ports.store.begin() as tx:
        return panel_evidence(tx, scenario.ports, scenario.panel).total


def restarts(scenario):
    with scenario.ports.store.begin() as tx:
        return [one.why for one in tx.evidence.restarts("spam")]


def open_incidents(scenario):
    with scenario.ports.store.begin() as tx:
        return [(str(one.key), one.kind) for one in tx.alarms.incidents(only_open=True)]


def answered(scenario, **how):
    """A window in which people answer in one way, judged at its deadline."""
    (cycle,) = open_all(scenario)
    for _ in range(3):
        scenario.clock.advance(hours=1)
        assert advance(scenario.ports).troubles == ()
        scenario.queue.answer(scenario.clock.now(), **how)
    scenario.clock.advance(days=4)
    assert advance(scenario.ports).troubles == ()
    return cycle


class TestVotes:
    def test_of_two_people_decide_at_the_deadline_where_three_were_asked_for(self, make_scenario):
        scenario = make_scenario(panel(votes=3))
        (cycle,) = open_all(scenario)
        for _ in range(3):
            scenario.clock.advance(hours=1)
            assert advance(scenario.ports).troubles == ()
            before = len(scenario.queue.said)
            scenario.queue.answer(scenario.clock.now())
            for one in scenario.queue.said[before:]:
                scenario.queue.said.append(replace(one, event_id=f"{one.event_id} of ben", annotator="ben"))
        assert cycle_of(scenario, cycle).state == CycleState.LABELLING
        scenario.clock.advance(days=4)
        assert advance(scenario.ports).troubles == ()
        assert states(scenario)["precision"].state != AlarmState.BLIND
        with scenario.ports.store.begin() as tx:
            labelled = load_labelled_cycle(tx, scenario.panel, cycle)
        assert len(labelled.verdicts) == len(labelled.draws) == len(scenario.queue.said) / 2


class TestAnswers:
    def test_that_are_all_yes_prove_what_they_prove(self, make_scenario):
        scenario = make_scenario(panel())
        answered(scenario, value="yes")
        found = states(scenario)
        assert {metric: said.state for metric, said in found.items()} == {
            "precision": AlarmState.OK,
            "recall": AlarmState.BREACH,
            "false_omission_rate": AlarmState.BREACH,
        }
        assert found["precision"].reason.startswith("100.0% (96.")

    def test_that_are_all_no_leave_recall_in_the_dark(self, make_scenario):
        scenario = make_scenario(panel())
        answered(scenario, value="no")
        found = states(scenario)
        assert found["precision"].state == AlarmState.BREACH
        assert found["false_omission_rate"].state == AlarmState.OK
        assert (found["recall"].state, found["recall"].reason) == (
            AlarmState.BLIND,
            "cannot see: no positive among the 150 labels",
        )

    @pytest.mark.parametrize("how", [{"value": "skip"}, {"only": lambda _key: False}], ids=["only skips", "none"])
    def test_that_say_nothing_page_nobody_and_bet_on_nothing(self, make_scenario, how):
        scenario = make_scenario(panel())
        cycle = answered(scenario, **how)
        assert {said.state for said in states(scenario).values()} == {AlarmState.BLIND}
        assert severities(scenario) == ["warning"]
        assert {(row.log_e, row.labels) for row in rows(scenario, cycle)} == {(0.0, 0)}

    def test_that_are_missing_in_a_whole_stratum_are_told_and_page_nobody(self, make_scenario):
        scenario = make_scenario(panel())
        (cycle,) = open_all(scenario)
        scenario.clock.advance(hours=1)
        advance(scenario.ports)
        with scenario.ports.store.begin() as tx:
            strata = [atom.stratum for atom in tx.cycles.atoms(cycle)]
            stratum_of = {one.item: strata[one.atom] for one in tx.cycles.candidates(cycle)}
            items = {draw.item_key: draw.item for draw in tx.rounds.draws(cycle)}
        last = max(stratum_of[item] for item in items.values())
        scenario.queue.answer(scenario.clock.now(), only=lambda key: stratum_of[items[key]] != last)
        scenario.clock.advance(days=4)
        advance(scenario.ports)
        (notification,) = scenario.channel.received
        assert notification.subject == "Answers are missing: spam"
        assert (
            f"100% of the answers in group {last} of items alike in calls and scores are missing" in notification.body
        )
        assert AlarmState.BREACH not in {said.state for said in states(scenario).values()}


class TestClassifiers:
    def test_one_that_calls_nothing_positive_has_no_precision_and_no_recall(self, make_scenario):
        lr, rf = spec().classifiers
        scenario = make_scenario(panel(classifiers=(replace(lr, cut_off=2.0), rf)))
        answered(scenario)
        found = states(scenario)
        assert found["precision"].reason == "cannot see: it calls no item positive"
        assert found["recall"].state == AlarmState.BREACH
        assert found["false_omission_rate"].state == AlarmState.OK

    def test_one_that_was_renamed_ends_its_incident_and_begins_without_evidence(self, make_scenario):
        scenario = make_scenario(panel(Limit("precision", floor=0.9, classifiers=("rf",))), 0)
        assert severities(scenario) == ["page"]
        lr, _ = scenario.panel.classifiers
        renamed = ClassifierSpec("forest", "score_rf", cut_off=0.6)
        limit = Limit("precision", floor=0.5, classifiers=("forest",))
        scenario.panel = replace(scenario.panel, classifiers=(lr, renamed), limits=(limit,))
        scenario.ports = replace(scenario.ports, configured={"spam": scenario.panel})
        label_weeks(scenario, 1)
        assert severities(scenario) == ["page", "resolved"]
        assert "rf is not configured any more" in scenario.channel.received[1].body
        with scenario.ports.store.begin() as tx:
            assert {row.key.classifier for row in tx.evidence.since_restarts("spam")} == {"forest"}


class TestALimitThatChangesWhileAnIncidentIsOpen:
    @pytest.fixture
    def paged(self, make_scenario):
        return make_scenario(panel(replace(KEPT, floor=0.9)), 0)

    def test_to_one_that_holds_ends_it(self, paged):
        paged.panel = replace(paged.panel, limits=(replace(KEPT, floor=0.4),))
        label_weeks(paged, 1)
        assert severities(paged) == ["page", "resolved"]

    def test_to_one_that_does_not_hold_either_pages_nobody_again(self, paged):
        paged.panel = replace(paged.panel, limits=(replace(KEPT, floor=0.95),))
        label_weeks(paged, 1)
        assert severities(paged) == ["page", "update"]
        assert open_incidents(paged) == [("spam / rf / precision", AlarmState.BREACH)]


class TestWindowsInBetween:
    def test_that_were_refused_or_cancelled_leave_evidence_as_it_is(self, make_scenario):
        scenario = make_scenario(panel(KEPT), 0)
        (first,) = scenario.cycles
        before = total(scenario)
        for period in (1, 2):
            scenario.produce(period)
            scenario.clock.moment = MONDAY + (period + 1) * WEEK
            (cycle,) = open_all(scenario)
            if period == 1:
                scenario.source.troubles = [unusable()]
                advance(scenario.ports)
            else:
                cancel_cycle(scenario.ports, cycle, "a deployment")
            assert rows(scenario, cycle) == ()
        assert (total(scenario), restarts(scenario)) == (before, [])
        (last,) = label_weeks(scenario, 3)
        with scenario.ports.store.begin() as tx:
            assert {row.cycle_id for row in tx.evidence.since_restarts("spam")} == {first, last}

    def test_that_are_backfilled_page_nobody_and_add_nothing(self, make_scenario):
        scenario = make_scenario(panel(replace(KEPT, floor=0.66)))
        scenario.produce(0, quality=0.2)
        scenario.produce(1)
        scenario.clock.moment = MONDAY + 2 * WEEK
        backfill(scenario.ports, scenario.panel, 1, 1)
        work_on(scenario, 3)
        before = total(scenario)
        ((cycle,), _) = backfill(scenario.ports, scenario.panel, 0, 0)
        work_on(scenario, 4)
        assert rows(scenario, cycle) == ()
        assert total(scenario) == before
        assert "page" not in severities(scenario)
        assert scenario.channel.received[-1].subject == "BREACH in a past window of spam"


class TestItems:
    def test_that_are_asked_again_after_their_label_expired_do_not_bet_and_stay_items_of_before(self, make_scenario):
        scenario = make_scenario(panel(KEPT, label_validity=timedelta(days=1)))
        first = label_cycle(scenario)
        scenario.source.windows[MONDAY + WEEK] = scenario.source.windows[MONDAY]
        scenario.clock.moment = MONDAY + 2 * WEEK
        second = label_cycle(scenario)
        scenario.clock.advance(days=4)  # nobody answers them again
        advance(scenario.ports)
        with scenario.ports.store.begin() as tx:
            asked_before = {draw.item for draw in tx.rounds.draws(first)}
            again = [draw for draw in tx.rounds.draws(second) if draw.item in asked_before]
            assert again
            assert {(draw.first_use, draw.bets) for draw in again} == {(False, False)}
            rule = tx.evidence.rule_of(second)
            assert (rule.rule, rule.persisting) == ("window", pytest.approx(1))
