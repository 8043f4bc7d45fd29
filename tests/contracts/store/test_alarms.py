from dataclasses import replace

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.model.alarm_records import StreamKey, StreamState
from stratawatch.errors import StaleState, StratawatchError
from tests.support.store.examples import MINUTE, NOW, STREAM, incident, open_cycle

SEGMENT = replace(STREAM, segment="country=de")


def state(cycle, revision=1, key=STREAM, to=AlarmState.OK):
    return StreamState(key, cycle, revision, to, f"{to} in {cycle}/{revision}", NOW)


class TestCurrent:
    def test_is_the_newest_window_then_the_newest_revision(self, store):
        with store.begin() as tx:
            late, early = open_cycle(tx, 1), open_cycle(tx, 0)
            tx.alarms.add_states([state(late, 1, to=AlarmState.BREACH)])
            tx.alarms.add_states([state(late, 2, to=AlarmState.AT_RISK)])
            tx.alarms.add_states([state(early, 7)])
            assert tx.alarms.current_states() == (state(late, 2, to=AlarmState.AT_RISK),)

    def test_keeps_streams_apart_the_whole_population_being_one_of_its_own(self, store):
        keys = [
            StreamKey("spam", "lr", "precision", segment) for segment in (None, "", "None", "country=de", "x" * 9999)
        ]
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.alarms.add_states([state(cycle, key=key) for key in keys])
            assert {s.key for s in tx.alarms.current_states()} == set(keys)

    def test_can_be_asked_for_one_panel(self, store):
        with store.begin() as tx:
            cycle, other = open_cycle(tx), open_cycle(tx, panel="other")
            tx.alarms.add_states([state(cycle), state(other, key=replace(STREAM, panel="other"))])
            assert [s.key.panel for s in tx.alarms.current_states("other")] == ["other"]
            assert len(tx.alarms.current_states()) == 2
            assert tx.alarms.current_states("nobody") == ()


class TestStates:
    def test_of_a_cycle_are_those_of_its_newest_revision(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.alarms.add_states([state(cycle, 0, to=AlarmState.BLIND), state(cycle, 0, SEGMENT, AlarmState.BLIND)])
            tx.alarms.add_states([state(cycle, 3), state(cycle, 3, SEGMENT)])
            assert tx.alarms.of_cycle(cycle) == (state(cycle, 3), state(cycle, 3, SEGMENT))

    @pytest.mark.parametrize("key", [STREAM, SEGMENT])
    def test_of_one_judgement_are_written_once(self, store, key):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.alarms.add_states([state(cycle, 1, key)])
            with pytest.raises(StaleState, match="judged by someone else"):
                tx.alarms.add_states([state(cycle, 1, key, AlarmState.BREACH)])

    def test_may_be_none_at_all(self, store):
        with store.begin() as tx:
            tx.alarms.add_states([])
            assert tx.alarms.of_cycle(open_cycle(tx)) == ()


class TestIncidents:
    def test_are_open_at_most_once_per_stream_and_kind(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            first = tx.alarms.open_incident(incident(cycle, AlarmState.BREACH))
            again = replace(incident(cycle, AlarmState.BREACH), dedup_key="another", opened_at=NOW + MINUTE)
            assert tx.alarms.open_incident(again) == first
            assert tx.alarms.incidents() == (replace(incident(cycle, AlarmState.BREACH), id=first),)

    def test_are_told_apart_by_kind_and_segment(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            kinds = [(AlarmState.BREACH, STREAM), (AlarmState.BLIND, STREAM), (AlarmState.BREACH, SEGMENT)]
            ids = [tx.alarms.open_incident(incident(cycle, kind, key)) for kind, key in kinds]
            assert len(set(ids)) == 3
            assert [i.kind for i in tx.alarms.open_incidents_of(STREAM)] == [AlarmState.BREACH, AlarmState.BLIND]
            assert [i.id for i in tx.alarms.open_incidents_of(SEGMENT)] == ids[2:]

    def test_that_ended_make_room_for_a_new_one(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            first = tx.alarms.open_incident(incident(cycle, AlarmState.BREACH))
            tx.alarms.resolve_incident(first, NOW + MINUTE)
            second = tx.alarms.open_incident(incident(cycle, AlarmState.BREACH))
            assert second != first
            assert [i.resolved_at for i in tx.alarms.incidents()] == [NOW + MINUTE, None]
            assert [i.id for i in tx.alarms.incidents(only_open=True)] == [second]

    def test_end_once(self, store):
        with store.begin() as tx:
            first = tx.alarms.open_incident(incident(open_cycle(tx), AlarmState.BREACH))
            tx.alarms.resolve_incident(first, NOW)
            tx.alarms.resolve_incident(first, NOW + MINUTE)
            assert tx.alarms.incidents()[0].resolved_at == NOW

    def test_keep_by_which_rule_they_were_paged_and_since_when(self, store):
        with store.begin() as tx:
            paged = replace(incident(open_cycle(tx), AlarmState.BREACH), rule="evidence", since=NOW, evidence=812.5)
            added = tx.alarms.open_incident(paged)
            assert tx.alarms.incidents() == (replace(paged, id=added),)

    def test_are_acknowledged_once(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            first, other = (
                tx.alarms.open_incident(incident(cycle, AlarmState.BREACH, key)) for key in (STREAM, SEGMENT)
            )
            tx.alarms.acknowledge_incident(first, NOW, "ann", "rolling back\0")
            tx.alarms.acknowledge_incident(first, NOW + MINUTE, "bob")
            found = {
                one.id: (one.acknowledged_at, one.acknowledged_by, one.acknowledged_why)
                for one in tx.alarms.incidents(only_open=True)
            }
            assert found == {first: (NOW, "ann", "rolling back\0"), other: (None, "", "")}

    def test_are_found_by_their_number(self, store):
        with store.begin() as tx:
            number = tx.alarms.open_incident(incident(open_cycle(tx), AlarmState.BREACH))
            assert tx.alarms.incident(number).id == number
            with pytest.raises(StratawatchError, match=f"there is no incident {number + 1}; `stratawatch alerts list`"):
                tx.alarms.incident(number + 1)

    def test_can_be_asked_for_one_panel_oldest_first(self, store):
        other = replace(STREAM, panel="other")
        with store.begin() as tx:
            cycle = open_cycle(tx)
            later = replace(incident(cycle, AlarmState.BREACH), opened_at=NOW + MINUTE)
            ids = [tx.alarms.open_incident(each) for each in (later, incident(cycle, AlarmState.BLIND))]
            tx.alarms.open_incident(incident(cycle, AlarmState.BREACH, other))
            assert [i.id for i in tx.alarms.incidents(panel="spam")] == ids[::-1]
