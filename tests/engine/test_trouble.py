"""When things go wrong: refused input, unreachable ports, stale states, repeated steps."""

import subprocess
from contextlib import suppress
from datetime import timedelta
from platform import node
from time import sleep

import pytest

from stratawatch.core.alarms.states import AlarmState
from stratawatch.engine.alarms.failures import WARN_AFTER
from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.cycle.advance import ADVANCE_LEASE, advance, due
from stratawatch.engine.cycle.freeze_cycle import freeze_cycle
from stratawatch.engine.cycle.judge_cycle import judge_cycle
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.cycle.operator_actions import cancel_cycle, reopen_cycle, resend_batches
from stratawatch.engine.cycle.plan_round import plan_round
from stratawatch.engine.cycle.settle_cycle import settle_cycle
from stratawatch.engine.labels.dispatch_batch import MOST_SENDS, dispatch_batch
from stratawatch.engine.labels.dispatch_batch import WARN_AFTER as SENDS_WARN_AFTER
from stratawatch.engine.lease import hold_lease
from stratawatch.engine.model.panel_spec import WindowRule
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.states import BatchState, CycleState
from stratawatch.engine.ports.clock import SystemClock
from stratawatch.errors import ConfigError, LeaseHeld, StratawatchError
from tests.engine.test_loop import cycle_of, label_a_cycle, open_all
from tests.engine.town import MONDAY, WEEK, spec, unreachable, unusable


def advance_the_queue_down(town, times: int) -> None:
    """Advance once, then only try to send, while the queue does not answer."""
    town.queue.troubles = [unreachable() for _ in range(times)]
    advance(town.ports)
    while town.queue.troubles:
        for batch in due(town.ports).dispatch:
            with suppress(StratawatchError):
                dispatch_batch(town.ports, batch)


class TestRefusedInput:
    def test_is_told_with_its_reason_and_blinds_the_panel(self, town):
        (cycle,) = open_all(town)
        town.source.troubles = [unusable()]
        advance(town.ports)
        assert cycle_of(town, cycle).state == CycleState.REFUSED
        assert "score_lr" in cycle_of(town, cycle).reason
        with town.ports.store.begin() as tx:
            (state,) = tx.alarms.current("spam")
        assert state.state == AlarmState.BLIND
        (told,) = town.desk.told
        assert "score_lr" in told.body

    def test_is_told_even_without_any_limit(self, make_town):
        town = make_town(spec(limits=()))
        open_all(town)
        town.source.troubles = [unusable()]
        advance(town.ports)
        assert [n.severity for n in town.desk.told] == ["warning"]

    def test_an_empty_window_is_refused(self, town):
        town.source.windows.clear()
        (cycle,) = open_all(town)
        advance(town.ports)
        assert "has no rows" in cycle_of(town, cycle).reason

    def test_keeps_the_bad_rows(self, town):
        town.check.refusal, town.check.bad = "too many bad rows", (QuarantinedRow("prediction", "i1", "score is NaN"),)
        (cycle,) = open_all(town)
        advance(town.ports)
        with town.ports.store.begin() as tx:
            assert [row.key for row in tx.cycles.quarantined(cycle)] == ["i1"]

    def test_can_be_reopened_once_mended(self, town):
        (cycle,) = open_all(town)
        town.source.troubles = [unusable()]
        advance(town.ports)
        reopen_cycle(town.ports, cycle, "column restored")
        for _ in range(4):
            town.clock.pass_(hours=1)
            advance(town.ports)
            town.queue.answer(town.clock.now())
        assert cycle_of(town, cycle).state == CycleState.JUDGED
        assert [n.severity for n in town.desk.told] == ["warning", "resolved"]

    def test_refused_twice_and_then_judged_keeps_every_state(self, town):
        (cycle,) = open_all(town)
        for _ in range(2):
            town.source.troubles = [unusable()]
            advance(town.ports)
            reopen_cycle(town.ports, cycle, "again")
        for _ in range(4):
            town.clock.pass_(hours=1)
            advance(town.ports)
            town.queue.answer(town.clock.now())
        with town.ports.store.begin() as tx:
            (state,) = tx.alarms.current("spam")
        assert state.state != AlarmState.BLIND


class TestAnUnreachableSource:
    def test_is_tried_again_and_gives_the_same_draw(self, town, make_town):
        calm = make_town()
        label_a_cycle(calm)
        (cycle,) = open_all(town)
        town.source.troubles = [unreachable()]
        assert "did not answer" in advance(town.ports).troubles[0]
        assert cycle_of(town, cycle).failures == 1
        for _ in range(4):
            advance(town.ports)
            town.queue.answer(town.clock.now())
        assert town.queue.asked() == calm.queue.asked()

    def test_is_told_after_some_attempts_and_refused_after_many(self, town, monkeypatch):
        monkeypatch.setattr("stratawatch.engine.cycle.freeze_cycle.MOST_READS", 12)
        (cycle,) = open_all(town)
        town.source.troubles = [unreachable() for _ in range(12)]
        for _ in range(11):
            advance(town.ports)
        assert cycle_of(town, cycle).state == CycleState.OPEN
        assert [n.subject for n in town.desk.told] == ["spam is stuck: cycle 1 cannot be read"]
        advance(town.ports)
        assert cycle_of(town, cycle).state == CycleState.REFUSED
        assert "BLIND" in town.desk.told[1].subject
        assert len(town.desk.told) == 2

    def test_that_comes_back_needs_nobody(self, town):
        (cycle,) = open_all(town)
        town.source.troubles = [unreachable() for _ in range(WARN_AFTER + 3)]
        for _ in range(WARN_AFTER + 4):
            advance(town.ports)
        assert cycle_of(town, cycle).state == CycleState.LABELLING
        assert cycle_of(town, cycle).failures == 0

    def test_is_treated_alike_when_it_fails_by_a_bug(self, town, monkeypatch):
        monkeypatch.setattr("stratawatch.engine.cycle.freeze_cycle.MOST_READS", 7)
        (cycle,) = open_all(town)
        town.source.troubles = [ZeroDivisionError("a bug") for _ in range(7)]
        assert "freeze 1: ZeroDivisionError: a bug" in advance(town.ports).troubles
        for _ in range(6):
            advance(town.ports)
        assert cycle_of(town, cycle).state == CycleState.REFUSED
        assert "ZeroDivisionError" in cycle_of(town, cycle).reason

    def test_that_changes_between_the_queries_is_read_again(self, town):
        (cycle,) = open_all(town)
        whole = town.source.candidates
        town.source.candidates = lambda *args: whole(*args)[:-5]
        assert "changed while it was read" in advance(town.ports).troubles[0]
        assert cycle_of(town, cycle).state == CycleState.OPEN
        del town.source.candidates
        advance(town.ports)
        assert cycle_of(town, cycle).state == CycleState.LABELLING


class TestAnUnreachableQueue:
    def test_keeps_the_batch_and_sends_it_later(self, town):
        open_all(town)
        town.queue.troubles = [unreachable()]
        assert advance(town.ports).troubles
        advance(town.ports)
        assert sorted(town.queue.sends) == sorted(town.queue.published)

    def test_is_told_and_ends_in_a_failed_batch_that_can_be_sent_again(self, make_town):
        town = make_town(spec(batch_size=500, deadline=timedelta(days=30)))
        (cycle,) = open_all(town)
        advance_the_queue_down(town, MOST_SENDS)
        with town.ports.store.begin() as tx:
            (batch,) = tx.rounds.batches(cycle_id=cycle)
        assert batch.state == BatchState.FAILED
        send_notifications(town.ports)
        assert [n.severity for n in town.desk.told] == ["warning", "warning"]
        assert resend_batches(town.ports, cycle, "queue is back") == 1
        advance(town.ports)
        assert len(town.queue.sends) == 1

    def test_that_is_back_before_it_is_given_up_needs_nobody(self, make_town):
        town = make_town(spec(batch_size=500))
        open_all(town)
        advance_the_queue_down(town, SENDS_WARN_AFTER + 3)
        advance(town.ports)
        assert len(town.queue.sends) == 1

    def test_a_claim_keeps_a_second_sender_away(self, town):
        open_all(town)
        town.queue.troubles = [unreachable() for _ in range(9)]
        advance(town.ports)
        town.queue.troubles = []
        batch = due(town.ports).dispatch[0]
        with town.ports.store.begin() as tx:
            now = town.clock.now()
            assert tx.rounds.claim(batch, "someone else", now, now + WEEK)
            tx.commit()
        assert dispatch_batch(town.ports, batch) == BatchState.PLANNED
        assert town.queue.sends == []


class TestAnUnreachableChannel:
    def test_is_tried_again_with_growing_pauses_and_then_given_up(self, town):
        open_all(town)
        town.source.troubles = [unusable()]
        town.desk.troubles = [unreachable() for _ in range(20)]
        tries = []
        for _ in range(12):
            before = len(town.desk.troubles)
            advance(town.ports)
            tries.append(before - len(town.desk.troubles))
            town.clock.pass_(minutes=2**10)
        assert sum(tries) == 10
        with town.ports.store.begin() as tx:
            assert [n.state for n in tx.outbox.all()] == ["failed"]

    def test_waits_before_it_tries_again(self, town):
        open_all(town)
        town.source.troubles = [unusable()]
        town.desk.troubles = [unreachable()]
        advance(town.ports)
        advance(town.ports)
        assert town.desk.told == []
        town.clock.pass_(minutes=1)
        advance(town.ports)
        assert len(town.desk.told) == 1


class TestRepeating:
    def test_any_step_ten_times_changes_nothing(self, town):
        (cycle,) = open_all(town)
        for _ in range(10):
            open_all(town)
            freeze_cycle(town.ports, cycle)
        for _ in range(10):
            plan_round(town.ports, cycle)
        for _ in range(10):
            for batch in due(town.ports).dispatch:
                dispatch_batch(town.ports, batch)
        assert len(town.queue.asked()) == 48
        town.queue.answer(town.clock.now())
        for _ in range(10):
            advance(town.ports)
        assert len(town.queue.asked()) == len(set(town.queue.asked())) == town.panel.budget
        town.queue.answer(town.clock.now())
        for _ in range(10):
            advance(town.ports)
            settle_cycle(town.ports, cycle)
            judge_cycle(town.ports, cycle)
        with town.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == 1
            moves = tx.cycles.moves()
        assert len({(m.entity, m.entity_id, m.old, m.new) for m in moves}) == len(moves)
        assert len(town.queue.sends) == len(town.queue.published)

    def test_the_same_town_draws_the_same_items(self, town, make_town):
        other = make_town()
        label_a_cycle(town)
        label_a_cycle(other)
        assert town.queue.asked() == other.queue.asked()

    def test_another_seed_draws_other_items(self, town, make_town):
        other = make_town(spec(seed="s2"))
        label_a_cycle(town)
        label_a_cycle(other)
        assert set(town.queue.asked()) != set(other.queue.asked())


class TestTheLease:
    def test_keeps_a_second_advance_away(self, town):
        with hold_lease(town.ports, ADVANCE_LEASE), pytest.raises(LeaseHeld):
            advance(town.ports)
        advance(town.ports)

    def test_of_a_process_elsewhere_ends_by_itself(self, town):
        now = SystemClock().now()
        with town.ports.store.begin() as tx:
            tx.leases.take(ADVANCE_LEASE, "elsewhere:1:x", now, now + timedelta(seconds=1.5))
            tx.commit()
        with pytest.raises(LeaseHeld, match=r"until \d\d:\d\d \+00:00"):
            advance(town.ports)
        sleep(1.6)
        advance(town.ports)

    def test_of_a_process_that_died_on_this_machine_holds_nobody_up(self, town):
        dead = subprocess.Popen(["true"])
        dead.wait()
        now = SystemClock().now()
        with town.ports.store.begin() as tx:
            tx.leases.take(ADVANCE_LEASE, f"{node()}:{dead.pid}:x", now, now + WEEK)
            tx.commit()
        advance(town.ports)

    def test_runs_on_the_machines_clock(self, town):
        """A process that was shown a far future and killed must not hold up the present."""
        town.clock.moment += 1000 * WEEK
        with hold_lease(town.ports, ADVANCE_LEASE), town.ports.store.begin() as tx:
            _, until = tx.leases.held(ADVANCE_LEASE)
        assert until < SystemClock().now() + timedelta(hours=1)


class TestByHand:
    def test_a_cancelled_cycle_withdraws_its_batches(self, town):
        (cycle,) = open_all(town)
        advance(town.ports)
        cancel_cycle(town.ports, cycle, "wrong question")
        assert cycle_of(town, cycle).state == CycleState.CANCELLED
        advance(town.ports)
        assert town.queue.cancelled == list(town.queue.published)
        town.queue.answer(town.clock.now())
        advance(town.ports)
        assert cycle_of(town, cycle).state == CycleState.CANCELLED

    def test_a_withdrawal_that_did_not_reach_the_queue_is_made_at_the_next_advance(self, town, monkeypatch):
        (cycle,) = open_all(town)
        advance(town.ports)
        cancel_cycle(town.ports, cycle, "wrong question")

        def stopped(_keys):
            raise unreachable()

        with monkeypatch.context() as patch:
            patch.setattr(town.queue, "cancel", stopped)
            assert advance(town.ports).troubles
        assert town.queue.cancelled == []
        advance(town.ports)
        advance(town.ports)
        assert town.queue.cancelled == list(town.queue.published)

    def test_a_judged_cycle_cannot_be_cancelled_nor_reopened(self, town):
        cycle = label_a_cycle(town)
        with pytest.raises(StratawatchError, match="cannot be cancelled"):
            cancel_cycle(town.ports, cycle, "x")
        with pytest.raises(StratawatchError, match="cannot be reopened"):
            reopen_cycle(town.ports, cycle, "x")


class TestWindows:
    def test_may_not_change_under_a_panel(self, town):
        open_all(town)
        changed = spec(windows=WindowRule(MONDAY, WEEK / 7))
        with pytest.raises(ConfigError, match="windows of panel 'spam' changed"):
            open_cycles(town.ports, {"spam": changed})

    def test_an_unknown_panel_of_the_source_is_a_trouble_not_a_crash(self, town):
        open_all(town)
        ports = type(town.ports)(town.ports.store, town.clock, {}, town.check, town.queue, {})
        assert "no source any more" in advance(ports).troubles[0]

    def test_a_changed_specification_starts_at_the_next_cycle(self, town):
        label_a_cycle(town)
        town.produce(1)
        town.clock.moment = MONDAY + 2 * WEEK
        bigger = spec(budget=200)
        (cycle,) = open_cycles(town.ports, {"spam": bigger})
        with town.ports.store.begin() as tx:
            assert tx.panels.get(cycle_of(town, cycle).panel_version).budget == 200
            first = tx.cycles.find(panel="spam")[0]
            assert tx.panels.get(first.panel_version).budget == 120
