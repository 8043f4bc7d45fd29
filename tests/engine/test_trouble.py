"""When things go wrong: refused input, unreachable ports, stale states, repeated steps."""

from contextlib import suppress
from datetime import timedelta

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.alarms.failures import WARN_AFTER
from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.cycle.advance import advance, ids_due, panels_due
from stratawatch.engine.cycle.freeze_cycle import freeze_cycle
from stratawatch.engine.cycle.judge_cycle import judge_cycle
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.cycle.operator_actions import cancel_cycle, reopen_cycle, resend_batches
from stratawatch.engine.cycle.plan_round import plan_round
from stratawatch.engine.cycle.settle_cycle import settle_cycle
from stratawatch.engine.labels.dispatch_batch import MOST_SENDS, dispatch_batch
from stratawatch.engine.labels.dispatch_batch import WARN_AFTER as SENDS_WARN_AFTER
from stratawatch.engine.model.panel_spec import WindowRule
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.states import BatchState, CycleState
from stratawatch.errors import ConfigError, StratawatchError
from tests.support.fakes import MONDAY, WEEK, spec, unreachable, unusable
from tests.support.scenario import cycle_of, label_cycle, only_cycle, open_all, work_on


def advance_the_queue_down(scenario, times: int) -> None:
    """Advance once, then only try to send, while the queue does not answer."""
    scenario.queue.troubles = [unreachable() for _ in range(times)]
    advance(scenario.ports)
    while scenario.queue.troubles:
        for batch in ids_due(scenario.ports, "dispatch", "spam"):
            with suppress(StratawatchError):
                dispatch_batch(scenario.ports, batch)


class TestRefusedInput:
    def test_is_told_with_its_reason_and_blinds_the_panel(self, scenario):
        (cycle,) = open_all(scenario)
        scenario.source.troubles = [unusable()]
        advance(scenario.ports)
        assert cycle_of(scenario, cycle).state == CycleState.REFUSED
        assert "score_lr" in cycle_of(scenario, cycle).reason
        with scenario.ports.store.begin() as tx:
            (state,) = tx.alarms.current_states("spam")
        assert state.state == AlarmState.BLIND
        (notification,) = scenario.channel.received
        assert "score_lr" in notification.body

    def test_is_told_even_without_any_limit(self, make_scenario):
        scenario = make_scenario(spec(limits=()))
        open_all(scenario)
        scenario.source.troubles = [unusable()]
        advance(scenario.ports)
        assert [n.severity for n in scenario.channel.received] == ["warning"]

    def test_an_empty_window_is_refused(self, scenario):
        scenario.source.windows.clear()
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        assert "has no rows" in cycle_of(scenario, cycle).reason

    def test_keeps_the_bad_rows(self, scenario):
        scenario.check.refusal, scenario.check.bad = (
            "too many bad rows",
            (QuarantinedRow("prediction", "i1", "score is NaN"),),
        )
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        with scenario.ports.store.begin() as tx:
            assert [row.key for row in tx.cycles.quarantined(cycle)] == ["i1"]

    def test_can_be_reopened_once_mended(self, scenario):
        (cycle,) = open_all(scenario)
        scenario.source.troubles = [unusable()]
        advance(scenario.ports)
        reopen_cycle(scenario.ports, cycle, "column restored")
        work_on(scenario, 4)
        assert cycle_of(scenario, cycle).state == CycleState.JUDGED
        assert [n.severity for n in scenario.channel.received] == ["warning", "resolved"]

    def test_refused_twice_and_then_judged_keeps_every_state(self, scenario):
        (cycle,) = open_all(scenario)
        for _ in range(2):
            scenario.source.troubles = [unusable()]
            advance(scenario.ports)
            reopen_cycle(scenario.ports, cycle, "again")
        work_on(scenario, 4)
        with scenario.ports.store.begin() as tx:
            (state,) = tx.alarms.current_states("spam")
        assert state.state != AlarmState.BLIND


class TestAnUnreachableSource:
    def test_is_tried_again_and_gives_the_same_draw(self, scenario, make_scenario):
        calm = make_scenario()
        label_cycle(calm)
        (cycle,) = open_all(scenario)
        scenario.source.troubles = [unreachable()]
        assert "did not answer" in advance(scenario.ports).troubles[0]
        assert cycle_of(scenario, cycle).failures == 1
        for _ in range(4):
            advance(scenario.ports)
            scenario.queue.answer(scenario.clock.now())
        assert scenario.queue.asked() == calm.queue.asked()

    def test_is_read_after_those_that_can_be_read(self, scenario):
        scenario.clock.advance(days=7)
        first, second = open_all(scenario)
        scenario.source.troubles = [unreachable()]
        with suppress(StratawatchError):
            freeze_cycle(scenario.ports, first)
        assert cycle_of(scenario, first).failures == 1
        assert ids_due(scenario.ports, "freeze", "spam") == (second, first)
        open_cycles(scenario.ports, {"zebra": spec(name="zebra")})
        assert list(panels_due(scenario.ports))[-1] == "spam"

    def test_is_told_after_some_attempts_and_refused_after_many(self, scenario, monkeypatch):
        monkeypatch.setattr("stratawatch.engine.cycle.freeze_cycle.MOST_READS", 12)
        (cycle,) = open_all(scenario)
        scenario.source.troubles = [unreachable() for _ in range(12)]
        for _ in range(11):
            advance(scenario.ports)
        assert cycle_of(scenario, cycle).state == CycleState.OPEN
        assert [n.subject for n in scenario.channel.received] == ["spam is stuck: cycle 1 cannot be read"]
        advance(scenario.ports)
        assert cycle_of(scenario, cycle).state == CycleState.REFUSED
        assert "BLIND" in scenario.channel.received[1].subject
        assert len(scenario.channel.received) == 2

    def test_that_comes_back_needs_nobody(self, scenario):
        (cycle,) = open_all(scenario)
        scenario.source.troubles = [unreachable() for _ in range(WARN_AFTER + 3)]
        for _ in range(WARN_AFTER + 4):
            advance(scenario.ports)
        assert cycle_of(scenario, cycle).state == CycleState.LABELLING
        assert cycle_of(scenario, cycle).failures == 0

    def test_is_treated_alike_when_it_fails_by_a_bug(self, scenario, monkeypatch):
        monkeypatch.setattr("stratawatch.engine.cycle.freeze_cycle.MOST_READS", 7)
        (cycle,) = open_all(scenario)
        scenario.source.troubles = [ZeroDivisionError("a bug") for _ in range(7)]
        assert "freeze 1: ZeroDivisionError: a bug" in advance(scenario.ports).troubles
        for _ in range(6):
            advance(scenario.ports)
        assert cycle_of(scenario, cycle).state == CycleState.REFUSED
        assert "ZeroDivisionError" in cycle_of(scenario, cycle).reason

    def test_that_changes_between_the_queries_is_read_again(self, scenario):
        (cycle,) = open_all(scenario)
        whole = scenario.source.candidates
        scenario.source.candidates = lambda *args: whole(*args)[:-5]
        assert "changed while it was read" in advance(scenario.ports).troubles[0]
        assert cycle_of(scenario, cycle).state == CycleState.OPEN
        del scenario.source.candidates
        advance(scenario.ports)
        assert cycle_of(scenario, cycle).state == CycleState.LABELLING


class TestAnUnreachableQueue:
    def test_keeps_the_batch_and_sends_it_later(self, scenario):
        open_all(scenario)
        scenario.queue.troubles = [unreachable()]
        assert advance(scenario.ports).troubles
        advance(scenario.ports)
        assert sorted(scenario.queue.sends) == sorted(scenario.queue.published)

    def test_is_told_and_ends_in_a_failed_batch_that_can_be_sent_again(self, make_scenario):
        scenario = make_scenario(spec(batch_size=500, deadline=timedelta(days=30)))
        (cycle,) = open_all(scenario)
        advance_the_queue_down(scenario, MOST_SENDS)
        with scenario.ports.store.begin() as tx:
            (batch,) = tx.rounds.batches(cycle_id=cycle)
        assert batch.state == BatchState.FAILED
        send_notifications(scenario.ports)
        assert [n.severity for n in scenario.channel.received] == ["warning", "warning"]
        assert resend_batches(scenario.ports, cycle, "queue is back") == 1
        advance(scenario.ports)
        assert len(scenario.queue.sends) == 1

    def test_that_is_back_before_it_is_given_up_needs_nobody(self, make_scenario):
        scenario = make_scenario(spec(batch_size=500))
        open_all(scenario)
        advance_the_queue_down(scenario, SENDS_WARN_AFTER + 3)
        advance(scenario.ports)
        assert len(scenario.queue.sends) == 1

    def test_a_claim_keeps_a_second_sender_away(self, scenario):
        open_all(scenario)
        scenario.queue.troubles = [unreachable() for _ in range(9)]
        advance(scenario.ports)
        scenario.queue.troubles = []
        batch = ids_due(scenario.ports, "dispatch", "spam")[0]
        with scenario.ports.store.begin() as tx:
            now = scenario.clock.now()
            assert tx.rounds.claim(batch, "someone else", now, now + WEEK)
            tx.commit()
        assert dispatch_batch(scenario.ports, batch) == BatchState.PLANNED
        assert scenario.queue.sends == []


class TestAnUnreachableChannel:
    def test_is_tried_again_with_growing_pauses_and_not_given_up(self, scenario):
        open_all(scenario)
        scenario.source.troubles = [unusable()]
        scenario.channel.troubles = [unreachable() for _ in range(20)]
        tries = []
        for _ in range(12):
            before = len(scenario.channel.troubles)
            advance(scenario.ports)
            tries.append(before - len(scenario.channel.troubles))
            scenario.clock.advance(minutes=2**10)
        assert tries == [1] * 12
        with scenario.ports.store.begin() as tx:
            assert [n.state for n in tx.outbox.all()] == ["pending"]

    def test_waits_before_it_tries_again(self, scenario):
        open_all(scenario)
        scenario.source.troubles = [unusable()]
        scenario.channel.troubles = [unreachable()]
        advance(scenario.ports)
        advance(scenario.ports)
        assert scenario.channel.received == []
        scenario.clock.advance(minutes=1)
        advance(scenario.ports)
        assert len(scenario.channel.received) == 1


class TestRepeating:
    def test_any_step_ten_times_changes_nothing(self, scenario):
        (cycle,) = open_all(scenario)
        for _ in range(10):
            open_all(scenario)
            freeze_cycle(scenario.ports, cycle)
        for _ in range(10):
            plan_round(scenario.ports, cycle)
        for _ in range(10):
            for batch in ids_due(scenario.ports, "dispatch", "spam"):
                dispatch_batch(scenario.ports, batch)
        assert len(scenario.queue.asked()) == 48
        scenario.queue.answer(scenario.clock.now())
        for _ in range(10):
            advance(scenario.ports)
        assert len(scenario.queue.asked()) == len(set(scenario.queue.asked())) == scenario.panel.budget
        scenario.queue.answer(scenario.clock.now())
        for _ in range(10):
            advance(scenario.ports)
            settle_cycle(scenario.ports, cycle)
            judge_cycle(scenario.ports, cycle)
        with scenario.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == 1
            moves = tx.cycles.transitions()
        assert len({(m.entity, m.entity_id, m.old, m.new) for m in moves}) == len(moves)
        assert len(scenario.queue.sends) == len(scenario.queue.published)

    def test_the_same_scenario_draws_the_same_items(self, scenario, make_scenario):
        other = make_scenario()
        label_cycle(scenario)
        label_cycle(other)
        assert scenario.queue.asked() == other.queue.asked()

    def test_another_seed_draws_other_items(self, scenario, make_scenario):
        other = make_scenario(spec(seed="s2"))
        label_cycle(scenario)
        label_cycle(other)
        assert set(scenario.queue.asked()) != set(other.queue.asked())


class TestByHand:
    def test_a_cancelled_cycle_withdraws_its_batches(self, scenario):
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        cancel_cycle(scenario.ports, cycle, "wrong question")
        assert cycle_of(scenario, cycle).state == CycleState.CANCELLED
        advance(scenario.ports)
        assert scenario.queue.cancelled == list(scenario.queue.published)
        scenario.queue.answer(scenario.clock.now())
        advance(scenario.ports)
        assert cycle_of(scenario, cycle).state == CycleState.CANCELLED

    def test_a_withdrawal_that_did_not_reach_the_queue_is_made_at_the_next_advance(self, scenario, monkeypatch):
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        cancel_cycle(scenario.ports, cycle, "wrong question")

        def stopped(_keys):
            raise unreachable()

        with monkeypatch.context() as patch:
            patch.setattr(scenario.queue, "cancel", stopped)
            assert advance(scenario.ports).troubles
        assert scenario.queue.cancelled == []
        advance(scenario.ports)
        advance(scenario.ports)
        assert scenario.queue.cancelled == list(scenario.queue.published)

    def test_a_judged_cycle_cannot_be_cancelled_nor_reopened(self, labelled):
        cycle = only_cycle(labelled)
        with pytest.raises(StratawatchError, match="cannot be cancelled"):
            cancel_cycle(labelled.ports, cycle, "x")
        with pytest.raises(StratawatchError, match="cannot be reopened"):
            reopen_cycle(labelled.ports, cycle, "x")


class TestWindows:
    def test_may_not_change_under_a_panel(self, scenario):
        open_all(scenario)
        changed = spec(windows=WindowRule(MONDAY, WEEK / 7))
        with pytest.raises(ConfigError, match="windows of panel 'spam' changed"):
            open_cycles(scenario.ports, {"spam": changed})

    def test_an_unknown_panel_of_the_source_is_a_trouble_not_a_crash(self, scenario):
        open_all(scenario)
        ports = type(scenario.ports)(scenario.ports.store, scenario.clock, {}, scenario.check, scenario.queue, {})
        assert "no source any more" in advance(ports).troubles[0]

    def test_a_changed_specification_starts_at_the_next_cycle(self, labelled):
        labelled.produce(1)
        labelled.clock.moment = MONDAY + 2 * WEEK
        bigger = spec(budget=200)
        (cycle,) = open_cycles(labelled.ports, {"spam": bigger})
        with labelled.ports.store.begin() as tx:
            assert tx.panels.get(cycle_of(labelled, cycle).panel_version).budget == 200
            first = tx.cycles.find(panel="spam")[0]
            assert tx.panels.get(first.panel_version).budget == 120
