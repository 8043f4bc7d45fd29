"""Processes that die before and after each commit at the label page, and before and after each form that is sent to it."""

from collections import Counter
from dataclasses import replace
from functools import partial

import pytest
from starlette.testclient import TestClient

from stratawatch.adapters.queues.page import PageQueue
from stratawatch.adapters.queues.page_book import PageBook
from tests.support import deaths
from tests.support.label_pages import NOW, Page, batch, fields

KEY, OTHER = "spam-p00000-r1-b1", "spam-p00000-r1-b2"
ITEMS = ["k1", "k2", "k3"]
CALLS = ((TestClient, "post"), (TestClient, "get"))
"""What a browser sends: the process dies before it hears of it, or after its answer, which nobody gets to see."""
dies = partial(deaths.dies, calls=CALLS)
until_it_lives = partial(deaths.until_it_lives, calls=CALLS)


class Mortal:
    """A page whose processes die; what lies in its file is looked at by others."""

    def __init__(self, root):
        self.root = root
        self.page.queue.publish(batch(*ITEMS))
        self.token = PageBook(root).invite("ann")

    @property
    def page(self):
        return Page(self.root)

    @property
    def queue(self):
        return PageQueue(self.root)

    def browser(self):
        client = self.page.stranger()
        client.cookies.set("stratawatch_annotator", self.token)
        return client

    def click(self, path, **more):
        """Look at the page, and send the form that it shows."""
        client = self.browser()
        return client.post(path, data={**fields(client.get("/")), **more})

    def asked(self):
        with PageBook(self.root).reading() as sql:
            rows = sql.execute(
                "SELECT key, item_key FROM tasks JOIN batches ON number = batch WHERE state = 'out' "
                "ORDER BY number, position"
            )
            return rows.fetchall()

    def words(self):
        return [(event.item_key, event.value) for event in self.queue.poll({}).events]

    def standing(self):
        """What counts in the end, as who reads the answers has it."""
        latest = dict(self.words())
        return {key: value for key, value in latest.items() if value != "retract"}

    def label_the_rest(self):
        """Ann goes on until nothing is left."""
        client = self.browser()
        while "key" in (form := fields(client.get("/"))):
            client.post("/answer", data={**form, "value": "no"})


@pytest.fixture
def mortal(tmp_path):
    return Mortal(tmp_path / "queue")


def each_death(tmp_path, work, begin=lambda _: None):
    """A new page for each moment at which the work can die, after `begin`, until it ends by itself."""
    for moment in range(1, deaths.MOST_MOMENTS):
        one = Mortal(tmp_path / f"queue-{moment}")
        begin(one)
        if not dies(partial(work, one), moment):
            assert moment > 2
            return
        yield one
    raise AssertionError("it never ended by itself")


def test_a_page_is_made_whenever_those_who_make_it_die(tmp_path):
    assert until_it_lives(lambda: PageQueue(tmp_path / "queue").adopt("ours")) >= 4
    assert PageQueue(tmp_path / "queue").identity() == "ours"


class TestABatch:
    def test_is_there_whole_or_not_at_all_and_once_after_a_restart(self, tmp_path):
        second = replace(batch("k3", "k4", key=OTHER), answers_since=NOW)
        found = set()
        for one in each_death(tmp_path, lambda one: one.queue.publish(second)):
            found.add(len(one.asked()))
            one.queue.publish(second)
            assert one.asked() == [*((KEY, item) for item in ITEMS), (OTHER, "k3"), (OTHER, "k4")]
            assert one.queue.publish(second).duplicate
        assert found == {3, 5}

    def test_is_withdrawn_with_the_others_whenever_those_who_withdraw_it_die(self, tmp_path):
        found = set()
        keys = [KEY, OTHER, "never-published"]
        for one in each_death(
            tmp_path, lambda one: one.queue.cancel(keys), begin=lambda one: one.queue.publish(batch("k4", key=OTHER))
        ):
            found.add(len(one.asked()))
            one.queue.cancel(keys)
            assert one.asked() == []
            assert one.queue.withdrawn_keys() == {*keys}
            assert one.queue.publish(batch("k9", key="never-published")).duplicate
        assert found == {4, 0}

    def test_goes_out_again_once_whenever_those_who_ask_again_die(self, mortal):
        mortal.click("/answer", value="yes")
        mortal.queue.cancel([KEY])

        def again():
            mortal.queue.ask_again([KEY])
            mortal.queue.publish(batch(*ITEMS))

        assert until_it_lives(again) >= 4
        assert mortal.asked() == [(KEY, item) for item in ITEMS]
        mortal.label_the_rest()
        assert Counter(item for item, _ in mortal.words()) == dict.fromkeys(ITEMS, 1)

    def test_is_put_away_whenever_those_who_put_it_away_die(self, tmp_path):
        for one in each_death(tmp_path, lambda one: one.queue.close([KEY])):
            one.queue.close([KEY])
            assert one.asked() == []
            assert one.queue.batch_keys() == {KEY}
            assert one.queue.publish(batch(*ITEMS)).duplicate

    def test_loses_its_payload_and_no_answer_whenever_those_who_drop_it_die(self, tmp_path):
        words = "I know who wrote this"

        def begin(one):
            one.click("/answer", value="skip", reason=words)
            (one.said,) = one.words()

        def drop(one):
            one.queue.drop_payload({KEY: {one.said[0]}})

        for one in each_death(tmp_path, drop, begin):
            drop(one)
            kept = b"".join(file.read_bytes() for file in one.root.iterdir())
            left = [item for item in ITEMS if item != one.said[0]]
            assert [item for item in ITEMS if f"text of {item}".encode() in kept] == left
            assert words.encode() not in kept
            assert one.words() == [one.said]
            assert one.asked() == [(KEY, item) for item in left]
            assert one.queue.publish(batch(*left)).duplicate


class TestAnAnswer:
    def test_is_kept_once_or_asked_for_again_whenever_the_page_dies(self, tmp_path):
        found = set()
        for one in each_death(tmp_path, lambda one: one.click("/answer", value="yes")):
            found.add(len(one.words()))
            one.label_the_rest()
            assert sorted(key for key, _ in one.words()) == ITEMS
        assert found == {0, 1}

    def test_counts_once_though_its_form_is_sent_again_whenever_the_page_dies(self, tmp_path):
        forms = {}

        def begin(one):
            forms[one.root] = {**fields(one.browser().get("/")), "value": "yes"}

        def send(one):
            return one.browser().post("/answer", data=forms[one.root])

        for one in each_death(tmp_path, send, begin):
            send(one)
            assert one.words() == [(forms[one.root]["key"], "yes")]

    def test_is_taken_back_whenever_the_page_dies_and_no_other_is(self, tmp_path):
        found = set()

        def begin(one):
            for value in ("yes", "no"):
                one.click("/answer", value=value)

        for one in each_death(tmp_path, lambda one: one.click("/undo"), begin):
            first, second, *back = one.words()
            found.add(len(back))
            assert back in ([], [(second[0], "retract")])
            one.label_the_rest()
            assert one.standing() == {**dict.fromkeys(ITEMS, "no"), first[0]: "yes"}
        assert found == {0, 1}

    def test_of_somebody_else_is_asked_for_once_who_looked_died(self, tmp_path):
        """An item that a dead page had given is given again: to her at once, and to others when it is let go."""
        for one in each_death(tmp_path, lambda one: one.browser().get("/")):
            ben = one.page.browser("ben")
            given = set()
            for client in (ben, one.browser()):
                while "key" in (form := fields(client.get("/"))):
                    client.post("/answer", data={**form, "value": "yes"})
                    given.add(form["key"])
            assert given == {*ITEMS}
            assert Counter(key for key, _ in one.words()) == dict.fromkeys(ITEMS, 1)
