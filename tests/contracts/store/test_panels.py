from dataclasses import replace

import pytest

from stratawatch.errors import StratawatchError
from tests.support.store.examples import NOW, WEEK, spec


class TestSave:
    def test_gives_the_same_specification_the_same_version(self, store):
        with store.begin() as tx:
            first = tx.panels.save(spec(), NOW)
            assert tx.panels.save(spec(), NOW + WEEK) == first

    def test_gives_a_changed_specification_a_new_version_and_keeps_the_old(self, store):
        changed = spec(budget=901)
        with store.begin() as tx:
            old, new = tx.panels.save(spec(), NOW), tx.panels.save(changed, NOW)
            assert old != new
            assert tx.panels.get(old) == spec()
            assert tx.panels.get(new) == changed

    def test_does_not_mistake_a_whole_float_for_another_specification(self, store):
        with store.begin() as tx:
            assert tx.panels.save(spec(blind_margin_factor=3.0), NOW) == tx.panels.save(
                spec(blind_margin_factor=3), NOW
            )

    def test_keeps_panels_apart_that_differ_in_their_name_only(self, store):
        with store.begin() as tx:
            assert tx.panels.save(spec("a"), NOW) != tx.panels.save(spec("b"), NOW)


class TestGet:
    def test_returns_exactly_what_was_saved(self, store):
        odd = spec(
            question='It\'s "spam"?\nIs it \N{PILE OF POO}\0?', guideline="␀0 ␀␀", false_pages_per_year=0.1 + 0.2
        )
        with store.begin() as tx:
            version = tx.panels.save(odd, NOW)
            tx.commit()
        with store.begin() as tx:
            assert tx.panels.get(version) == odd

    def test_says_that_a_version_is_not_there(self, store):
        with store.begin() as tx, pytest.raises(StratawatchError, match="no panel version 7"):
            tx.panels.get(7)


class TestLatest:
    def test_is_empty_at_first(self, store):
        with store.begin() as tx:
            assert tx.panels.latest() == {}

    def test_has_the_newest_specification_of_every_panel(self, store):
        with store.begin() as tx:
            tx.panels.save(spec("b"), NOW)
            tx.panels.save(spec("a"), NOW)
            tx.panels.save(spec("a", budget=1000), NOW)
            assert tx.panels.latest() == {"a": spec("a", budget=1000), "b": spec("b")}

    def test_follows_a_specification_that_returns_to_its_older_form(self, store):
        with store.begin() as tx:
            for each in (spec(), replace(spec(), budget=5000), spec()):
                tx.panels.save(each, NOW)
            assert tx.panels.latest() == {"spam": spec()}
