"""A cycle at the label page, each of whose advances dies before every commit in the page's file."""

from collections import Counter
from dataclasses import replace

import pytest

from stratawatch.adapters.queues.page import PageQueue
from stratawatch.adapters.queues.page_book import PageBook
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.labels.queue_identity import adopt_queue
from stratawatch.engine.model.states import BatchState, CycleState
from tests.support.deaths import until_it_lives
from tests.support.fakes import spec
from tests.support.scenario import cycle_of, only_cycle, open_all
from tests.support.stores import opened_store


class MortalCycle:
    """A store and a page in files; who advances them is a process of its own."""

    def __init__(self, scenario, folder):
        self.scenario, self.store = scenario, folder / "scenario0.db"
        self.queue, self.book = PageQueue(folder / "page"), PageBook(folder / "page")
        scenario.ports = replace(scenario.ports, queue=self.queue)
        adopt_queue(scenario.ports)
        open_all(scenario)
        scenario.ports.store.dispose()  # no connection of it is shared with those who die

    def advance(self):
        """Processes advance until one of them survives; how many died."""

        def once():
            assert advance(replace(self.scenario.ports, store=opened_store(self.store))).troubles == ()

        return until_it_lives(once, steps=())

    def answer(self, most=1000):
        """What the annotator is given, in that order."""
        given, now = [], self.scenario.clock.now()
        while len(given) < most and (asked := self.book.next_question("ann", 1, now)) is not None:
            assert self.book.answer("ann", asked.item_key, "no", 1, now, f"{asked.item_key}-{now.isoformat()}")
            given.append(asked.item_key)
        return given

    def batches(self):
        with self.scenario.ports.store.begin() as tx:
            found = tx.rounds.batches()
        self.scenario.ports.store.dispose()
        return found

    def state(self):
        return cycle_of(self.scenario, only_cycle(self.scenario)).state


@pytest.fixture
def cycle(make_scenario, tmp_path):
    return MortalCycle(make_scenario(spec(budget=40, batch_size=15, limits=())), tmp_path)


def test_asks_for_each_item_once_reads_each_answer_once_and_ends(cycle):
    died, given = [], []
    for _ in range(3):
        cycle.scenario.clock.advance(hours=1)
        died.append(cycle.advance())
        given += cycle.answer()
    assert min(died) >= 2
    assert set(Counter(given).values()) == {1}
    assert cycle.state() == CycleState.JUDGED
    asked = [task.item_key for batch in cycle.batches() for task in batch.tasks]
    assert sorted(given) == sorted(asked)
    assert cycle.queue.batch_keys() == {batch.key for batch in cycle.batches()}
    assert cycle.queue.asked_keys() == frozenset()


def test_withdraws_at_its_deadline_what_nobody_answered(cycle):
    assert advance(cycle.scenario.ports).troubles == ()
    cycle.scenario.ports.store.dispose()
    answered = cycle.answer(most=5)
    cycle.scenario.clock.advance(days=4)
    assert cycle.advance() >= 2
    assert cycle.answer() == []
    batches = cycle.batches()
    assert cycle.queue.withdrawn_keys() == {one.key for one in batches if one.state == BatchState.WITHDRAWN}
    assert cycle.queue.asked_keys() == frozenset()
    with cycle.scenario.ports.store.begin() as tx:
        labels = [event.item_key for event in tx.labels.of_items(answered, batches[0].question_key)]
    assert sorted(labels) == sorted(answered)
