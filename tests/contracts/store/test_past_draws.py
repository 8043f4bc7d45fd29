"""What earlier cycles had drawn and been told by a moment, on both databases."""

from dataclasses import replace

import pytest

from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom
from tests.support.store.examples import (
    ATOMS,
    MINUTE,
    NOW,
    QUESTION,
    WEEK,
    candidate,
    draws,
    frozen,
    frozen_cycle,
    item_key,
    open_cycle,
    planned_round,
    said,
)

SILENT = Plan((), {}, "nothing")


def told(draw):
    return draw.item, [(event.annotator, event.value) for event in draw.events]


class TestPast:
    def test_is_what_was_drawn_and_what_was_said_of_it(self, store):
        with store.begin() as tx:
            planned = planned_round(tx)
            tx.labels.add([said("a", "e1"), said("b", "e2", "no", "bob"), said("a", "e3", "no", minutes=5)], NOW)
            past = {draw.item: draw for draw in tx.labels.past_draws([planned.cycle], NOW, QUESTION)}
        assert set(past) == {"a", "b"}
        assert told(past["a"]) == ("a", [("ann", "yes"), ("ann", "no")])
        assert (past["a"].cycle_id, past["a"].item_key) == (planned.cycle, item_key("spam", "a"))
        assert (past["a"].pattern, past["a"].bin) == (ATOMS[0].pattern, ATOMS[0].first_bin)
        assert (past["b"].pattern, past["b"].bin) == (ATOMS[1].pattern, ATOMS[1].first_bin)

    def test_weighs_a_label_with_the_items_of_its_stratum_for_each_that_was_drawn(self, store):
        """`a` and `c` were drawn from 60 items, `b` from 939; whether they were answered does not matter."""
        with store.begin() as tx:
            planned = planned_round(tx)
            tx.labels.add([said("a", "e1"), said("b", "e2")], NOW)
            weights = {draw.item: draw.weight for draw in tx.labels.past_draws([planned.cycle], NOW, QUESTION)}
        assert weights == {"a": 60 / 2, "b": 939 / 1}

    def test_weighs_by_stratum_where_several_atoms_are_one(self, store):
        atoms = (*(replace(atom, stratum=0) for atom in ATOMS), Atom("11", 512, 1023, 1, 0.9, stratum=1))
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.cycles.freeze(cycle, frozen(atoms=atoms), NOW)
            tx.rounds.add(cycle, Plan((3, 0), {}, "m"), draws(), [], NOW)
            tx.labels.add([said("a", "e1"), said("b", "e2")], NOW)
            weights = [draw.weight for draw in tx.labels.past_draws([cycle], NOW, QUESTION)]
        assert weights == [999 / 3] * 2

    def test_leaves_out_what_came_or_was_drawn_later(self, store):
        """A second round after the moment changes neither the draws nor the weights of the first."""
        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            tx.rounds.add(cycle, SILENT, draws()[:2], [], NOW)
            tx.labels.add([said("a", "e1")], NOW)
            tx.labels.add([said("a", "e2", "no"), said("b", "e3")], NOW + 2 * MINUTE)
            before = tx.labels.past_draws([cycle], NOW + MINUTE, QUESTION)
            tx.rounds.add(cycle, SILENT, draws()[2:], [], NOW + 3 * MINUTE)
            tx.labels.add([said("c", "e4")], NOW + 4 * MINUTE)
            assert tx.labels.past_draws([cycle], NOW + MINUTE, QUESTION) == before
            later = {draw.item: draw.weight for draw in tx.labels.past_draws([cycle], NOW + WEEK, QUESTION)}
        assert [(told(draw), draw.weight) for draw in before] == [(("a", [("ann", "yes")]), 60)]
        assert later == {"a": 30, "b": 939, "c": 30}

    def test_says_an_item_once_for_every_cycle_that_drew_it(self, store):
        with store.begin() as tx:
            first, second = planned_round(tx, 0), planned_round(tx, 1)
            tx.labels.add([said("a", "e1")], NOW)
            both = [first.cycle, second.cycle]
            assert [draw.cycle_id for draw in tx.labels.past_draws(both, NOW, QUESTION)] == both
            assert [draw.cycle_id for draw in tx.labels.past_draws([second.cycle], NOW, QUESTION)] == [second.cycle]
            assert tx.labels.past_draws([], NOW, QUESTION) == ()

    @pytest.mark.parametrize("number", [3000])
    def test_takes_thousands_at_once(self, store, number):
        items = tuple(f"i{n}" for n in range(number))
        with store.begin() as tx:
            planned = planned_round(tx, items=items)
            tx.labels.add([said(item, f"e{item}") for item in items], NOW)
            assert len(tx.labels.past_draws([planned.cycle], NOW, QUESTION)) == number


class TestBefore:
    def test_cycles_of_earlier_periods_oldest_first(self, store):
        with store.begin() as tx:
            cycles = [open_cycle(tx, period) for period in range(4)]
            open_cycle(tx, 0, panel="other")
            found = [cycle.id for cycle in tx.cycles.find(panel="spam", before=3, newest=2)]
            assert found == cycles[1:3]
            assert tx.cycles.find(panel="spam", before=0) == ()


def test_a_candidate_is_found_by_its_digest_and_its_name(store):
    """Two items of one digest, which md5 does not promise away, stay two."""
    twins = tuple(candidate(name, digest="0" * 32, bin=600 + n) for n, name in enumerate(("a", "b")))
    with store.begin() as tx:
        cycle = open_cycle(tx)
        tx.cycles.freeze(cycle, frozen(candidates=twins), NOW)
        drawn = [replace(draw, digest="0" * 32, atom=0) for draw in draws(("a", "b"))]
        tx.rounds.add(cycle, SILENT, drawn, [], NOW)
        tx.labels.add([said("a", "e1"), said("b", "e2")], NOW)
        assert sorted((draw.item, draw.bin) for draw in tx.labels.past_draws([cycle], NOW, QUESTION)) == [
            ("a", 600),
            ("b", 601),
        ]
