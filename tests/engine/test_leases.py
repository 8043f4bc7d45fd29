"""Leases: a panel and each thing that panels share is one worker's at a time, and losing a lease means writing nothing."""

import os
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from threading import Event
from time import monotonic, sleep

import pytest

from stratawatch.adapters.store.leases import SqlLeases
from stratawatch.engine.cycle.advance import EXAMINED, ONCE, STEPS, advance, panels_due
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.lease import (
    LEASE_LIFE,
    NOTIFICATIONS,
    PURGE,
    QUEUE,
    fenced,
    hold_lease,
    is_holder_gone,
    machine_name,
    panel_lease_name,
    renew_lease,
)
from stratawatch.engine.model.pauses import Pauses
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.engine.ports.clock import SystemClock
from stratawatch.errors import LeaseHeld
from tests.support.fakes import WEEK, spec, unreachable
from tests.support.scenario import label_cycle, only_cycle, open_all, relabel

SPAM = panel_lease_name("spam")
SHARED = (QUEUE, NOTIFICATIONS, PURGE)


@pytest.fixture
def two_panels(scenario):
    """The panels `other` and `spam`, each with an open cycle, from the same rows."""
    other = spec(name="other", seed="s2")
    ports = replace(scenario.ports, sources={"spam": scenario.source, "other": scenario.source})
    open_cycles(ports, {"spam": scenario.panel, "other": other})
    return replace(scenario, ports=ports)


def states(scenario) -> dict[str, CycleState]:
    with scenario.ports.store.begin() as tx:
        return {cycle.panel: cycle.state for cycle in tx.cycles.find()}


def take_over(scenario, name: str, holder: str = "elsewhere:1:x") -> None:
    """What another worker does once a lease is over."""
    with scenario.ports.store.begin() as tx:
        tx.leases.release(name, tx.leases.held(name)[0])
        now = SystemClock().now()
        assert tx.leases.take(name, holder, now, now + WEEK)
        tx.commit()


class TestABusyPanel:
    def test_is_left_to_the_worker_that_is_at_it_and_the_others_go_on(self, two_panels):
        with hold_lease(two_panels.ports, SPAM):
            done = advance(two_panels.ports)
        assert states(two_panels) == {"spam": CycleState.OPEN, "other": CycleState.LABELLING}
        assert done.troubles == ()
        assert [sentence.partition(" until")[0] for sentence in done.skipped] == [
            "another process holds the lease 'panel spam'"
        ]
        assert advance(two_panels.ports).skipped == ()
        assert states(two_panels)["spam"] == CycleState.LABELLING

    def test_does_not_hide_its_trouble_from_the_watcher(self, two_panels):
        """Another worker had it; that this one had none is no good news of the whole."""
        two_panels.source.troubles = [unreachable(), unreachable()]
        assert len(advance(two_panels.ports).troubles) == 2
        with hold_lease(two_panels.ports, SPAM):
            assert advance(two_panels.ports).troubles == ()
        with two_panels.ports.store.begin() as tx:
            last = tx.last_runs.get("advance")
        assert last.good_at is None
        assert last.troubles == ("freeze 1: the table did not answer; try again",)
        advance(two_panels.ports)
        with two_panels.ports.store.begin() as tx:
            assert tx.last_runs.get("advance").troubles == ()

    def test_of_somebody_else_leaves_nothing_to_do(self, scenario):
        open_all(scenario)
        with hold_lease(scenario.ports, SPAM):
            for name in SHARED[1:]:
                renew_lease(scenario.ports, name, "another process")
            with hold_lease(scenario.ports, QUEUE):
                done = advance(scenario.ports)
        assert done.is_idle
        assert len(done.skipped) == 5
        with scenario.ports.store.begin() as tx:
            assert tx.last_runs.get("advance") is None


class TestAChosenPanel:
    def test_is_the_only_one_that_is_advanced(self, two_panels):
        advance(two_panels.ports, panels=["other"])
        assert states(two_panels) == {"spam": CycleState.OPEN, "other": CycleState.LABELLING}

    def test_is_no_advance_of_the_whole(self, two_panels):
        beats = []
        ports = replace(two_panels.ports, heartbeat=lambda: beats.append(1))
        advance(ports, panels=["other"])
        with ports.store.begin() as tx:
            assert tx.last_runs.get("advance") is None
        assert beats == []
        advance(ports)
        assert beats == [1]


class TestSharedWork:
    @pytest.mark.parametrize("name", SHARED)
    def test_that_another_worker_is_at_keeps_no_panel_waiting(self, scenario, name):
        open_all(scenario)
        with hold_lease(scenario.ports, name):
            done = advance(scenario.ports)
        assert states(scenario) == {"spam": CycleState.LABELLING}
        assert {sentence.partition(" until")[0] for sentence in done.skipped} == {
            f"another process holds the lease '{name}'"
        }


class TestPagesOfTwoWorkers:
    """One sends while the other writes pages, which are sent all the same, and complained of by whoever sends."""

    def test_that_wait_are_no_trouble_of_a_worker_that_does_not_send(self, breaching):
        breaching.produce(0, quality=0.2)
        with hold_lease(breaching.ports, NOTIFICATIONS):
            label_cycle(breaching)
            breaching.clock.advance(hours=1)
            done = advance(breaching.ports)
        assert (done.troubles, breaching.channel.sends) == ((), [])
        done = advance(breaching.ports)
        assert (done.troubles, done.sent, len(breaching.channel.sends)) == ((), 1, 1)

    def test_that_are_written_at_the_end_of_the_sends_go_before_that_worker_ends(self, breaching):
        breaching.produce(0, quality=0.2)
        open_all(breaching)
        for _ in range(3):
            advance(breaching.ports, _all_but_judge)
            breaching.queue.answer(breaching.clock.now())
        other = []

        def send_while_another_judges(ports, name, *ids):
            outcome = _all_but_judge(ports, name, *ids)
            if name == "notify" and not other:
                other.append(advance(breaching.ports))
            return outcome

        done = advance(breaching.ports, send_while_another_judges)
        assert [sentence.partition(" until")[0] for sentence in other[0].skipped] == [
            "another process holds the lease 'notifications'"
        ]
        assert (other[0].steps["judge"], other[0].sent, done.sent) == (1, 0, 1)
        assert len(breaching.channel.sends) == 1


class TestALostLease:
    def test_commits_nothing(self, scenario):
        (cycle,) = open_all(scenario)
        with hold_lease(scenario.ports, SPAM) as holder:
            take_over(scenario, SPAM)
            with fenced(scenario.ports, SPAM, holder).store.begin() as tx:
                tx.move(Entity.CYCLE, cycle, "open", "cancelled", at=scenario.clock.now(), why="too late")
                with pytest.raises(LeaseHeld, match="took over"):
                    tx.commit()
        assert states(scenario) == {"spam": CycleState.OPEN}

    def test_in_the_middle_of_a_step_ends_the_panel_and_nothing_else(self, two_panels):
        """A source so slow that the lease was over and somebody else took the panel."""
        whole = two_panels.source.census

        def slow(panel, window):
            if panel.name == "spam":
                take_over(two_panels, SPAM)
            return whole(panel, window)

        two_panels.source.census = slow
        done = advance(two_panels.ports)
        assert done.troubles == ()
        assert "took over the lease 'panel spam'" in done.skipped[0]
        assert states(two_panels) == {"spam": CycleState.OPEN, "other": CycleState.LABELLING}

    def test_that_nobody_took_over_is_none(self, scenario):
        open_all(scenario)
        with hold_lease(scenario.ports, SPAM, life=timedelta(0)) as holder:
            ports = fenced(scenario.ports, SPAM, holder)
            with ports.store.begin() as tx:
                tx.labels.save_cursor("x", {"mark": 1}, scenario.clock.now())
                tx.commit()


class TestASlowSource:
    def test_delays_the_other_panels_by_its_timeout_and_no_more(self, two_panels):
        """It never answers; another worker does not begin to read the same window meanwhile."""
        released, whole, lives = Event(), two_panels.source.census, []

        def hanging(panel, window):
            if panel.name == "spam":
                with two_panels.ports.store.begin() as tx:
                    lives.append(tx.leases.held(SPAM)[1] - SystemClock().now())
                released.wait(60)
            return whole(panel, window)

        two_panels.source.census = hanging
        began = monotonic()
        done = advance(replace(two_panels.ports, read_timeouts={"spam": 0.3}))
        assert monotonic() - began < 30
        released.set()
        assert done.troubles == (
            "freeze 1: the source of panel 'spam' did not answer within 0.3 seconds; it is tried again",
        )
        assert states(two_panels) == {"spam": CycleState.OPEN, "other": CycleState.LABELLING}
        assert lives[0] > LEASE_LIFE - timedelta(minutes=1)

    def test_leaves_time_for_what_comes_after_the_reads(self, two_panels, monkeypatch):
        monkeypatch.setattr("stratawatch.engine.cycle.advance.READS_BEGIN", 0.0)
        done = advance(two_panels.ports)
        assert (done.troubles, done.steps["freeze"], two_panels.source.reads) == ((), 0, 0)
        assert done.skipped == tuple(
            f"panel '{name}': 1 window left to the next advance: this one has read for 0 minutes"
            for name in ("other", "spam")
        )

    def test_is_read_after_one_that_failed_less_often(self, two_panels):
        two_panels.source.troubles = [unreachable()] * 3
        advance(two_panels.ports)
        assert [*panels_due(two_panels.ports)] == ["other", "spam"]
        advance(two_panels.ports, panels=["other"])
        assert [*panels_due(two_panels.ports)] == ["spam", "other"]


class TestTheLease:
    def test_of_a_process_elsewhere_ends_by_itself(self, scenario):
        open_all(scenario)
        now = SystemClock().now()
        with scenario.ports.store.begin() as tx:
            tx.leases.take(SPAM, "elsewhere:1:x", now, now + timedelta(seconds=0.5))
            tx.commit()
        with pytest.raises(LeaseHeld, match=r"until \d\d:\d\d \+00:00"):
            renew_lease(scenario.ports, SPAM, "me")
        sleep(0.6)
        assert advance(scenario.ports).skipped == ()

    def test_of_a_process_that_died_on_this_machine_holds_nobody_up(self, scenario):
        open_all(scenario)
        dead = subprocess.Popen(["true"])
        dead.wait()
        now = SystemClock().now()
        with scenario.ports.store.begin() as tx:
            for name in (SPAM, *SHARED):
                tx.leases.take(name, f"{machine_name()}:{dead.pid}:x", now, now + WEEK)
            tx.commit()
        assert advance(scenario.ports).skipped == ()

    def test_of_a_process_whose_commit_outlived_it_holds_nobody_up(self, scenario, monkeypatch):
        """On PostgreSQL the server may still be at the commit of a process that was killed when the next one looks."""
        dead = subprocess.Popen(["true"])
        dead.wait()
        take, now = SqlLeases.take, SystemClock().now()

        def commit_of_the_dead_first(leases, name, holder, *times):
            monkeypatch.setattr(SqlLeases, "take", take)
            leases.take(name, f"{machine_name()}:{dead.pid}:x", now, now + WEEK)
            return leases.take(name, holder, *times)

        monkeypatch.setattr(SqlLeases, "take", commit_of_the_dead_first)
        renew_lease(scenario.ports, SPAM, "me")
        with scenario.ports.store.begin() as tx:
            assert tx.leases.held(SPAM)[0] == "me"

    def test_of_another_namespace_of_process_ids_is_another_machines(self, monkeypatch):
        """Two containers may have one host name: a process that one of them cannot see may live in the other."""
        dead = subprocess.Popen(["true"])
        dead.wait()
        monkeypatch.setattr("os.readlink", lambda _path: "pid:[4026530001]")
        holder = f"{machine_name()}:{dead.pid}:x"
        assert is_holder_gone(holder)
        monkeypatch.setattr("os.readlink", lambda _path: "pid:[4026530002]")
        assert not is_holder_gone(holder)

    def test_that_was_killed_and_is_still_listed_as_a_zombie(self):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        holder = f"{machine_name()}:{child.pid}:x"
        assert not is_holder_gone(holder)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is not taken off the list
        assert is_holder_gone(holder)
        child.communicate()

    def test_runs_on_the_machines_clock(self, scenario):
        """A process that was shown a far future and killed must not hold up the present."""
        scenario.clock.moment += 1000 * WEEK
        with hold_lease(scenario.ports, SPAM), scenario.ports.store.begin() as tx:
            _, until = tx.leases.held(SPAM)
        assert until < SystemClock().now() + timedelta(hours=1)


class TestTheMarkOfExaminedEvents:
    def test_does_not_pass_a_cycle_that_another_worker_may_be_judging(self, scenario):
        """Its revision may be made without the newest labels, and is not seen before it commits."""
        open_all(scenario)
        for _ in range(3):
            advance(scenario.ports, _all_but_judge)
            scenario.queue.answer(scenario.clock.now())
        assert states(scenario) == {"spam": CycleState.SETTLED}
        before = examined(scenario)
        scenario.queue.said.append(replace(scenario.queue.said[0], event_id="late", value="skip"))
        with hold_lease(scenario.ports, SPAM):
            advance(scenario.ports)
            assert examined(scenario) == before
        advance(scenario.ports)
        assert examined(scenario) == before + 1

    def test_passes_a_cycle_of_a_paused_panel_which_is_judged_at_the_end_of_the_pause(self, labelled):
        cycle, before = only_cycle(labelled), examined(labelled)
        going_on = labelled.ports
        labelled.ports = replace(going_on, paused=Pauses(panels=frozenset({"spam"})))
        for value in ("no", "yes"):
            relabel(labelled, value)
            assert examined(labelled) > before
            before = examined(labelled)
        assert revision(labelled, cycle) == 1
        labelled.ports = going_on
        advance(labelled.ports)
        assert revision(labelled, cycle) == 2
        assert panels_due(labelled.ports) == {}


def revision(scenario, cycle) -> int:
    with scenario.ports.store.begin() as tx:
        return tx.estimates.latest(cycle).number


def _all_but_judge(ports, name, *ids):
    return None if name == "judge" else {**ONCE, **STEPS}[name](ports, *ids)


def examined(scenario) -> int:
    with scenario.ports.store.begin() as tx:
        return tx.labels.cursor(EXAMINED)["mark"]
