"""What hides metrics is one incident for each cause, over windows: told once, followed, and ended when it is over."""

import re
from dataclasses import replace

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState, BlindCause, Judgement
from stratawatch.core.goals import Limit
from stratawatch.engine.alarms.acknowledgements import acknowledge_incident
from stratawatch.engine.alarms.alarm_streams import record_judgements, watched_streams
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.alarm_records import Incident
from stratawatch.engine.model.evidence_records import Page
from stratawatch.engine.ports import Ports
from tests.support.deliveries import open_incidents, outbox
from tests.support.fakes import MONDAY, WEEK, FakeChannel, spec, unreachable
from tests.support.scenario import label_weeks, open_all, severities

NO_LABELS, FEW_LABELS, REFUSED = BlindCause.NO_LABELS, BlindCause.FEW_LABELS, BlindCause.REFUSED
FOUR = spec(limits=tuple(Limit(metric, floor=0.1) for metric in ("precision", "recall")))


def wait_in_vain(scenario, *periods: int) -> None:
    """Windows whose labels never come, each judged after its deadline."""
    for period in periods:
        scenario.produce(period)
        scenario.clock.moment = MONDAY + (period + 1) * WEEK
        open_all(scenario)
        advance(scenario.ports)
        scenario.clock.advance(days=4)
        advance(scenario.ports)
        advance(scenario.ports)


@pytest.fixture
def judge(make_scenario):
    """Judge one window again and again: of each stream that is named, by its place, what hides it; or nothing."""
    scenario = make_scenario(FOUR)
    (cycle_id,) = open_all(scenario)
    keys = sorted(watched_streams(FOUR), key=str)
    scenario.number = 0

    def judged(*causes: BlindCause | None, ports: Ports | None = None) -> None:
        scenario.number += 1
        said = {
            key: Judgement(AlarmState.BLIND, f"hidden: {cause}", cause) if cause else Judgement(AlarmState.OK, "fine")
            for key, cause in zip(keys, causes, strict=False)
        }
        with scenario.ports.store.begin() as tx:
            record_judgements(tx, ports or scenario.ports, tx.cycles.get(cycle_id), scenario.number, said)
            tx.commit()

    judged.scenario, judged.keys, judged.cycle_id = scenario, keys, cycle_id
    return judged


def subjects(scenario) -> list[str]:
    return [one.subject for one in outbox(scenario)]


class TestAQueueWithoutLabels:
    def test_is_one_incident_over_all_limits_and_windows(self, make_scenario):
        scenario = make_scenario(FOUR)
        wait_in_vain(scenario, 0, 1, 2)
        (notification,) = scenario.channel.received
        assert notification.subject == "BLIND: spam cannot tell 4 of its metrics: no label came"
        assert "precision of lr, rf; recall of lr, rf" in notification.body
        assert re.match(r"0 of \d+ items were answered: look at the queue\.\n", notification.body)
        assert len({one.dedup_key for one in open_incidents(scenario)}) == 1
        label_weeks(scenario, 3)
        assert severities(scenario) == ["warning", "resolved"]
        end = scenario.channel.received[1]
        assert end.subject == "RESOLVED: spam can tell again"
        assert end.body.startswith("No label came since the window of 2026-01-05.")
        assert end.dedup_key == notification.dedup_key
        assert open_incidents(scenario) == ()

    def test_is_over_where_a_baseline_goes_on_missing(self, make_scenario):
        limits = (Limit("precision", floor=0.1), Limit("recall", max_drop=0.1, classifiers=("rf",)))
        scenario = make_scenario(spec(limits=limits))
        wait_in_vain(scenario, 0)
        label_weeks(scenario, 1)
        assert subjects(scenario) == [
            "BLIND: spam cannot tell 3 of its metrics: no label came",
            "RESOLVED: spam can tell 2 of 3 metrics again",
            "BLIND: spam cannot tell one of its metrics: baselines are missing",
        ]
        (left,) = open_incidents(scenario)
        assert ":blind:no-baseline:" in left.dedup_key


class TestMembers:
    def test_that_join_and_leave_are_told_under_the_same_key(self, judge):
        judge(NO_LABELS, NO_LABELS)
        judge(NO_LABELS, NO_LABELS, NO_LABELS, NO_LABELS)
        judge(None, NO_LABELS, NO_LABELS, NO_LABELS)
        judge(None, None, None, None)
        rows = outbox(judge.scenario)
        assert [(one.severity, one.state) for one in rows] == [
            ("warning", "pending"),
            ("update", "superseded"),
            ("update", "superseded"),
            ("resolved", "pending"),
        ]
        assert len({one.dedup_key for one in rows}) == 1
        joined, left = rows[1:3]
        assert joined.subject == "STILL BLIND: spam cannot tell 4 of its metrics: no label came"
        assert "New: precision of rf; recall of rf." in joined.body
        assert "2 metrics before" in joined.body
        assert "No longer: precision of lr." in left.body
        assert len(left.facts["streams"]) == 3

    def test_that_stay_say_nothing_however_often_they_are_judged(self, judge):
        for _ in range(10):
            judge(NO_LABELS, NO_LABELS)
        assert len(outbox(judge.scenario)) == 1
        assert len(open_incidents(judge.scenario)) == 2

    def test_that_go_while_others_come_keep_the_incident(self, judge):
        judge(NO_LABELS, NO_LABELS, None, None)
        judge(None, None, NO_LABELS, NO_LABELS)
        assert [one.severity for one in outbox(judge.scenario)] == ["warning", "update"]
        assert len({one.dedup_key for one in open_incidents(judge.scenario)}) == 1

    def test_that_join_what_somebody_looks_after_ask_nobody_anew(self, judge):
        judge(NO_LABELS)
        acknowledge_incident(judge.scenario.ports, 1)
        judge(NO_LABELS, NO_LABELS)
        assert [one.severity for one in outbox(judge.scenario)].count("warning") == 1


class TestAnotherCause:
    def test_takes_its_streams_along_and_ends_the_first(self, judge):
        judge(FEW_LABELS, FEW_LABELS)
        judge(NO_LABELS, NO_LABELS)
        assert subjects(judge.scenario) == [
            "BLIND: spam cannot tell 2 of its metrics: labels say too little",
            "RESOLVED: spam is BLIND for another reason now",
            "BLIND: spam cannot tell 2 of its metrics: no label came",
        ]
        assert {one.resolved_at is None for one in open_incidents(judge.scenario)} == {True}
        assert len(open_incidents(judge.scenario)) == 2

    def test_of_some_leaves_the_others_where_they_are(self, judge):
        judge(FEW_LABELS, REFUSED)
        judge(REFUSED, REFUSED)
        assert sorted(one.dedup_key.split(":")[3] for one in open_incidents(judge.scenario)) == ["refused", "refused"]
        judge(None, None)
        assert [one.severity for one in outbox(judge.scenario)].count("resolved") == 2

    def test_that_comes_again_is_another_incident(self, judge):
        judge(NO_LABELS)
        judge(None)
        judge(NO_LABELS)
        assert [one.severity for one in outbox(judge.scenario)] == ["warning", "resolved", "warning"]
        assert len({one.dedup_key for one in outbox(judge.scenario)}) == 2

    def test_does_not_part_what_an_older_program_told_together(self, judge):
        old = "stratawatch:spam:blind:0.0"
        with judge.scenario.ports.store.begin() as tx:
            for key in judge.keys[:2]:
                incident = Incident(0, key, AlarmState.BLIND, old, judge.cycle_id, MONDAY + WEEK)
                tx.alarms.open_incident(incident)
            tx.commit()
        judge(NO_LABELS, REFUSED, NO_LABELS)
        assert [one.dedup_key for one in open_incidents(judge.scenario)][:2] == [old, old]
        judge(None, None, NO_LABELS)
        assert [one.dedup_key.split(":")[3] for one in open_incidents(judge.scenario)] == ["no-labels"]


class TestABreach:
    def test_stays_its_own_incident_when_its_stream_goes_blind(self, judge):
        key, scenario = judge.keys[0], judge.scenario
        page = {key: Page("window", "outside", MONDAY)}
        with scenario.ports.store.begin() as tx:
            said = {key: Judgement(AlarmState.BREACH, "outside")}
            record_judgements(tx, scenario.ports, tx.cycles.get(judge.cycle_id), 0, said, pages=page)
            tx.commit()
        judge(NO_LABELS, NO_LABELS)
        assert sorted(one.kind for one in open_incidents(scenario)) == ["BLIND", "BLIND", "BREACH"]
        judge(None, None)
        assert [one.severity for one in outbox(scenario)].count("resolved") == 2


class TestAChannelThatWasNotThere:
    def test_is_told_of_all_streams_that_the_cause_hides(self, judge):
        scenario = judge.scenario
        judge(NO_LABELS, NO_LABELS, ports=replace(scenario.ports, channels={}))
        judge(NO_LABELS, NO_LABELS, NO_LABELS, ports=replace(scenario.ports, channels={}))
        scenario.ports = replace(scenario.ports, channels={"late": (late := FakeChannel("late"))})
        advance(scenario.ports)
        assert [one.subject for one in late.received] == ["BLIND: spam cannot tell 3 of its metrics: no label came"]


class TestASourceThatFails:
    def test_is_one_warning_however_many_windows_wait_for_it(self, make_scenario):
        scenario = make_scenario()
        for period in (0, 1):
            scenario.produce(period)
            scenario.clock.moment = MONDAY + (period + 1) * WEEK
            open_all(scenario)
            scenario.source.troubles = [unreachable() for _ in range(99)]
            for _ in range(6):
                scenario.clock.advance(minutes=5)
                advance(scenario.ports)
        assert severities(scenario) == ["warning", "update"]
        assert len({one.dedup_key for one in scenario.channel.received}) == 1
        assert scenario.channel.received[1].subject == "spam is still stuck: cycle 2 cannot be read either"
