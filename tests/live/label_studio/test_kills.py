"""Processes that die at each commit and each call of the adapter, before it and after it."""

from functools import partial

import httpx
import pytest

from tests.support import deaths
from tests.support.batches import KEY, batch
from tests.support.label_studio import said

ITEMS = [f"{KEY}-{number}" for number in range(3)]
CALLS = ((httpx.HTTPTransport, "handle_request"),)
dies = partial(deaths.dies, calls=CALLS, ended=httpx.Response.read)
until_it_lives = partial(deaths.until_it_lives, calls=CALLS, ended=httpx.Response.read)
"""The server has done what it was asked when its answer is read."""


@pytest.fixture(autouse=True)
def _parts_of_two(monkeypatch):
    """A batch takes two imports, and a reading two pages."""
    for module in ("label_studio_api", "label_studio"):
        monkeypatch.setattr(f"stratawatch.adapters.queues.{module}.A_CALL", 2)


def test_a_batch_is_asked_once_whenever_those_who_publish_it_die(backend):
    backend.queue()
    died = until_it_lives(lambda: backend.queue().publish(batch()))
    assert died >= 10
    assert [line["key"] for line in backend.asked()] == ITEMS
    assert len(said("GET", f"/api/projects/?title={backend.queue()._file.project(1).title}")["results"]) == 1
    assert backend.queue().publish(batch()).duplicate


def test_a_batch_of_two_votes_is_asked_once_in_each_project_whenever_those_who_publish_it_die(backend):
    backend.votes = 2
    backend.queue()
    died = until_it_lives(lambda: backend.queue().publish(batch()))
    assert died >= 16
    assert [[task["data"]["item_key"] for task in backend.tasks(vote)] for vote in (1, 2)] == [ITEMS, ITEMS]
    title = backend.queue()._file.project(1).title
    assert len(said("GET", f"/api/projects/?title={title}")["results"]) == 2


def test_each_moment_of_a_publishing_can_be_the_last_one(backend, tmp_path):
    """As above, but each death is that of a first process."""
    moment, dead = 0, True
    while dead:
        moment += 1
        one = type(backend)(tmp_path / f"queue-{moment}")
        one.queue()
        dead = dies(lambda one=one: one.queue().publish(batch()), moment)
        one.queue().publish(batch())
        assert [line["key"] for line in one.asked()] == ITEMS
    assert moment > 16


def test_answers_and_their_deletion_are_read_once_whenever_readers_die(backend):
    queue = backend.queue()
    queue.publish(batch())
    numbers = [backend.answer(key=key, value="yes") for key in ITEMS]
    until_it_lives(lambda: backend.queue().poll({}))
    first = backend.queue().poll({})
    assert [(event.item_key, event.value) for event in first.events] == [(key, "yes") for key in ITEMS]
    backend.delete(numbers[0])
    backend.edit(numbers[1], "no")
    died = until_it_lives(lambda: backend.queue().poll({}))
    assert died >= 6
    news = backend.queue().poll(first.cursor)
    assert sorted((event.item_key, event.value) for event in news.events) == [(ITEMS[0], "retract"), (ITEMS[1], "no")]


def test_a_withdrawn_batch_is_asked_no_more_whenever_those_who_withdraw_it_die(backend):
    backend.queue().publish(batch())
    assert until_it_lives(lambda: backend.queue().cancel([KEY])) >= 6
    assert backend.asked() == []
    assert backend.queue().withdrawn_keys() == {KEY}
