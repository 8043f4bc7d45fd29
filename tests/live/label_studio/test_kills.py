"""Processes that die at each commit and each call of the adapter, before it and after it."""

import os
import signal

import httpx
import pytest

from stratawatch.adapters.queues.answer_book import AnswerBook
from tests.support.batches import KEY, batch
from tests.support.label_studio import said

ITEMS = [f"{KEY}-{number}" for number in range(3)]
MOST_MOMENTS = 60


class Moments:
    """Counts the sides of commits and calls; at the one that is wanted the process is killed."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.crossed = wanted, 0

    def cross(self) -> None:
        self.crossed += 1
        if self.crossed == self.wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    def install(self) -> None:
        """Only in a process of its own: nothing is put back."""
        send, connected, moments = httpx.HTTPTransport.handle_request, AnswerBook._connected, self

        def handle_request(transport, request):
            moments.cross()
            answer = send(transport, request)
            answer.read()  # the server has done it
            moments.cross()
            return answer

        def counted(book, kind):
            return _Counted(connected(book, kind), moments if kind == "IMMEDIATE" else Moments(0))

        httpx.HTTPTransport.handle_request = handle_request
        AnswerBook._connected = counted


class _Counted:
    """A transaction that crosses a moment before and after its commit."""

    def __init__(self, real, moments):
        self.real, self.moments = real, moments

    def __enter__(self):
        return self.real.__enter__()

    def __exit__(self, *trouble):
        self.moments.cross()
        done = self.real.__exit__(*trouble)
        self.moments.cross()
        return done


def dies(work, moment: int) -> bool:
    """Do it in a process that is killed at this moment; whether it came to that."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            Moments(moment).install()
            work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    assert status in (0, signal.SIGKILL)
    return status == signal.SIGKILL


def until_it_lives(work) -> int:
    """Do it again and again, dying at the first moment, the second, ...; how many died."""
    for moment in range(1, MOST_MOMENTS):
        if not dies(work, moment):
            return moment - 1
    raise AssertionError("it never ended by itself")


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
    assert len(said("GET", f"/api/projects/?title={backend.queue()._file.project()[0]}")["results"]) == 1
    assert backend.queue().publish(batch()).duplicate


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
