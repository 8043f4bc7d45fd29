"""Processes that die before each commit at the label page and each form that is sent to it, as somebody answers."""

from collections import Counter
from functools import partial

from starlette.testclient import TestClient

from stratawatch.adapters.queues.page import PageQueue
from stratawatch.adapters.queues.page_book import PageBook
from tests.support.deaths import MOST_MOMENTS, killed
from tests.support.label_pages import Page, batch, fields

ITEMS = ["k1", "k2", "k3"]
STEPS = ((TestClient, "post"), (TestClient, "get"))
"""What a browser sends."""


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


def each_death(tmp_path, work, begin=lambda _: None):
    """A new page for each moment at which the work can die, after `begin`; at the last one it has ended by itself."""
    for moment in range(1, MOST_MOMENTS):
        one = Mortal(tmp_path / f"queue-{moment}")
        begin(one)
        died = killed(partial(work, one), moment, STEPS)
        yield one
        if not died:
            assert moment > 2
            return
    raise AssertionError("it never ended by itself")


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
