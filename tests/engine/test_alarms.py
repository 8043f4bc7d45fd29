"""Incidents: told once, in order, again when they come again, and ended when nobody watches any more."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.core.alarms.states import AlarmState
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
from tests.engine.test_loop import cycle_of, label_a_cycle, open_all
from tests.engine.town import MONDAY, WEEK, spec, unreachable, unusable


def relabel(town, value: str, **later: float) -> None:
    """The annotator changes every answer."""
    town.clock.pass_(**(later or {"hours": 1}))
    now = town.clock.now()
    town.queue.said += [
        LabelEvent("fake", f"{now.isoformat()}:{key}", key, "ann", value, now) for key in town.queue.asked()
    ]
    advance(town.ports)


def severities(town) -> list[str]:
    return [told.severity for told in town.desk.told]


class TestTheSameWindow:
    def test_pages_again_when_it_breaches_again(self, make_town):
        town = make_town(spec(budget=400))
        town.produce(0, quality=0.2)
        label_a_cycle(town)
        relabel(town, "yes")
        relabel(town, "no")
        assert severities(town) == ["page", "resolved", "page"]
        keys = [told.dedup_key for told in town.desk.told]
        assert keys[0] == keys[1] != keys[2]

    def test_refused_again_is_told_again(self, town):
        (cycle,) = open_all(town)
        town.source.troubles = [unusable()]
        advance(town.ports)
        reopen_cycle(town.ports, cycle, "mended")
        for _ in range(3):
            town.clock.pass_(hours=1)
            advance(town.ports)
            town.queue.answer(town.clock.now())
        assert severities(town) == ["warning", "resolved"]


class TestOrder:
    def test_an_end_does_not_overtake_its_page(self, make_town):
        town = make_town(spec(budget=400))
        town.produce(0, quality=0.2)
        town.desk.troubles = [unreachable()]
        label_a_cycle(town)
        relabel(town, "yes", seconds=10)
        assert severities(town) == []
        town.clock.pass_(minutes=2)
        advance(town.ports)
        assert severities(town) == ["page", "resolved"]


class TestUnwatched:
    def test_a_breach_ends_when_its_limit_goes(self, make_town):
        town = make_town(spec(budget=400))
        town.produce(0, quality=0.2)
        label_a_cycle(town)
        town.panel = replace(town.panel, limits=(Limit("recall", floor=0.01, classifiers=("rf",)),))
        town.produce(1)
        town.clock.moment = MONDAY + 2 * WEEK
        label_a_cycle(town)
        assert severities(town) == ["page", "resolved"]
        assert "no limit any more" in town.desk.told[1].body


class TestLimitsOnSegments:
    def test_of_a_segment_that_is_not_there_is_blind(self, make_town):
        limit = Limit("precision", floor=0.5, classifiers=("lr",), segment=Segment("country", "AT"))
        town = make_town(spec(limits=(limit,)))
        cycle = label_a_cycle(town)
        assert cycle_of(town, cycle).state == CycleState.JUDGED
        with town.ports.store.begin() as tx:
            (state,) = tx.alarms.current("spam")
        assert (state.state, state.key.segment) == (AlarmState.BLIND, "country=AT")
        assert severities(town) == ["warning"]

    def test_of_a_small_segment_are_judged_though_only_the_largest_are_reported(self, make_town, monkeypatch):
        monkeypatch.setattr(judging, "MOST_SEGMENTS", 1)
        limits = tuple(
            Limit("precision", floor=0.01, classifiers=("lr",), segment=Segment("country", c)) for c in ("DE", "FR")
        )
        town = make_town(spec(limits=limits, budget=300))
        label_a_cycle(town)
        with town.ports.store.begin() as tx:
            states = tx.alarms.current("spam")
        assert len(states) == 2
        assert AlarmState.BLIND not in {state.state for state in states}


class TestAJudgementThatFails:
    def test_is_told_and_does_not_stop_the_others(self, town, monkeypatch):
        (cycle,) = open_all(town)
        for _ in range(2):
            town.clock.pass_(hours=1)
            advance(town.ports)
            town.queue.answer(town.clock.now())

        def broken(*_args, **_kwargs):
            raise ZeroDivisionError("a bug")

        with monkeypatch.context() as patch:
            patch.setattr(judging, "load_labelled_cycle", broken)
            troubles = [advance(town.ports).troubles for _ in range(7)]
        assert all(trouble == (f"judge {cycle}: ZeroDivisionError: a bug",) for trouble in troubles)
        assert [told.subject for told in town.desk.told] == [f"spam is stuck: cycle {cycle} cannot be judged"]
        advance(town.ports)
        assert cycle_of(town, cycle).state == CycleState.JUDGED


class TestTheQueueIsAway:
    def test_deadlines_pass_all_the_same(self, town):
        (cycle,) = open_all(town)
        advance(town.ports)

        def away(_cursor):
            raise unreachable()

        town.queue.poll = away
        town.clock.pass_(days=4)
        assert advance(town.ports).troubles == (f"collect: {unreachable()}",)
        assert cycle_of(town, cycle).state == CycleState.JUDGED
        assert severities(town) == ["warning"]


class TestOpening:
    def test_one_panels_trouble_does_not_keep_the_others_shut(self, make_town):
        town = make_town()
        open_all(town)
        moved = spec(windows=WindowRule(MONDAY, timedelta(days=1)))
        other = spec(name="fraud")
        with pytest.raises(ConfigError, match="windows of panel 'spam'"):
            open_cycles(town.ports, {"spam": moved, "fraud": other})
        with town.ports.store.begin() as tx:
            assert len(tx.cycles.find(panel="fraud")) == 1


class TestTomorrowsLabels:
    def test_do_not_outlast_todays_correction(self, town):
        cycle = label_a_cycle(town)
        key = town.queue.asked()[0]
        said = next(event for event in town.queue.said if event.item_key == key)
        other = "no" if said.value == "yes" else "yes"
        future = town.clock.now() + timedelta(days=20_000)
        town.queue.said.append(LabelEvent("fake", "future", key, "ann", other, future))
        town.clock.pass_(hours=1)
        advance(town.ports)
        town.queue.said.append(LabelEvent("fake", "today", key, "ann", said.value, town.clock.now()))
        town.clock.pass_(hours=1)
        advance(town.ports)
        with town.ports.store.begin() as tx:
            first, last = (tx.estimates.latest(cycle).number, tx.labels.of_items([key])[-1].event_id)
        assert (first, last) == (3, "today")
