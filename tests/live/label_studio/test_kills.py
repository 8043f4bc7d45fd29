"""Processes that die before each commit and each call of the adapter, where a queue has what only Label Studio has."""

import pytest

from tests.support.batches import KEY, batch
from tests.support.deaths import until_it_lives
from tests.support.label_studio import said

ITEMS = [f"{KEY}-{number}" for number in range(3)]


@pytest.fixture(autouse=True)
def _parts_of_two(monkeypatch):
    """A batch takes two imports, and a reading two pages."""
    for module in ("label_studio_api", "label_studio"):
        monkeypatch.setattr(f"stratawatch.adapters.queues.{module}.A_CALL", 2)


def test_a_batch_of_two_votes_is_asked_once_in_each_project_whenever_those_who_publish_it_die(backend):
    backend.votes = 2
    backend.queue()
    assert until_it_lives(lambda: backend.queue().publish(batch()), backend.steps()) >= 6
    assert [[task["data"]["item_key"] for task in backend.tasks(vote)] for vote in (1, 2)] == [ITEMS, ITEMS]
    title = backend.queue()._file.project(1).title
    assert len(said("GET", f"/api/projects/?title={title}")["results"]) == 2


def test_answers_and_their_deletion_are_read_once_whenever_readers_die(backend):
    queue = backend.queue()
    queue.publish(batch())
    numbers = [backend.answer(key=key, value="yes") for key in ITEMS]
    until_it_lives(lambda: backend.queue().poll({}), backend.steps())
    first = backend.queue().poll({})
    assert [(event.item_key, event.value) for event in first.events] == [(key, "yes") for key in ITEMS]
    backend.delete(numbers[0])
    backend.edit(numbers[1], "no")
    assert until_it_lives(lambda: backend.queue().poll({}), backend.steps()) >= 3
    news = backend.queue().poll(first.cursor)
    assert sorted((event.item_key, event.value) for event in news.events) == [(ITEMS[0], "retract"), (ITEMS[1], "no")]
