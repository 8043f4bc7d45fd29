"""Views are made once for all who ask, and again once the store has changed."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from time import sleep

import pytest

from stratawatch.web.dashboard.kept_views import LONGEST, MOST_KEPT, UNASKED, KeptViews


class Watched:
    """Kept views with a clock and a mark of the test's, and how often something was made."""

    def __init__(self):
        self.now, self.mark, self.made, self.asked = 100.0, "a", 0, 0
        self.views = KeptViews(self._read, lambda: self.now)

    def _read(self):
        self.asked += 1
        return self.mark

    def make(self):
        self.made += 1
        return self.made

    def get(self, key="k"):
        return self.views.get(key, self.make)


@pytest.fixture
def watched():
    return Watched()


def test_is_made_again_once_the_mark_changed(watched):
    assert [watched.get(), watched.get()] == [1, 1]
    watched.now += UNASKED
    assert (watched.get(), watched.asked) == (1, 2)
    watched.now += UNASKED
    watched.mark = "b"
    assert [watched.get(), watched.get()] == [2, 2]


def test_asks_at_most_once_a_second_whether_it_changed(watched):
    watched.get()
    watched.mark = "b"
    watched.now += UNASKED / 2
    assert (watched.get(), watched.asked) == (1, 1)


def test_says_how_long_ago_things_were_at_most_a_minute_late(watched):
    watched.get()
    for _ in range(int(LONGEST) - 1):
        watched.now += 1
        assert watched.get() == 1
    watched.now += 1
    assert watched.get() == 2


def test_what_changes_while_it_is_made_makes_it_old(watched):
    def make():
        watched.mark = "b"
        return watched.make()

    assert watched.views.get("k", make) == 1
    watched.now += UNASKED
    assert watched.get() == 2


def test_forgets_all(watched):
    watched.get()
    watched.views.forget()
    assert watched.get() == 2


def test_what_was_begun_before_is_not_kept_after(watched):
    def make():
        watched.views.forget()
        return watched.make()

    assert watched.views.get("k", make) == 1
    assert watched.get() == 2


def test_what_nobody_asks_for_goes_first(watched):
    for number in range(MOST_KEPT):
        watched.get(number)
    watched.get(0)
    watched.get("one more")
    before = watched.made
    watched.get(0)
    assert watched.made == before
    watched.get(1)
    assert watched.made == before + 1


def test_what_cannot_be_made_is_tried_again(watched):
    def fail():
        raise RuntimeError("away")

    with pytest.raises(RuntimeError):
        watched.views.get("k", fail)
    assert watched.get() == 1


def test_keeps_so_many_and_no_more(watched):
    for number in range(MOST_KEPT + 1):
        watched.get(number)
    watched.get(MOST_KEPT)
    assert watched.made == MOST_KEPT + 1
    watched.get(0)
    assert watched.made == MOST_KEPT + 2


def test_many_who_ask_at_once_have_it_made_once(watched):
    barrier = Barrier(8)

    def make():
        sleep(0.05)
        return watched.make()

    def ask(_):
        barrier.wait()
        return watched.views.get("k", make)

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(ask, range(8))) == {1}
    assert not watched.views._making


def test_those_who_wait_have_it_made_once_more_at_most_however_often_the_store_changes(watched):
    """A view that takes longer than a second, over a store that changes all the time."""
    began, go = Event(), Event()

    def slow():
        began.set()
        go.wait()
        watched.now += 5
        watched.mark += "x"
        return watched.make()

    with ThreadPoolExecutor(9) as threads:
        first = threads.submit(watched.views.get, "k", slow)
        began.wait()
        watched.now += 2
        others = [threads.submit(watched.views.get, "k", slow) for _ in range(8)]
        while watched.views._making["k"][1] < 9:
            sleep(0.001)
        go.set()
        assert first.result() == 1
        assert {one.result() for one in others} == {2}


def test_one_may_be_made_of_others(watched):
    assert watched.views.get("both", lambda: watched.get("a") + watched.get("b")) == 3
