"""Incidents: told once, in order, again when they come again, and ended when nobody watches any more."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.goals import Limit
from stratawatch.core.population import Segment
from stratawatch.engine.cycle import judge_cycle as judging
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.cycle.operator_actions import reopen_cycle
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.panel_spec import WindowRule
from stratawatch.engine.model.states import CycleState
from stratawatch.errors import ConfigError
from tests.support.fakes import MONDAY, WEEK, spec, unreachable, unusable
from tests.support.scenario import cycle_of, label_cycle, only_cycle, open_all, relabel, severities, work_on


class TestTheSameWindow:
    def test_pages_again_when_it_breaches_again(self, make_scenario):
        scenario = make_scenario(spec(budget=400), 0, quality=0.2)
        relabel(scenario, "yes")
        relabel(scenario, "no")
        assert severities(scenario) == ["page", "resolved", "page"]
        keys = [notification.dedup_key for notification in scenario.channel.received]
        assert keys[0] == keys[1] != keys[2]

    def test_refused_again_is_told_again(self, scenario):
        (cycle,) = open_all(scenario)
        scenario.source.troubles = [unusable()]
        advance(scenario.ports)
        reopen_cycle(scenario.ports, cycle, "mended")
        work_on(scenario, 3)
        assert severities(scenario) == ["warning", "resolved"]


class TestOrder:
    def test_an_end_does_not_overtake_its_page(self, make_scenario):
        scenario = make_scenario(spec(budget=400))
        scenario.produce(0, quality=0.2)
        scenario.channel.troubles = [unreachable()]
        label_cycle(scenario, channels_fail=True)
        relabel(scenario, "yes", seconds=10)
        assert severities(scenario) == []
        scenario.clock.advance(minutes=2)
        advance(scenario.ports)
        assert severities(scenario) == ["page", "resolved"]


class TestUnwatched:
    def test_a_breach_ends_when_its_limit_goes(self, make_scenario):
        scenario = make_scenario(spec(budget=400), 0, quality=0.2)
        scenario.panel = replace(scenario.panel, limits=(Limit("recall", floor=0.01, classifiers=("rf",)),))
        scenario.produce(1)
        scenario.clock.moment = MONDAY + 2 * WEEK
        label_cycle(scenario)
        assert severities(scenario) == ["page", "resolved"]
        assert "no limit any more" in scenario.channel.received[1].body


class TestLimitsOnSegments:
    def test_of_a_segment_that_is_not_there_is_blind(self, make_scenario):
        limit = Limit("precision", floor=0.5, classifiers=("lr",), segment=Segment("country", "AT"))
        scenario = make_scenario(spec(limits=(limit,)))
        cycle = label_cycle(scenario)
        assert cycle_of(scenario, cycle).state == CycleState.JUDGED
        with scenario.ports.store.begin() as tx:
            (state,) = tx.alarms.current_states("spam")
        assert (state.state, state.key.segment) == (AlarmState.BLIND, "country=AT")
        assert severities(scenario) == ["warning"]

    def test_of_a_small_segment_are_judged_though_only_the_largest_are_reported(self, make_scenario, monkeypatch):
        monkeypatch.setattr(judging, "MOST_SEGMENTS", 1)
        limits = tuple(
            Limit("precision", floor=0.01, classifiers=("lr",), segment=Segment("country", c)) for c in ("DE", "FR")
        )
        scenario = make_scenario(spec(limits=limits, budget=300))
        label_cycle(scenario)
        with scenario.ports.store.begin() as tx:
            states = tx.alarms.current_states("spam")
        assert len(states) == 2
        assert AlarmState.BLIND not in {state.state for state in states}


class TestAJudgementThatFails:
    def test_is_told_and_does_not_stop_the_others(self, scenario, monkeypatch):
        (cycle,) = open_all(scenario)
        work_on(scenario, 2)

        def broken(*_args, **_kwargs):
            raise ZeroDivisionError("a bug")

        with monkeypatch.context() as patch:
            patch.setattr(judging, "load_labelled_cycle", broken)
            troubles = [advance(scenario.ports).troubles for _ in range(7)]
        assert all(trouble == (f"judge {cycle}: ZeroDivisionError: a bug",) for trouble in troubles)
        assert [notification.subject for notification in scenario.channel.received] == [
            f"spam is stuck: cycle {cycle} cannot be judged"
        ]
        advance(scenario.ports)
        assert cycle_of(scenario, cycle).state == CycleState.JUDGED


class TestTheQueueIsAway:
    def test_deadlines_pass_all_the_same(self, scenario):
        (cycle,) = open_all(scenario)
        advance(scenario.ports)

        def away(_cursor):
            raise unreachable()

        scenario.queue.poll = away
        scenario.clock.advance(days=4)
        assert advance(scenario.ports).troubles == (f"collect: {unreachable()}",)
        assert cycle_of(scenario, cycle).state == CycleState.JUDGED
        assert severities(scenario) == ["warning"]


class TestOpening:
    def test_one_panels_trouble_does_not_keep_the_others_shut(self, make_scenario):
        scenario = make_scenario()
        open_all(scenario)
        moved = spec(windows=WindowRule(MONDAY, timedelta(days=1)))
        other = spec(name="fraud")
        with pytest.raises(ConfigError, match="windows of panel 'spam'"):
            open_cycles(scenario.ports, {"spam": moved, "fraud": other})
        with scenario.ports.store.begin() as tx:
            assert len(tx.cycles.find(panel="fraud")) == 1


class TestTomorrowsLabels:
    def test_are_set_aside_and_do_not_outlast_todays_correction(self, labelled):
        cycle = only_cycle(labelled)
        key = labelled.queue.asked()[0]
        said = next(event for event in labelled.queue.said if event.item_key == key)
        other = "no" if said.value == "yes" else "yes"
        future = labelled.clock.now() + timedelta(days=20_000)  # later than the machine's clock, too
        labelled.queue.said.append(LabelEvent("fake", "future", key, "ann", other, future))
        labelled.clock.advance(hours=1)
        advance(labelled.ports)
        labelled.queue.said.append(LabelEvent("fake", "today", key, "ann", other, labelled.clock.now()))
        labelled.clock.advance(hours=1)
        advance(labelled.ports)
        with labelled.ports.store.begin() as tx:
            events = tx.labels.of_items([key], tx.panels.question_key(labelled.panel))
            revision = tx.estimates.latest(cycle).number
            (aside,) = [row for row in tx.cycles.quarantined() if row.kind == "label"]
        assert (revision, [event.event_id for event in events][1:]) == (2, ["today"])
        assert aside.reason == "a label that is dated in the future"
        assert [line["key"] for line in aside.content["lines"]] == [key]
