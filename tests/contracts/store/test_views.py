from importlib.resources import files

import pytest
from sqlalchemy import text

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.engine.model.alarm_records import StreamState
from tests.support.store.examples import (
    COUNTRY,
    MINUTE,
    NOW,
    STREAM,
    UNKNOWN,
    estimate,
    incident,
    open_cycle,
    planned_round,
    revision,
    said,
)


def rows(tx, query):
    return [tuple(row) for row in tx._sql.execute(text(query))]


def test_every_view_has_a_file_and_every_file_a_view(store):
    from sqlalchemy import inspect

    with store.begin() as tx:
        there = set(inspect(tx._sql).get_view_names())
    names = {
        file.name.removesuffix(".sql")
        for file in (files("stratawatch.sql") / "views").iterdir()
        if file.name.endswith(".sql")
    }
    assert there == names
    assert {"current_estimates", "label_ledger", "open_incidents"} < names


class TestCurrentEstimates:
    def ask(self, tx):
        query = "SELECT panel, metric, segment, value, low, high, undefined, state, period, revision FROM current_estimates ORDER BY panel, metric, coalesce(segment, '')"
        return rows(tx, query)

    def test_is_the_newest_revision_of_the_newest_window(self, store):
        with store.begin() as tx:
            late, early = open_cycle(tx, 1), open_cycle(tx, 0)
            tx.estimates.add(revision(early, 5, estimates=(estimate(result=IntervalEstimate(0.1, 0.0, 0.2, 9.0)),)))
            tx.estimates.add(revision(late, 1, estimates=(estimate(result=IntervalEstimate(0.2, 0.1, 0.3, 9.0)),)))
            tx.estimates.add(revision(late, 2, estimates=(estimate(result=IntervalEstimate(0.5, 0.25, 0.75, 9.0)),)))
            assert self.ask(tx) == [("spam", "precision", None, 0.5, 0.25, 0.75, None, None, 1, 2)]

    def test_keeps_segments_and_panels_apart_and_nulls_what_nobody_knows(self, store):
        known = IntervalEstimate(0.5, 0.25, 0.75, 9.0)
        with store.begin() as tx:
            cycle, other = open_cycle(tx), open_cycle(tx, panel="other")
            tx.estimates.add(
                revision(cycle, estimates=(estimate(result=UNKNOWN), estimate(segment=COUNTRY, result=known)))
            )
            tx.estimates.add(revision(other, estimates=(estimate("recall", result=known),)))
            assert self.ask(tx) == [
                ("other", "recall", None, 0.5, 0.25, 0.75, None, None, 0, 1),
                ("spam", "precision", None, None, None, None, UNKNOWN.reason, None, 0, 1),
                ("spam", "precision", "country=de", 0.5, 0.25, 0.75, None, None, 0, 1),
            ]

    def test_has_the_state_that_was_judged_with_the_revision(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            for number, state in ((1, AlarmState.OK), (2, AlarmState.BREACH)):
                tx.estimates.add(revision(cycle, number))
                tx.alarms.add_states([StreamState(STREAM, cycle, number, state, "", NOW)])
            assert [row[-3:] for row in self.ask(tx)] == [("BREACH", 0, 2)]

    def test_are_of_a_replaced_cycle_until_its_window_is_estimated_again(self, store):
        known = IntervalEstimate(0.5, 0.25, 0.75, 9.0)
        with store.begin() as tx:
            old = open_cycle(tx)
            tx.estimates.add(revision(old, estimates=(estimate(segment=COUNTRY, result=known),)))
            tx.cycles.replace(old, "corrected")
            new = open_cycle(tx)
            assert self.ask(tx) == [("spam", "precision", "country=de", 0.5, 0.25, 0.75, None, None, None, 1)]
            tx.estimates.add(revision(new, 2, estimates=(estimate(result=known),)))
            assert self.ask(tx) == [("spam", "precision", None, 0.5, 0.25, 0.75, None, None, 0, 2)]


class TestCurrentStates:
    def test_a_newer_window_without_an_estimate_hides_the_estimate_of_the_one_before(self, store):
        query = "SELECT state, reason, value, labels_used, revision FROM current_states"
        with store.begin() as tx:
            late, early = open_cycle(tx, 1), open_cycle(tx, 0)
            tx.estimates.add(revision(early, estimates=(estimate(result=IntervalEstimate(0.5, 0.25, 0.75, 9.0)),)))
            tx.alarms.add_states([StreamState(STREAM, early, 1, AlarmState.OK, "above", NOW)])
            ((*judged, _, revised),) = rows(tx, query)
            assert (judged, revised) == (["OK", "above", 0.5], 1)
            tx.alarms.add_states([StreamState(STREAM, late, 0, AlarmState.BLIND, "refused", NOW)])
            assert rows(tx, query) == [("BLIND", "refused", None, None, 0)]


class TestLabelLedger:
    def test_has_every_event_once_and_marks_the_word_in_force(self, store):
        events = [
            said("a", "1", "yes", "ann"),
            said("a", "2", "no", "ann", minutes=2),
            said("a", "3", "yes", "ann", minutes=1),  # came last, was said before
            said("a", "4", "yes", "bob"),
            said("b", "5", "yes", "ann"),
            said("b", "6", "retract", "ann"),
        ]
        with store.begin() as tx:
            planned_round(tx, 0)
            planned_round(tx, 1)  # drawn again: still one line an event
            tx.labels.add(events, NOW + MINUTE)
            found = rows(
                tx, "SELECT item, annotator, value, in_force, event_id, cycles FROM label_ledger ORDER BY event"
            )
        assert found == [
            ("a", "ann", "yes", 0, "1", 2),
            ("a", "ann", "no", 1, "2", 2),
            ("a", "ann", "yes", 0, "3", 2),
            ("a", "bob", "yes", 1, "4", 2),
            ("b", "ann", "yes", 0, "5", 2),
            ("b", "ann", "retract", 0, "6", 2),
        ]

    def test_tells_panels_apart_that_share_an_item(self, store):
        with store.begin() as tx:
            planned_round(tx)
            planned_round(tx, panel="other")
            tx.labels.add([said("a", "1"), said("a", "2", panel="other")], NOW)
            assert rows(tx, "SELECT panel, item, in_force FROM label_ledger ORDER BY panel") == [
                ("other", "a", 1),
                ("spam", "a", 1),
            ]


class TestOpenIncidents:
    @pytest.mark.parametrize("judged_later", [True, False])
    def test_are_those_without_an_end_with_what_was_last_said(self, store, judged_later):
        with store.begin() as tx:
            late, cycle = open_cycle(tx, 1), open_cycle(tx, 0)
            ended = tx.alarms.open_incident(incident(cycle, AlarmState.BLIND))
            tx.alarms.resolve_incident(ended, NOW)
            still = tx.alarms.open_incident(incident(cycle, AlarmState.BREACH))
            tx.alarms.add_states([StreamState(STREAM, cycle, 1, AlarmState.BREACH, "below", NOW)])
            if judged_later:
                tx.alarms.add_states([StreamState(STREAM, late, 1, AlarmState.AT_RISK, "better", NOW)])
            found = rows(
                tx, "SELECT incident, panel, metric, segment, kind, period, state_now, reason_now FROM open_incidents"
            )
            tx.cycles.replace(cycle, "corrected")
            (replaced,) = rows(tx, "SELECT period FROM open_incidents")
        now = ("AT RISK", "better") if judged_later else ("BREACH", "below")
        assert found == [(still, "spam", "precision", None, "BREACH", 0, *now)]
        assert replaced == (None,)
