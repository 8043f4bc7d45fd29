from dataclasses import fields

import pytest

from stratawatch.core.history.variance_priors import VariancePrior
from stratawatch.core.population import Atom, Segment
from stratawatch.engine.model.erasure import name_of_erased
from stratawatch.errors import StaleState
from tests.support.store.examples import (
    ATOMS,
    COUNTRY,
    MONDAY,
    NOW,
    PLAN,
    QUESTION,
    WEEK,
    candidate,
    draws,
    frozen,
    frozen_cycle,
    open_cycle,
    said,
)


class TestFreeze:
    def test_keeps_the_facts_of_the_window(self, store):
        with store.begin() as tx:
            cycle = tx.cycles.get(frozen_cycle(tx))
        assert cycle.source_version == {"files": ["p.parquet"]}
        assert (cycle.docs, cycle.state) == ("spam/w0.html", "open")
        assert cycle.profile.rows == 1000
        assert cycle.profile.first_time == MONDAY
        assert cycle.profile.columns["lr"]["positives"] == 60

    def test_keeps_what_earlier_windows_say_of_variances(self, store):
        priors = (VariancePrior("lr", "precision", 1.125, 0.0625), VariancePrior("lr", "recall", 0.1, 0.3))
        with store.begin() as tx:
            cycle = open_cycle(tx)
            assert tx.cycles.get(cycle).variance_priors == ()
            tx.cycles.freeze(cycle, frozen(variance_priors=priors), NOW)
            assert tx.cycles.get(cycle).variance_priors == priors

    def test_returns_the_very_atoms_in_their_order(self, store):
        with store.begin() as tx:
            assert tx.cycles.atoms(frozen_cycle(tx)) == ATOMS

    def test_forgets_no_field_of_an_atom(self, store):
        """What the design was frozen with must come back whole, or estimates would be made with another one."""
        atom = Atom("1", 2, 3, 4, 0.5, {COUNTRY: 1}, stratum=0, prior_rate=0.0625)
        assert all(getattr(atom, field.name) != field.default for field in fields(Atom) if field.name != "stratum")
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.cycles.freeze(cycle, frozen(atoms=(atom,), candidates=()), NOW)
            assert tx.cycles.atoms(cycle) == (atom,)

    def test_keeps_which_atoms_are_drawn_together(self, store):
        atoms = tuple(Atom(pattern, 0, 1023, 10, 0.5, stratum=n) for pattern, n in (("00", 1), ("01", 0), ("11", 1)))
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.cycles.freeze(cycle, frozen(atoms=atoms, candidates=()), NOW)
            assert [atom.stratum for atom in tx.cycles.atoms(cycle)] == [1, 0, 1]

    def test_counts_the_items_of_cycles_by_pattern(self, store):
        with store.begin() as tx:
            first, second, third = (open_cycle(tx, period) for period in range(3))
            atoms = (Atom("1", 0, 8, 5, 0.1), Atom("1", 9, 1023, 7, 0.9), Atom("0", 0, 1023, 900, 0.2))
            tx.cycles.freeze(first, frozen(atoms=atoms, candidates=()), NOW)
            tx.cycles.freeze(second, frozen(atoms=atoms[1:2], candidates=()), NOW)
            assert tx.cycles.items_by_pattern([first, second, third]) == {first: {"1": 12, "0": 900}, second: {"1": 7}}
            assert tx.cycles.items_by_pattern([second]) == {second: {"1": 7}}
            assert tx.cycles.items_by_pattern([]) == {}

    def test_returns_the_pools_by_atom_and_digest(self, store):
        items = [
            candidate("c", atom=1, digest="0" * 32),
            candidate("b", atom=0, digest="f" * 32, cluster="customer 1", score_bins={"lr": 120, "rf": 0}),
            candidate("a", atom=0, digest="1" * 32, copies=3, payload={"text": None, "n": 1.5, "tags": ["x"]}),
        ]
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.cycles.freeze(cycle, frozen(candidates=tuple(items)), NOW)
            assert tx.cycles.candidates(cycle) == (items[2], items[1], items[0])

    def test_keeps_ids_apart_that_differ_only_in_case_or_blanks(self, store):
        ids = ["a", "A", "a ", " a", "a\n"]
        items = tuple(candidate(name, digest=f"{n:032x}") for n, name in enumerate(ids))
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.cycles.freeze(cycle, frozen(candidates=items), NOW)
            assert [one.item for one in tx.cycles.candidates(cycle)] == ids

    def test_keeps_items_that_were_labelled_before_apart_from_the_pools(self, store):
        before = (candidate("b", payload={}), candidate("z", atom=1, payload={}))
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.cycles.freeze(cycle, frozen(labelled_before=before), NOW)
            tx.rounds.add(cycle, PLAN, draws(), [], NOW)
            tx.labels.add([said("b", "e1")], NOW)
            assert {one.item for one in tx.cycles.candidates(cycle)} == {"a", "b", "c"}
            assert sorted(tx.cycles.labelled_before(cycle), key=lambda one: one.item) == list(before)
            assert tx.cycles.labelled_before(frozen_cycle(tx, 1)) == ()
            (draw,) = tx.labels.past_draws([cycle], NOW, QUESTION)
            assert len(draw.events) == 1, "an item of both is drawn once"
            assert sum(tx.truth.candidate_counts([cycle]).values()) == 3

    def test_finds_the_drawn_ones_among_the_candidates(self, store):
        with store.begin() as tx:
            cycle, other = open_cycle(tx), frozen_cycle(tx, 1)
            tx.cycles.freeze(cycle, frozen(labelled_before=(candidate("b"),)), NOW)
            assert tx.cycles.drawn_candidates(cycle) == ()
            drawn = draws()[:2]
            tx.rounds.add(cycle, PLAN, drawn, [], NOW)
            found = tx.cycles.drawn_candidates(cycle)
            assert 0 < len(found) < 3, "of some candidates nobody asks"
            assert found == tuple(one for one in tx.cycles.candidates(cycle) if one.item in {d.item for d in drawn})
            assert tx.cycles.drawn_candidates(other) == ()

    def test_erases_an_item_among_those_too(self, store):
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.cycles.freeze(cycle, frozen(labelled_before=(candidate("b"), candidate("z", atom=1))), NOW)
            for item in "bz":
                tx.erasures.erase("spam", item, (), NOW)
            kept = {one.item for one in (*tx.cycles.candidates(cycle), *tx.cycles.labelled_before(cycle))}
            assert kept == {"a", "c", name_of_erased("b"), name_of_erased("z")}

    def test_keeps_cycles_apart(self, store):
        with store.begin() as tx:
            first, second = frozen_cycle(tx, 0, items=("a",)), frozen_cycle(tx, 1, items=("b", "c"))
            assert [c.item for c in tx.cycles.candidates(first)] == ["a"]
            assert len(tx.cycles.candidates(second)) == 2

    def test_happens_once(self, store):
        with store.begin() as tx:
            cycle = frozen_cycle(tx)
            tx.commit()
        with store.begin() as tx, pytest.raises(StaleState, match="frozen by someone else"):
            tx.cycles.freeze(cycle, frozen(), NOW + WEEK)
        with store.begin() as tx:
            assert len(tx.cycles.candidates(cycle)) == 3

    def test_takes_counts_beyond_32_bits_and_numpy_numbers(self, store):
        import numpy as np

        big = Atom("1", np.int64(3), np.int64(4), np.int64(5_000_000_000), np.float64(0.25), {COUNTRY: np.int64(2**40)})
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.cycles.freeze(cycle, frozen(atoms=(big,), candidates=()), NOW)
            (back,) = tx.cycles.atoms(cycle)
        assert (back.size, back.mean_score, back.segments[COUNTRY]) == (5_000_000_000, 0.25, 2**40)
        assert type(back.size) is int

    def test_takes_segment_values_of_any_kind(self, store):
        odd = {
            Segment("a=b", "c=d\n\0"): 1,
            Segment("a", "b=c=d\n\0"): 2,
            Segment("x", "v" * 10_000): 3,
            Segment("x", ""): 4,
        }
        with store.begin() as tx:
            cycle = open_cycle(tx)
            tx.cycles.freeze(cycle, frozen(atoms=(Atom("1", 0, 1, 9, 0.5, odd),), candidates=()), NOW)
            assert tx.cycles.atoms(cycle)[0].segments == odd


class TestItemsOfEarlierPools:
    def test_are_candidates_that_an_earlier_window_of_the_panel_had_too(self, store):
        with store.begin() as tx:
            for period, items in enumerate(("ab", "bcx", "cdx")):
                frozen_cycle(tx, period, items=tuple(items))
            frozen_cycle(tx, 0, panel="other", items=("d",))
            last = frozen_cycle(tx, 3, items=tuple("abcde"))
            frozen_cycle(tx, 4, items=("e",))
            found = [tx.cycles.items_of_earlier_pools(last, MONDAY + weeks * WEEK) for weeks in range(-1, 4)]
            assert found == [set("abcd"), set("abcd"), set("bcd"), set("cd"), set()]

    def test_those_of_a_window_that_was_run_again_count_for_later_ones(self, store):
        with store.begin() as tx:
            tx.cycles.replace(frozen_cycle(tx, 0, items=("a",)), "corrected")
            again, later = frozen_cycle(tx, 0, items=("a", "b")), frozen_cycle(tx, 1, items=("a", "c"))
            assert tx.cycles.items_of_earlier_pools(again, MONDAY) == frozenset()
            assert tx.cycles.items_of_earlier_pools(later, MONDAY) == {"a"}

    def test_one_that_was_erased_is_recognised_when_it_comes_again(self, store):
        with store.begin() as tx:
            frozen_cycle(tx, 0, items=("a", "b", "c"))
            tx.erasures.erase("spam", "a", (), NOW)
            again = frozen_cycle(tx, 1, items=("a", "b", name_of_erased("z")))
            assert tx.cycles.items_of_earlier_pools(again, MONDAY) == {"a", "b"}
            tx.erasures.erase("spam", "a", (), NOW)
            assert tx.cycles.items_of_earlier_pools(again, MONDAY) == {name_of_erased("a"), "b"}

    def test_ids_may_be_any_text(self, store):
        odd = ("", "erased-", "a\0b", "100%", "x" * 9000)
        with store.begin() as tx:
            frozen_cycle(tx, 0, items=odd)
            assert tx.cycles.items_of_earlier_pools(frozen_cycle(tx, 1, items=(*odd, "new")), MONDAY) == set(odd)
