"""Statements of truth: kept once, the newest on an item counts, and they go after their period; on every database."""

from dataclasses import replace
from datetime import timedelta

from stratawatch.engine.cycle.purge_store import purge_store
from stratawatch.engine.model.retention import Purged
from stratawatch.engine.model.truth import TruthStatement
from tests.support.fakes import MONDAY, WEEK
from tests.support.scenario import Scenario, label_cycle, open_all
from tests.support.store.examples import window

HOUR = timedelta(hours=1)
SAID = TruthStatement("spam", "i1", "yes", "chargeback", MONDAY + WEEK)


def add(store, *statements, at=MONDAY + WEEK) -> int:
    with store.begin() as tx:
        new = tx.truth.add(statements, at)
        tx.commit()
    return new


def test_the_same_statement_counts_once(store):
    assert add(store, SAID, SAID, replace(SAID, item="i2")) == 2
    assert add(store, SAID, at=MONDAY + 2 * WEEK) == 0
    with store.begin() as tx:
        (counted,) = tx.truth.counts()
    assert (counted.source, counted.statements, counted.yes) == ("chargeback", 2, 2)


def test_the_newest_statement_on_an_item_counts_whoever_made_it(store):
    scenario = Scenario.around(store)
    scenario.produce(0)
    cycle = label_cycle(scenario)
    with store.begin() as tx:
        first, second, third = (one.item for one in tx.cycles.candidates(cycle)[:3])
    appeal = replace(SAID, item=second, value="no", source="appeal", at=SAID.at + HOUR)
    taken_back = replace(SAID, item=third, value="retract", at=SAID.at + HOUR)
    add(store, *(replace(SAID, item=item) for item in (first, second, third)), appeal, taken_back)
    with store.begin() as tx:
        known = tx.truth.known_items("spam", [cycle], SAID.at)
        assert {one.item: (one.value, one.source) for one in known} == {
            first: ("yes", "chargeback"),
            second: ("no", "appeal"),
        }
        assert tx.truth.known_items("spam", [cycle], SAID.at - HOUR) == ()
        assert tx.truth.known_items("eggs", [cycle], SAID.at) == ()


def test_an_item_of_a_window_is_found_by_what_its_statement_says(store):
    place = window()
    inside = replace(SAID, predicted_at=place.start, calls={"lr": False})
    add(store, inside, replace(SAID, item="i2"), replace(inside, item="i3", predicted_at=place.end))
    with store.begin() as tx:
        assert tx.truth.described("spam", place) == (inside,)


def test_statements_go_after_their_period(store):
    scenario = Scenario.around(store)
    scenario.produce(0)
    label_cycle(scenario)
    add(store, SAID, at=scenario.clock.now())
    for days, left in ((729, 1), (2, 0)):
        scenario.clock.advance(days=days)
        open_all(scenario)
        while purge_store(scenario.ports) != Purged():
            pass
        with store.begin() as tx:
            assert len(tx.truth.counts()) == left
