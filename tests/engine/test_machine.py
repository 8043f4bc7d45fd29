"""Hypothesis plays the world: windows, labels, outages and a crash at any commit, in any order."""

import tempfile
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from stratawatch.adapters.store import SqlStore
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.population import Segment
from stratawatch.engine.alarms.send_notifications import LONGEST_LIFE
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.cycle.operator_actions import cancel_cycle, reopen_cycle
from stratawatch.engine.model.states import TRANSITIONS, CycleState, Entity, RoundState
from stratawatch.errors import StratawatchError
from tests.support.fakes import MONDAY, WEEK, spec, unreachable, unusable
from tests.support.hypothesis_examples import examples
from tests.support.scenario import Scenario
from tests.support.stores import empty_store


class Crash(BaseException):
    """What kill -9 looks like from inside: nothing after it runs."""


class CrashingStore:
    """A store whose process dies just before or just after one commit."""

    def __init__(self, store: SqlStore) -> None:
        self.store, self.fuse, self.after = store, -1, False

    def begin(self):
        return _CrashingBegin(self)


class _CrashingBegin:
    def __init__(self, owner: CrashingStore) -> None:
        self.owner, self.inner = owner, owner.store.begin()

    def __enter__(self):
        tx = self.inner.__enter__()
        commit = tx.commit

        def fused_commit() -> None:
            self.owner.fuse -= 1
            if self.owner.fuse == 0 and not self.owner.after:
                raise Crash
            commit()
            if self.owner.fuse == 0:
                raise Crash

        tx.commit = fused_commit
        return tx

    def __exit__(self, *trouble):
        return self.inner.__exit__(*trouble)


class World(RuleBasedStateMachine):
    """One panel under everything that can happen to it."""

    @initialize(stop_rule=st.sampled_from(["budget", "goals"]))
    def build(self, stop_rule: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        absent = Limit("recall", floor=0.1, classifiers=("rf",), segment=Segment("country", "AT"))
        easy = (Goal("precision", 0.49),)  # met by a first round
        panel = spec(budget=60, batch_size=10, limits=(*spec().limits, absent), stop_rule=stop_rule, goals=easy)
        self.store = CrashingStore(empty_store(Path(self.folder.name) / "w.db"))
        self.scenario = Scenario.around(self.store, panel)
        self.scenario.clock.moment = MONDAY
        self.period = 0
        self.deaths = 0
        self.a_week_passes(empty=False, quality=0.9)

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.everything_ends_once_the_world_is_calm()
            self.store.store.dispose()
            self.folder.cleanup()

    @rule(empty=st.booleans(), quality=st.sampled_from([0.1, 0.9]))
    def a_week_passes(self, *, empty: bool, quality: float) -> None:
        if not empty:
            self.scenario.produce(self.period, quality=quality, size=400)
        self.period += 1
        self.scenario.clock.moment = max(self.scenario.clock.moment, MONDAY + self.period * WEEK)
        open_cycles(self.scenario.ports, {"spam": self.scenario.panel})

    @rule(hours=st.integers(1, 40))
    def time_passes(self, hours: int) -> None:
        self.scenario.clock.moment += timedelta(hours=hours)

    @rule(times=st.integers(1, 3), answers=st.booleans())
    def ordinary_days(self, times: int, *, answers: bool) -> None:
        for _ in range(times):
            with suppress(StratawatchError):
                advance(self.scenario.ports)
            if answers:
                self.scenario.queue.answer(self.scenario.clock.now())

    @rule(commit=st.integers(1, 12), after=st.booleans())
    def advance_and_die(self, commit: int, *, after: bool) -> None:
        self.store.fuse, self.store.after = commit, after
        with suppress(StratawatchError):
            try:
                advance(self.scenario.ports)
            except Crash:
                self.deaths += 1
                self._the_dead_hold_nothing()
        self.store.fuse = -1
        self.scenario.clock.moment += timedelta(minutes=11)

    def _the_dead_hold_nothing(self) -> None:
        """This process only plays dead, so the store would rightly believe that it still holds the lease."""
        with self.store.store.begin() as tx:
            for name in tx.leases.names():
                tx.leases.release(name, tx.leases.held(name)[0])
            tx.commit()

    @rule(letter=st.sampled_from("048c"), value=st.sampled_from([None, None, "skip"]))
    def people_answer(self, letter: str, value: str | None) -> None:
        self.scenario.queue.answer(self.scenario.clock.now(), only=lambda key: key[0] >= letter, value=value)

    @rule(which=st.sampled_from(["source", "bad source", "a bug", "queue", "channel"]))
    def something_breaks(self, which: str) -> None:
        trouble = {"bad source": unusable(), "a bug": ZeroDivisionError("a bug")}.get(which, unreachable())
        victims = {"queue": self.scenario.queue, "channel": self.scenario.channel}
        victims.get(which, self.scenario.source).troubles.append(trouble)

    @rule(number=st.integers(1, 3), reopen=st.booleans())
    def someone_intervenes(self, number: int, *, reopen: bool) -> None:
        with suppress(StratawatchError):
            (reopen_cycle if reopen else cancel_cycle)(self.scenario.ports, number, "by hand")

    @invariant()
    def every_move_is_in_the_table(self) -> None:
        if not hasattr(self, "store"):
            return
        with self.store.store.begin() as tx:
            for move in tx.cycles.transitions():
                assert move.new in TRANSITIONS[Entity(move.entity)][move.old]

    @invariant()
    def no_item_is_asked_twice_and_none_is_lost(self) -> None:
        if not hasattr(self, "store"):
            return
        asked = self.scenario.queue.asked()
        assert len(asked) == len(set(asked))
        again = len(self.scenario.queue.sends) - len(set(self.scenario.queue.sends))
        assert again <= self.deaths  # only a death between a send and its commit may send a key again
        with self.store.store.begin() as tx:
            for cycle in tx.cycles.find():
                draws = tx.rounds.draws(cycle.id)
                assert len({draw.item for draw in draws}) == len(draws) <= self.scenario.panel.budget
                rounds = tx.rounds.of(cycle.id)
                assert len(rounds) <= 2
                assert all(tx.rounds.draws(cycle.id, later.id) for later in rounds[1:]), "a round that asks nothing"
                planned = {t.item_key for b in tx.rounds.batches(cycle_id=cycle.id) for t in b.tasks}
                assert planned == {draw.item_key for draw in draws if not draw.reused}
                if cycle.state in (CycleState.SETTLED, CycleState.JUDGED):
                    assert not [r for r in rounds if r.state in (RoundState.PLANNED, RoundState.DISPATCHED)]

    @invariant()
    def every_label_that_was_read_is_kept_once(self) -> None:
        if not hasattr(self, "store"):
            return
        with self.store.store.begin() as tx:
            kept = [event.event_id for _, event in tx.labels.of_panel("spam")]
            read = int(tx.labels.cursor("fake").get("at", 0))
        assert len(kept) == len(set(kept)) == read

    @invariant()
    def nothing_is_told_twice_but_by_a_death(self) -> None:
        if hasattr(self, "scenario"):
            sends = self.scenario.channel.sends
            assert len(sends) - len(set(sends)) <= self.deaths

    @invariant()
    def what_ends_was_told_before(self) -> None:
        if hasattr(self, "scenario"):
            begun = self._maybe_begun()
            for notification in self.scenario.channel.received:
                if notification.severity == "resolved":
                    assert notification.dedup_key in begun
                begun.add(notification.dedup_key)

    def _maybe_begun(self) -> set[str]:
        """Openings whose send was killed, so that nobody knows whether they arrived."""
        with self.store.store.begin() as tx:
            return {one.dedup_key for one in tx.outbox.all() if one.is_opening and one.unconfirmed}

    def everything_ends_once_the_world_is_calm(self) -> None:
        """No cycle stays under way for ever, and every incident was told that was not over before it could be.

        An end that met a broken channel for a week and at both tries after it was given up (ADR 26); calm loses none.
        """
        given_up = self._ends_that_were_given_up()
        for victim in (self.scenario.source, self.scenario.queue, self.scenario.channel):
            victim.troubles.clear()
        for _ in range(4):
            self.scenario.clock.moment += timedelta(days=4)
            advance(self.scenario.ports)
        assert advance(self.scenario.ports).troubles == ()
        with self.store.store.begin() as tx:
            states = {cycle.state for cycle in tx.cycles.find()}
            incidents = tx.alarms.incidents()
            superseded = {n.dedup_key for n in tx.outbox.all() if n.state == "superseded"}
            owed = {n.key for n in tx.outbox.all() if n.state not in ("sent", "superseded")}
        assert states <= {CycleState.JUDGED, CycleState.REFUSED, CycleState.CANCELLED}
        assert owed == given_up
        received = {notification.dedup_key for notification in self.scenario.channel.received}
        assert {incident.dedup_key for incident in incidents} <= received | superseded

    def _ends_that_were_given_up(self) -> set[str]:
        with self.store.store.begin() as tx:
            failed = [n for n in tx.outbox.all() if n.state == "failed" and n.next_at is None]
        for one in failed:
            assert one.severity == "resolved"
            assert one.attempts >= 2  # both tries after the week; before it, nobody may have advanced
            assert self.scenario.clock.now() > one.created_at + LONGEST_LIFE
        return {one.key for one in failed}


TestWorld = World.TestCase
TestWorld.settings = settings(
    max_examples=examples(30), stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
