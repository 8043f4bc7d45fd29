"""Gold items in the store: kept once for each question, replaced, taken out, and asked for under keys of a round."""

from datetime import timedelta

import pytest

from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.labels.gold_items import gold_counts, keep_gold
from stratawatch.engine.model.gold import GoldAsk, GoldItem
from stratawatch.engine.model.label_events import LabelEvent
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario, open_all

NOW = MONDAY + WEEK
FIRST = GoldItem("g1", "yes", {"text": "one \0 \ud800", "amount": 1.5, "note": None})
SECOND = GoldItem("g2", "no", {"text": "two"})
PANEL = spec(gold_share=0.25)


def test_items_are_kept_once_for_each_question_and_replaced(store):
    with store.begin() as tx:
        assert tx.gold.keep("spam", "q1", [SECOND, FIRST], NOW) == 2
        assert tx.gold.keep("spam", "q2", [SECOND], NOW) == 1
        tx.commit()
    with store.begin() as tx:
        assert tx.gold.items("spam", "q1") == (FIRST, SECOND)
        assert tx.gold.keep("spam", "q1", [FIRST, GoldItem("g2", "yes", {})], NOW) == 1
        assert tx.gold.items("spam", "q1")[1] == GoldItem("g2", "yes", {})
        assert tx.gold.items("spam", "q2") == (SECOND,)
        assert tx.gold.items("eggs", "q1") == ()
        assert tx.gold.remove("spam", "q1", ["g1", "none"]) == 1
        assert [one.item for one in tx.gold.items("spam", "q1")] == ["g2"]


@pytest.fixture
def asked(store):
    scenario = Scenario.around(store, PANEL)
    scenario.produce(0)
    keep_gold(scenario.ports, PANEL, [GoldItem(f"g{i}", "yes", {"text": f"gold {i}"}) for i in range(40)], (), "")
    open_all(scenario)
    return scenario


def gold_keys(scenario):
    return sorted(
        task.item_key
        for batch in scenario.queue.published.values()
        for task in batch.tasks
        if task.payload["text"].startswith("gold")
    )


def test_a_round_keeps_its_keys_and_knows_how_often_each_was_asked_for(asked):
    advance(asked.ports)
    with asked.ports.store.begin() as tx:
        question = tx.panels.question_key(PANEL)
        (round_,) = tx.rounds.of(1)
        keys = tx.gold.keys_of_round(round_.id)
        assert sorted(keys) == gold_keys(asked)
        asks = tx.gold.asked("spam", question, MONDAY + timedelta(seconds=1))
        assert {one.item_key for one in asks} == keys
        assert {one.truth for one in asks} == {"yes"}
        assert tx.gold.asked("spam", question, MONDAY) == ()
        assert tx.gold.times_asked("spam", question) == dict.fromkeys((one.item for one in asks), 1)
        assert tx.gold.keys_of_round(round_.id + 1) == frozenset()


def test_answers_join_the_ledger_as_answers_to_the_question_and_draw_nothing(asked):
    advance(asked.ports)
    key, now = gold_keys(asked)[0], asked.clock.now()
    with asked.ports.store.begin() as tx:
        assert tx.labels.add([LabelEvent("fake", "e1", key, "ann", "yes", now)], now) == (1, 0)
        question = tx.panels.question_key(PANEL)
        assert [event.question_key for event in tx.labels.of_items([key], question)] == [question]
        assert tx.labels.of_panel("spam") == ()
        assert tx.estimates.outdated() == ()
        tx.commit()


def test_labels_that_wait_for_a_key_join_the_ledger_with_the_round_that_asks_under_it(asked):
    advance(asked.ports)
    with asked.ports.store.begin() as tx:
        (round_,) = tx.rounds.of(1)
        question = tx.panels.question_key(PANEL)
        assert tx.labels.add([LabelEvent("fake", "e1", "k9", "ann", "no", NOW)], NOW) == (0, 1)
        tx.gold.ask("spam", round_.id, question, [GoldAsk("g39", "k9", "yes")])
        assert tx.labels.waiting().events == 0
        assert gold_counts(tx, PANEL, tx.cycles.get(1)).positives == 1
