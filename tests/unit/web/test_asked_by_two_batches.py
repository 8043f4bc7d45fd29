"""Items of overlapping windows, and answers that are taken back after their batch was put away or withdrawn."""

from dataclasses import replace
from datetime import timedelta

from stratawatch.adapters.queues.page_book import HELD
from tests.support.label_pages import Page, batch, fields, say

FIRST, SECOND = "spam-p00000-r1-b1", "spam-p00001-r1-b1"
AFTER = HELD + timedelta(seconds=1)


def shown(client):
    """The item that somebody is given; None where there is none."""
    return fields(client.get("/")).get("key")


def undo(client):
    return client.post("/undo", data=fields(client.get("/"))).text


class TestTwoWindows:
    def test_one_answer_is_for_both_where_both_were_out_before_it(self, page):
        ann, ben = page.browser("ann"), page.browser("ben")
        for key in (FIRST, SECOND):
            page.queue.publish(batch("k1", key=key))
        say(ann, "yes")
        assert shown(ben) is None
        page.queue.close([FIRST])
        assert shown(ben) is None

    def test_as_many_answers_as_votes_are_for_both(self, tmp_path):
        page = Page(tmp_path / "queue", votes=2)
        for key in (FIRST, SECOND):
            page.queue.publish(batch("k1", key=key))
        for name in ("ann", "ben"):
            say(page.browser(name), "yes")
        assert shown(page.browser("cleo")) is None

    def test_what_was_skipped_before_the_second_was_out_is_asked_of_anybody_once(self, page):
        """The engine asks again only where an answer was no verdict, as a skip."""
        ann = page.browser("ann")
        page.queue.publish(batch("k1", key=FIRST))
        say(ann, "skip")
        page.queue.publish(batch("k1", key=SECOND))
        assert shown(ann) == "k1"
        page.now += HELD + timedelta(seconds=1)
        say(page.browser("ben"), "yes")
        assert [shown(client) for client in (ann, page.browser("cleo"))] == [None, None]

    def test_a_second_vote_is_asked_for_once_in_both(self, page):
        for key in (FIRST, SECOND):
            page.queue.publish(batch("k1", key=key))
        say(page.browser("ann"), "yes")
        for key in (FIRST, SECOND):
            page.queue.publish(replace(batch("k1", key=f"{key}-v2"), vote=2))
        say(page.browser("ben"), "no")
        assert shown(page.browser("cleo")) is None


class TestTakenBack:
    def test_of_a_batch_that_was_put_away_is_asked_of_anybody(self, page):
        ann, ben = page.browser("ann"), page.browser("ben")
        page.queue.publish(batch("k1"))
        say(ann, "yes")
        page.queue.close([FIRST])
        assert "Here is its item again" in undo(ann)
        assert shown(ben) is None
        page.now += AFTER
        say(ben, "no")
        assert [shown(client) for client in (ann, ben)] == [None, None]
        assert page.words() == [("k1", "ann", "yes"), ("k1", "ann", "retract"), ("k1", "ben", "no")]

    def test_second_vote_of_a_batch_that_was_put_away_is_not_asked_of_who_gave_the_first(self, page):
        ann, ben = page.browser("ann"), page.browser("ben")
        page.queue.publish(batch("k1"))
        say(ann, "yes")
        page.queue.publish(replace(batch("k1", key=SECOND), vote=2))
        say(ben, "no")
        page.queue.close([FIRST, SECOND])
        undo(ben)
        page.now += AFTER
        assert [shown(client) for client in (ann, ben)] == [None, "k1"]

    def test_of_a_batch_that_was_withdrawn_comes_again_to_who_took_it_back_alone(self, page):
        ann, ben = page.browser("ann"), page.browser("ben")
        page.queue.publish(batch("k1", "k2"))
        for value in ("yes", "yes"):
            say(ann, value)
        page.queue.cancel([FIRST])
        for _ in range(2):
            undo(ann)
        page.now += AFTER
        assert shown(ben) is None
        for value in ("no", "no"):
            say(ann, value)
        assert shown(ann) is None
        assert [value for _, _, value in page.words()] == ["yes", "yes", "retract", "retract", "no", "no"]

    def test_of_which_nothing_can_be_shown_any_more_is_asked_of_nobody(self, page):
        ann = page.browser("ann")
        page.queue.publish(batch("k1"))
        say(ann, "yes")
        page.queue.close([FIRST])
        undo(ann)
        page.now += AFTER
        page.queue.drop_payload({FIRST: {"k1"}})
        assert shown(page.browser("ben")) is None
