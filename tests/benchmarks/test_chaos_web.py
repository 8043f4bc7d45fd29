"""Chaos on the label page and by webhook: who answers through a web process that is killed, and what the referee reads."""

import json
from datetime import UTC, datetime

import pytest

from benchmarks.chaos.annotator import NOBODY_ASKED
from benchmarks.chaos.annotators import annotator
from benchmarks.chaos.installation import PlayedStory
from benchmarks.chaos.places import SERVICE, STRAY
from benchmarks.chaos.verdicts import web_coverage
from benchmarks.chaos.world import PLAIN, Tick, ticks
from stratawatch.adapters.queues.page import PageQueue
from stratawatch.adapters.queues.webhook import WebhookQueue
from stratawatch.adapters.queues.webhook_book import WebhookBook
from stratawatch.engine.model.label_events import Batch, LabelTask
from stratawatch.engine.model.states import BatchState

TICK = Tick(0, "lose", datetime(2026, 1, 12, tzinfo=UTC))
ITEMS = 40


def batch(key):
    tasks = tuple(LabelTask(f"k{i}", {"text": f"{'buy' if i % 2 else 'hello'} {i}"}) for i in range(ITEMS))
    return Batch(7, 3, key, BatchState.PLANNED, 0, "Is it spam?", "Read it.", tasks, "q1")


@pytest.fixture
def page(tmp_path):
    queue = PageQueue(tmp_path / "run" / "queue")
    queue.adopt("ours")
    queue.publish(batch("b"))
    return queue


def sent(number, what="batch.published", key="b", turn=0):
    tasks = [{"key": f"k{i}", "payload": {"text": f"hello {i}"}} for i in range(number)]
    data = {"batch": key, "turn": turn, **({"tasks": tasks} if what == "batch.published" else {})}
    return json.dumps({"run": "run", "message": {"type": what, "data": data}}) + "\n"


@pytest.fixture
def webhook(tmp_path):
    book = WebhookBook(tmp_path / "run" / "queue")
    book.create()
    (tmp_path / SERVICE).write_text(sent(ITEMS))
    return book


def of_queue(queue):
    """What a queue hands to the store: each statement as often as it does."""
    queue.adopt("ours")
    return [(e.item_key, e.annotator, e.value, e.at.isoformat()) for e in queue.poll({}).events]


def week(tmp_path, kind):
    who = annotator(kind, tmp_path / "run", "run")
    for tick in ticks((PLAIN[0],)):
        who.act(tick)
    return who


def all_died(who):
    (*_, without) = web_coverage([PlayedStory((), {}, None, who.crossed, who.deaths)])
    assert without.value == 0
    return {point.split(":")[0] for point in who.crossed}


def test_what_is_said_on_a_page_that_dies_at_every_write_is_there_once(tmp_path, page):
    who = week(tmp_path, "page")
    assert {what for _, _, what, _ in who.said} >= {"yes", "no", "retract"}
    assert sorted(of_queue(page)) == sorted(who.said.elements())
    assert all_died(who) == {"page_book.answer", "page_book.undo", "page_book.next_question"}


def test_what_a_service_delivers_to_a_receiver_that_dies_is_there_once(tmp_path, webhook):
    who = week(tmp_path, "webhook")
    found = of_queue(WebhookQueue(webhook.root, None, ()))
    assert sorted(set(found) - {one for one in found if one[0] == NOBODY_ASKED}) == sorted(who.said)
    assert all_died(who) == {"webhook_book.receive"}


def test_a_web_process_that_never_died_at_a_write_is_named():
    verdicts = web_coverage([PlayedStory((), {}, None, {"a before keep", "a after keep"}, {"a before keep": 1})])
    assert [verdict.value for verdict in verdicts] == [2, 1, 1]


def test_a_batch_is_taken_from_the_page_and_a_stray_one_is_put_there_and_found(tmp_path, page):
    place = annotator("page", tmp_path / "run", "run").place
    assert sorted(place.lines()) == sorted(("out", "b", f"k{i}") for i in range(ITEMS))
    place.lose_a_batch(TICK)
    assert place.lines() == []
    assert page.batch_keys() == {STRAY.format(0)}
    place.find_the_stray(TICK)
    assert page.batch_keys() == frozenset()


def test_a_batch_lies_where_the_last_message_about_it_puts_it(tmp_path, webhook):
    place = annotator("webhook", tmp_path / "run", "run").place
    log = tmp_path / SERVICE
    assert len(place.asked()) == ITEMS
    log.write_text(sent(2) + sent(0, "batch.withdrawn"))
    assert place.lines() == [("cancelled", "b", "k0"), ("cancelled", "b", "k1")]
    log.write_text(log.read_text() + sent(2, turn=1) + sent(1, key="c") + sent(0, "batch.closed", key="c"))
    assert place.lines() == [("out", "b", "k0"), ("out", "b", "k1"), ("done", "c", "k0")]
    assert place.asked() == {"k0": "hello 0", "k1": "hello 1"}
