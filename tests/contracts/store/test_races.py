"""Processes and threads that want the same thing at the same time: exactly one gets it."""

import json
import threading
from collections import Counter

import pytest

from stratawatch.engine.model.label_events import NewBatch
from stratawatch.engine.model.states import CycleState, Entity
from stratawatch.errors import StaleState
from tests.support.programs import start
from tests.support.store.contests import CONTESTS, ROUNDS
from tests.support.store.examples import MINUTE, NOW, PLAN, draws, frozen_cycle, notification, open_cycle, said

RACERS = 3


@pytest.fixture
def prizes(store):
    """Batches, a drawn item and notifications to fight for."""
    with store.begin() as tx:
        cycle = frozen_cycle(tx)
        batches = [NewBatch(f"b{n}", "q", "g", ()) for n in range(ROUNDS)]
        tx.rounds.add(cycle, PLAN, draws(("i0",)), batches, NOW)
        for number in range(ROUNDS):
            tx.outbox.add(notification(f"n{number}"))
        tx.commit()
    return store


@pytest.fixture
def racers(prizes, store_url):
    """Processes that have opened the store and wait for the start."""
    started = [start("-m", "tests.support.store.contests", store_url, f"racer {n}") for n in range(RACERS)]
    for racer in started:
        assert racer.stdout.readline() == "ready\n"
    yield started
    for racer in started:
        racer.kill()
        racer.communicate()


def test_processes_that_race_win_each_prize_exactly_once(racers):
    for contest in CONTESTS:
        for racer in racers:
            racer.stdin.write(f"{contest}\n")
            racer.stdin.flush()
        won = Counter(number for racer in racers for number in json.loads(racer.stdout.readline()))
        if contest == "notify":  # whoever comes takes the next one, so only how many were taken is fixed
            assert won.total() == ROUNDS, contest
        else:
            assert won == Counter(range(ROUNDS)), contest


def race(open_stores, number, act):
    """Run `act(store, name)` in threads that start together; returns what each returned or raised."""
    barrier = threading.Barrier(number)
    results = {}

    def run(name, store):
        barrier.wait()
        try:
            results[name] = act(store, name)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
            results[name] = error

    threads = [threading.Thread(target=run, args=(n, open_stores())) for n in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(results) == number
    return list(results.values())


def one_wins(results):
    assert results.count(None) == 1
    assert sum(isinstance(result, StaleState) for result in results) == len(results) - 1


class TestThreads:
    def test_move_a_cycle_once_and_the_others_are_told(self, store, open_stores):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.commit()

        def act(other, name):
            with other.begin() as tx:
                tx.move(Entity.CYCLE, cycle, CycleState.OPEN, CycleState.FROZEN, at=NOW, why=str(name))
                tx.commit()

        one_wins(race(open_stores, 4, act))
        with store.begin() as tx:
            assert len(tx.cycles.transitions()) == 1

    def test_plan_a_round_once_and_the_others_are_told(self, store, open_stores):
        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            tx.commit()

        def act(other, _name):
            with other.begin() as tx:
                tx.rounds.add(cycle, PLAN, draws(), (), NOW)
                tx.commit()

        one_wins(race(open_stores, 3, act))
        with store.begin() as tx:
            assert len(tx.rounds.of(cycle)) == 1

    def test_save_one_specification_under_one_version(self, store, open_stores):
        def act(other, _name):
            from tests.support.store.examples import spec

            with other.begin() as tx:
                version = tx.panels.save(spec(), NOW)
                tx.commit()
            return version

        results = race(open_stores, 4, act)
        assert len(set(results)) == 1
        with store.begin() as tx:
            assert len(tx.panels.get(results[0]).classifiers) == 2

    def test_open_an_incident_once_and_all_get_its_id(self, store, open_stores):
        from stratawatch.core.alarms.alarm_states import AlarmState
        from tests.support.store.examples import incident

        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.commit()

        def act(other, _name):
            with other.begin() as tx:
                number = tx.alarms.open_incident(incident(cycle, AlarmState.BREACH))
                tx.commit()
            return number

        assert len(set(race(open_stores, 4, act))) == 1


@pytest.mark.postgres
class TestMark:
    """PostgreSQL hands out ids before the commit; a mark must never pass an event that is not visible yet."""

    @pytest.fixture
    def store_url(self, postgres_store_url):
        return postgres_store_url

    def test_waits_for_events_that_got_their_ids_earlier(self, store, open_stores):
        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            tx.rounds.add(cycle, PLAN, draws(("i0",)), (), NOW)
            tx.commit()
        other = open_stores()
        marks = []

        def later():
            with other.begin() as tx:
                tx.labels.add([said("i0", "second", minutes=1)], NOW + MINUTE)
                tx.commit()
            with other.begin() as tx:
                marks.append((tx.labels.newest_event_id(), len(tx.labels.of_panel("spam"))))

        with store.begin() as tx:
            tx.labels.add([said("i0", "first")], NOW)
            thread = threading.Thread(target=later)
            thread.start()
            thread.join(timeout=1)
            assert thread.is_alive(), "the second writer passed the first, whose event is not visible yet"
            tx.commit()
        thread.join(timeout=30)
        assert [events for _, events in marks] == [2]

    def test_a_label_that_comes_while_its_item_is_drawn_is_not_left_waiting(self, store, open_stores):
        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            tx.commit()
        other = open_stores()

        def later():
            with other.begin() as tx:
                tx.labels.add([said("i0", "first")], NOW)
                tx.commit()

        with store.begin() as tx:
            tx.rounds.add(cycle, PLAN, draws(("i0",)), (), NOW)
            thread = threading.Thread(target=later)
            thread.start()
            thread.join(timeout=1)
            assert thread.is_alive(), "the label was kept before the draw could be seen"
            tx.commit()
        thread.join(timeout=30)
        with store.begin() as tx:
            assert (tx.labels.waiting().events, len(tx.labels.of_panel("spam"))) == (0, 1)
