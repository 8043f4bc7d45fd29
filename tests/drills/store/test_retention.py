"""The purge takes out what has a period, and changes no estimate, no draw and no plan."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.adapters.store import open_store
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.purge_store import CYCLES_AT_ONCE, PURGE, purge_store
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.retention import Purged, Retention
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.engine.ports import Ports
from stratawatch.errors import Unreachable
from tests.support.fakes import MONDAY, WEEK, FakeQueue
from tests.support.scenario import Scenario, label_cycle, open_all, relabel
from tests.support.store.examples import open_cycle

DAY = timedelta(days=1)


@pytest.fixture
def labelled(store) -> Scenario:
    """A judged cycle, before any purge but that of its own advances."""
    scenario = Scenario.around(store)
    scenario.produce(0)
    label_cycle(scenario)
    return scenario


def facts(scenario: Scenario, cycle: int = 1):
    """What estimates and plans are made of, and the estimates."""
    with scenario.ports.store.begin() as tx:
        candidates = [(c.item, c.digest, c.atom, c.pattern, c.segments) for c in tx.cycles.candidates(cycle)]
        return candidates, tx.rounds.draws(cycle), tx.estimates.latest(cycle), tx.cycles.atoms(cycle)


def with_payload(scenario: Scenario, cycle: int = 1) -> set[str]:
    with scenario.ports.store.begin() as tx:
        return {one.item for one in tx.cycles.candidates(cycle) if one.payload}


def drawn(scenario: Scenario, cycle: int = 1) -> set[str]:
    with scenario.ports.store.begin() as tx:
        return {draw.item for draw in tx.rounds.draws(cycle)}


def later(scenario: Scenario, days: int) -> None:
    """Days pass, after which windows are opened: eight at most, and refused, as they are empty."""
    scenario.clock.advance(days=days)
    open_all(scenario)
    advance(scenario.ports)


def purge_all(scenario: Scenario) -> None:
    while purge_store(scenario.ports) != Purged():
        pass


def test_payload_of_undrawn_items_goes_when_the_cycle_is_judged(labelled):
    assert with_payload(labelled) == drawn(labelled) != set()


def test_payload_of_drawn_items_stays_for_its_period_and_then_goes_with_that_of_the_batches(labelled):
    before = facts(labelled)
    later(labelled, 89)
    purge_all(labelled)
    assert with_payload(labelled) == drawn(labelled)
    later(labelled, 2)
    purge_all(labelled)
    assert with_payload(labelled) == set()
    with labelled.ports.store.begin() as tx:
        tasks = [task for batch in tx.rounds.batches(cycle_id=1) for task in batch.tasks]
        assert {task.item_key for task in tasks} == {draw.item_key for draw in tx.rounds.draws(1)}
        assert all(task.payload == {} for task in tasks)
    assert facts(labelled) == before


class KeepingQueue(FakeQueue):
    """A queue in whose place payload lies, and which may be away."""

    def __init__(self, mark):
        super().__init__({}, mark=mark)
        self.dropped, self.away = {}, False

    def identity(self):
        if self.away:
            raise Unreachable("the queue is away", got="nothing", hint="wait")
        return self.mark

    def drop_payload(self, batches):
        self.dropped |= batches


@pytest.fixture
def kept(labelled) -> tuple[KeepingQueue, Ports, dict[str, set[str]]]:
    """A queue that keeps payload, and what it keeps of the first cycle."""
    queue = KeepingQueue(labelled.queue.mark)
    with labelled.ports.store.begin() as tx:
        asked = {one.key: {task.item_key for task in one.tasks} for one in tx.rounds.batches(cycle_id=1)}
    return queue, replace(labelled.ports, queue=queue), asked


def test_payload_goes_from_the_place_of_the_queue_too(labelled, kept):
    queue, ports, asked = kept
    labelled.clock.advance(days=89)
    open_all(labelled)
    purge_store(ports)
    assert queue.dropped == {}
    labelled.clock.advance(days=2)
    open_all(labelled)
    purge_store(ports)
    assert queue.dropped == asked != {}
    queue.dropped = {}
    purge_store(ports)
    assert queue.dropped == {}


def test_a_queue_that_is_away_holds_up_nothing_else_and_forgets_when_it_is_back(labelled, kept):
    queue, ports, asked = kept
    labelled.clock.advance(days=91)
    open_all(labelled)
    with ports.store.begin() as tx:
        tx.cycles.quarantine(None, [QuarantinedRow("label", "k", "junk", {})], labelled.clock.now() - 91 * DAY)
        tx.commit()
    queue.away = True
    assert any("the queue is away" in trouble for trouble in advance(ports).troubles if trouble.startswith("purge"))
    assert not with_payload(labelled)
    with ports.store.begin() as tx:
        assert tx.cycles.quarantined() == ()
    queue.away = False
    assert advance(ports).troubles == ()
    assert queue.dropped == asked


def test_a_queue_forgets_what_an_older_program_purged_in_the_store_alone(labelled, kept):
    queue, ports, asked = kept
    with ports.store.begin() as tx:
        tx.retention.drop_payload(1)
        tx.commit()
    purge_store(ports)
    assert {key: len(items) for key, items in queue.dropped.items()} == {key: len(asked[key]) for key in asked}


def test_a_late_label_is_judged_after_all_payload_went(labelled):
    later(labelled, 91)
    purge_all(labelled)
    relabel(labelled, "no")
    with labelled.ports.store.begin() as tx:
        assert tx.estimates.latest(1).number == 2


def test_a_cycle_under_way_keeps_all(store):
    scenario = Scenario.around(store)
    scenario.produce(0)
    open_all(scenario)
    advance(scenario.ports)
    scenario.clock.advance(days=1)
    assert purge_store(scenario.ports) == Purged()
    assert with_payload(scenario) > drawn(scenario)


def test_bad_rows_and_replaced_revisions_go_after_their_periods(labelled):
    relabel(labelled, "no")
    now = labelled.clock.now()
    with labelled.ports.store.begin() as tx:
        tx.cycles.quarantine(None, [QuarantinedRow("label", "k", "junk", {})], now)
        tx.commit()
    later(labelled, 91)
    purge_all(labelled)
    with labelled.ports.store.begin() as tx:
        assert tx.cycles.quarantined() == ()
        newest = tx.estimates.latest(1)
        assert tx.estimates.latest(1, now - timedelta(hours=1)).number == 1
    later(labelled, 300)
    purge_all(labelled)
    with labelled.ports.store.begin() as tx:
        assert tx.estimates.latest(1) == newest
        assert tx.estimates.latest(1, now - timedelta(hours=1)) is None


def test_labels_that_waited_in_vain_for_a_draw_go_after_their_period(labelled):
    stray = LabelEvent("fake", "e", "no-such-item", "ann", "yes", labelled.clock.now())
    with labelled.ports.store.begin() as tx:
        tx.labels.add([stray], labelled.clock.now())
        tx.commit()
    for days, left in ((364, 1), (2, 0)):
        later(labelled, days)
        purge_all(labelled)
        with labelled.ports.store.begin() as tx:
            assert tx.labels.waiting().events == left


def test_an_idle_purge_writes_nothing_and_years_go_in_parts(labelled):
    with labelled.ports.store.begin() as tx:
        before = tx.labels.cursor(PURGE)
    assert purge_store(labelled.ports) == Purged()
    with labelled.ports.store.begin() as tx:
        assert tx.labels.cursor(PURGE) == before != {}
        assert tx.retention.cycles_with_undrawn_payload(CYCLES_AT_ONCE) == ()
        now = labelled.clock.now()
        assert tx.retention.cycles_with_payload(now, CYCLES_AT_ONCE) == (1,)
        assert tx.retention.cycles_with_payload(now, 0) == tx.retention.cycles_with_payload(MONDAY, 1) == ()


def test_a_cycle_whose_end_is_committed_after_that_of_a_later_one_is_purged_too(postgres_store_url):
    """PostgreSQL gives out the ids of moves before they are committed, so that nothing may be counted up to an id."""
    store = open_store(postgres_store_url)
    scenario = Scenario.around(store)
    with store.begin() as tx:
        first, second = (open_cycle(tx, period) for period in (0, 1))
        tx.commit()
    with store.begin() as slow, store.begin() as fast:
        for tx, cycle in ((slow, first), (fast, second)):
            tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.CANCELLED, at=scenario.clock.now(), why="by hand")
        fast.commit()
        assert purge_store(scenario.ports).undrawn == 1
        slow.commit()
    assert purge_store(scenario.ports).undrawn == 1
    store.dispose()


def test_a_clock_that_jumped_a_year_ahead_deletes_nothing(labelled):
    before = with_payload(labelled)
    labelled.clock.advance(days=365)
    assert purge_store(labelled.ports) == Purged()
    assert with_payload(labelled) == before != set()


def test_moves_of_rounds_and_batches_go_with_their_period_and_those_of_cycles_stay(labelled):
    with labelled.ports.store.begin() as tx:
        of_cycle = tx.cycles.transitions(Entity.CYCLE)
        later_moves = tx.cycles.transitions()
        assert tx.retention.drop_transitions(later_moves[0].at) == 0
        assert tx.retention.drop_transitions(labelled.clock.now() + WEEK) == len(later_moves) - len(of_cycle) > 0
        assert tx.cycles.transitions() == of_cycle


def test_moves_of_rounds_and_batches_go_by_the_purge(labelled):
    period = Retention().transitions.days
    for days, are_there in ((period - 1, True), (2, False)):
        later(labelled, days)
        purge_all(labelled)
        with labelled.ports.store.begin() as tx:
            moved = {(move.entity, move.entity_id) for move in tx.cycles.transitions()}
            asked = {(Entity.BATCH, batch.id) for batch in tx.rounds.batches(cycle_id=1)}
        assert bool(moved & asked) is are_there
        assert (Entity.CYCLE, 1) in moved


def test_moves_of_a_cycle_under_way_stay(store):
    scenario = Scenario.around(store)
    scenario.produce(0)
    open_all(scenario)
    advance(scenario.ports)
    with store.begin() as tx:
        assert tx.retention.drop_transitions(scenario.clock.now() + WEEK) == 0
        assert tx.cycles.transitions(Entity.BATCH)


def test_pages_are_dropped_by_their_own_periods(labelled):
    asked = []
    ports = replace(
        labelled.ports,
        retention=Retention(reports=timedelta(days=10), data_docs=timedelta(days=20)),
        drop_pages=lambda *before: asked.append(before) or 3,
    )
    labelled.clock.advance(hours=7)
    assert purge_store(ports).pages == 3
    (before,) = asked
    assert before[0] - before[1] == timedelta(days=10)
