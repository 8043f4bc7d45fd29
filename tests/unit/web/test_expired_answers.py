"""Items that are asked anew at the label page, because an answer has expired."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.adapters.queues.page_book import HELD, PageBook
from tests.support.label_pages import NOW, Page, batch, fields, say

LATER = timedelta(weeks=20)
OLD, NEW = "spam-p00000-r1-b1", "spam-p00020-r1-b1"


def asked(*items, key, since=NOW + LATER / 2, vote=1):
    return replace(batch(*items, key=key), answers_since=since, vote=vote)


def shown(client):
    """The item that somebody is given; None where there is none."""
    return fields(client.get("/")).get("key")


@pytest.fixture
def ann(page):
    """Ann has answered an item; ten weeks later that counts no more."""
    client = page.browser("ann")
    page.queue.publish(asked("k1", key=OLD, since=NOW - LATER))
    say(client, "yes")
    page.queue.close([OLD])
    page.now += LATER
    return client


class TestAnItemThatIsAskedAnew:
    def test_is_given_to_the_same_person_again_once(self, page, ann):
        assert shown(ann) is None
        page.queue.publish(asked("k1", key=NEW))
        assert shown(ann) == "k1"
        say(ann, "no")
        assert shown(ann) is None
        assert shown(page.browser("ben")) is None
        assert page.words() == [("k1", "ann", "yes"), ("k1", "ann", "no")]

    def test_may_go_to_another_person_instead(self, page, ann):
        page.queue.publish(asked("k1", key=NEW))
        say(page.browser("ben"), "no")
        assert shown(ann) is None

    def test_is_asked_once_though_the_earlier_batch_is_still_out(self, page):
        ann = page.browser("ann")
        page.queue.publish(asked("k1", key=OLD, since=NOW - LATER))
        say(ann, "yes")
        page.now += LATER
        page.queue.publish(asked("k1", key=NEW))
        say(ann, "no")
        assert shown(ann) is None
        assert shown(page.browser("ben")) is None

    def test_is_held_as_any_other(self, page, ann):
        page.queue.publish(asked("k1", key=NEW))
        form = {**fields(ann.get("/")), "value": "yes"}
        ben = page.browser("ben")
        assert shown(ben) is None
        page.now += HELD + timedelta(seconds=1)
        say(ben, "no")
        assert "needs no answer any more" in ann.post("/answer", data=form).text
        assert page.words()[1:] == [("k1", "ben", "no")]

    def test_goes_to_who_skipped_it_once_more(self, page):
        """A later window draws the item again, and waits for a word on it."""
        ann = page.browser("ann")
        page.queue.publish(asked("k1", key=OLD, since=NOW - LATER))
        say(ann, "skip")
        assert shown(ann) is None
        page.queue.close([OLD])
        page.queue.publish(asked("k1", key=NEW, since=NOW - LATER, vote=2))
        assert shown(ann) == "k1"
        say(ann, "skip")
        assert shown(ann) is None
        assert [word for _, _, word in page.words()] == ["skip", "skip"]

    def test_comes_again_where_the_new_answer_is_taken_back(self, page, ann):
        page.queue.publish(asked("k1", key=NEW))
        say(ann, "no")
        ann.post("/undo", data=fields(ann.get("/")))
        assert shown(ann) == "k1"
        say(ann, "skip")
        assert shown(ann) is None
        assert [word for _, _, word in page.words()] == ["yes", "no", "retract", "skip"]

    def test_is_asked_no_more_once_it_is_answered_though_the_batch_is_published_again(self, page, ann):
        page.queue.publish(asked("k1", key=NEW))
        say(ann, "no")
        page.queue.cancel([NEW])
        page.queue.ask_again([NEW])
        page.queue.publish(asked("k1", key=NEW))
        assert page.queue.asked_keys() == {NEW}
        assert shown(ann) is None
        assert shown(page.browser("ben")) is None

    def test_gets_as_many_answers_as_votes_say_from_people_each_of_whom_gives_one(self, tmp_path):
        page = Page(tmp_path / "queue", votes=2)
        people = [page.browser(name) for name in ("ann", "ben", "cleo")]
        for key, since in ((OLD, NOW - LATER), (NEW, NOW + LATER / 2)):
            page.queue.publish(asked("k1", key=key, since=since))
            for _ in range(2):
                for client in people:
                    if shown(client):
                        say(client, "yes")
            page.queue.close([key])
            page.now += LATER
        assert page.words() == [("k1", "ann", "yes"), ("k1", "ben", "yes")] * 2

    def test_needs_no_second_answer_of_somebody_who_was_late_for_the_earlier_batch(self, tmp_path):
        page = Page(tmp_path / "queue", votes=2)
        ann, ben, cleo = (page.browser(name) for name in ("ann", "ben", "cleo"))
        page.queue.publish(asked("k1", key=OLD, since=NOW - LATER))
        say(ann, "yes")
        page.now += LATER
        say(ben, "no")
        page.queue.close([OLD])
        page.queue.publish(asked("k1", key=NEW))
        assert shown(ben) is None
        assert shown(cleo) == "k1"
        assert shown(ann) is None  # one answer is missing, and cleo looks at it
        page.now += HELD
        say(ann, "no")
        assert shown(cleo) is None


class TestAnAnswerThatHasNotExpired:
    """A restored store may plan a round anew, and windows may overlap: nobody gives an answer that counts twice."""

    def test_is_not_asked_for_again_by_a_later_batch(self, page, ann):
        page.queue.publish(asked("k1", key=NEW, since=NOW))
        assert shown(ann) is None
        assert shown(page.browser("ben")) == "k1"

    def test_is_one_that_came_late_for_an_earlier_batch(self, page):
        ann = page.browser("ann")
        page.queue.publish(asked("k1", key=OLD, since=NOW - LATER))
        form = {**fields(ann.get("/")), "value": "yes"}
        page.now += timedelta(minutes=1)
        page.queue.publish(asked("k1", key=NEW, since=NOW))
        page.queue.cancel([OLD])
        ann.post("/answer", data=form)
        assert shown(ann) is None
        assert shown(page.browser("ben")) is None
        assert page.words() == [("k1", "ann", "yes")]


class TestFurtherVotes:
    """They go to people who have not answered since the item was asked anew."""

    def further(self, vote):
        return asked("k1", key=f"spam-p00020-r1-v{vote}-1", vote=vote)

    def test_of_an_item_that_was_asked_anew_go_to_others(self, page, ann):
        ben = page.browser("ben")
        page.queue.publish(asked("k1", key=NEW))
        say(ann, "yes")
        for vote, client, others in ((2, ben, [ann]), (3, page.browser("cem"), [ann, ben])):
            page.queue.publish(self.further(vote))
            assert [shown(other) for other in others] == [None] * len(others)
            say(client, "no")
        assert shown(page.browser("dan")) is None
        assert page.words()[1:] == [("k1", "ann", "yes"), ("k1", "ben", "no"), ("k1", "cem", "no")]

    def test_may_be_given_by_whoever_gave_the_first_one_before(self, page, ann):
        page.queue.publish(asked("k1", key=NEW))
        say(page.browser("ben"), "yes")
        page.queue.publish(self.further(2))
        assert shown(ann) == "k1"

    def test_wait_for_another_person_where_the_first_one_is_given_anew(self, page, ann):
        page.queue.publish(asked("k1", key=NEW))
        say(ann, "yes")
        page.queue.publish(self.further(2))
        ann.post("/undo", data=fields(ann.get("/")))
        say(ann, "yes")
        assert shown(ann) is None
        assert shown(page.browser("ben")) == "k1"

    def test_are_asked_for_though_the_batch_of_the_first_was_withdrawn_at_its_deadline(self, page):
        ann, ben = page.browser("ann"), page.browser("ben")
        page.queue.publish(asked("k1", key=OLD, since=NOW - LATER))
        say(ann, "yes")
        page.queue.cancel([OLD])
        page.queue.publish(asked("k1", key="spam-p00001-r1-v2-1", since=NOW - LATER, vote=2))
        assert shown(ann) is None
        assert shown(ben) == "k1"
        say(ben, "no")
        assert shown(page.browser("cem")) is None


MADE_BEFORE = """
CREATE TABLE place (id INTEGER PRIMARY KEY CHECK (id = 1), identity TEXT NOT NULL);
CREATE TABLE batches (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, state TEXT NOT NULL, digest TEXT, question TEXT,
    guideline TEXT, question_key TEXT
);
CREATE TABLE tasks (
    batch INTEGER NOT NULL, position INTEGER NOT NULL, item_key TEXT NOT NULL, payload TEXT NOT NULL,
    PRIMARY KEY (batch, position)
);
CREATE INDEX tasks_by_item ON tasks (item_key);
CREATE TABLE answers (
    id INTEGER PRIMARY KEY AUTOINCREMENT, said TEXT NOT NULL, item_key TEXT, annotator TEXT, value TEXT,
    question_key TEXT, guideline TEXT
);
CREATE TABLE standing (
    item_key TEXT NOT NULL, annotator TEXT NOT NULL, answer INTEGER NOT NULL, PRIMARY KEY (item_key, annotator)
);
CREATE TABLE holds (
    item_key TEXT NOT NULL, annotator TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (item_key, annotator)
);
CREATE TABLE annotators (name TEXT PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE, revoked INTEGER NOT NULL DEFAULT 0);
INSERT INTO place VALUES (1, 'ours');
INSERT INTO batches VALUES (1, 'spam-p00000-r1-b1', 'out', '', 'Is it spam?', '', 'q1');
INSERT INTO tasks VALUES (1, 0, 'k1', '{}'), (1, 1, 'k2', '{}');
INSERT INTO answers VALUES
    (1, '{"key": "k1", "value": "yes", "annotator": "ann", "at": "2026-01-05T10:00:00+00:00"}', 'k1', 'ann', 'yes', '', '');
INSERT INTO standing VALUES ('k1', 'ann', 1);
"""


def test_a_file_of_an_earlier_release_is_brought_up_to_date_and_its_answers_expire(tmp_path):
    (tmp_path / "queue").mkdir()
    with closing(sqlite3.connect(tmp_path / "queue" / PageBook.file)) as sql:
        sql.executescript(MADE_BEFORE)
    page = Page(tmp_path / "queue")
    assert page.queue.identity() == "ours"
    ann = page.browser("ann")
    assert shown(ann) == "k2"
    say(ann, "yes")
    assert shown(ann) is None
    page.now += LATER
    page.queue.publish(asked("k1", key=NEW))
    assert shown(ann) == "k1"
    say(ann, "no")
    assert shown(page.browser("ben")) is None
