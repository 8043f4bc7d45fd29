"""Labels that earlier programs set aside as strays come into the inbox with the upgrade, and count where they can."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.adapters.store import migrate, open_store
from tests.support.store.examples import MINUTE, NOW, item_key, said, spec
from tests.support.store.old_schemas import seventh_schema

STRAY = "a label for an item nobody asked about"
LATER = NOW + 10 * MINUTE


@pytest.fixture
def upgraded(empty_url):
    """A store of the schema before, with these label events and strays, after its upgrade."""
    opened = []

    def make(events=(), *set_aside):
        seventh_schema(empty_url, events, set_aside)
        migrate(empty_url)
        opened.append(open_store(empty_url))
        return opened[-1]

    yield make
    for store in opened:
        store.dispose()


def labels_of(store, item):
    with store.begin() as tx:
        return tx.labels.of_items([item_key("spam", item)], tx.panels.question_key(spec()))


def test_strays_of_items_that_were_not_drawn_wait_with_the_time_at_which_they_were_set_aside(upgraded):
    odd = replace(said("z", "e1"), item_key="nul \0 surrogate \udc80 mark ␀0", annotator="\0 ␀0")
    store = upgraded((), (said("z", "e2", "no"), NOW, STRAY), (odd, LATER, STRAY))
    with store.begin() as tx:
        assert tx.labels.waiting_events() == (said("z", "e2", "no"), replace(odd, at=LATER))
        assert tx.labels.waiting().since == NOW
        assert tx.cycles.quarantined() == ()


def test_strays_whose_item_was_drawn_since_join_the_ledger_behind_every_mark(upgraded):
    store = upgraded([(said("b", "e1"), NOW)], (said("a", "e2", "no"), LATER, STRAY))
    with store.begin() as tx:
        assert [event.event_id for _, event in tx.labels.of_panel("spam")] == ["e1", "e2"]
        assert tx.labels.newest_event_id() == 2
        assert tx.labels.waiting().events == 0
    assert labels_of(store, "a") == (replace(said("a", "e2", "no"), at=LATER),)


def test_a_stray_never_outlasts_a_later_word_of_its_annotator(upgraded):
    later, others = said("a", "e2", "no"), said("a", "e3", annotator="bob")
    store = upgraded([(later, LATER), (others, LATER)], (said("a", "e1"), LATER, STRAY))
    assert [event.event_id for event in labels_of(store, "a")] == ["e1", "e2", "e3"]
    assert labels_of(store, "a")[0].at == later.at - timedelta(microseconds=1)


def test_a_stray_that_was_delivered_again_counts_once(upgraded):
    event = said("a", "e1")
    store = upgraded([(event, LATER)], (event, NOW, STRAY))
    assert labels_of(store, "a") == (event,)
    with store.begin() as tx:
        assert tx.labels.add([event], LATER) == (0, 0)
        assert tx.labels.waiting().events == 0


def test_other_rows_stay_set_aside(upgraded):
    store = upgraded((), (said("z", "e1"), NOW, "not valid JSON"), (said("z", "e2"), NOW, STRAY))
    with store.begin() as tx:
        assert [(row.key, row.reason) for row in tx.cycles.quarantined()] == [(item_key("spam", "z"), "not valid JSON")]
