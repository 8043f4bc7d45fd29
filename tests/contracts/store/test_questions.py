"""A label belongs to the question that was asked: draws, batches and events say which, those of before too."""

from dataclasses import replace

import pytest

from stratawatch.adapters.store import migrate, open_store
from stratawatch.core.plan import Plan
from stratawatch.engine.model.idempotency_keys import item_key_without_question, question_wording
from tests.support.store.examples import (
    MINUTE,
    MONDAY,
    NOW,
    PLAN,
    QUESTION,
    WEEK,
    draws,
    frozen,
    frozen_cycle,
    item_key,
    planned_round,
    revision,
    said,
    spec,
    window,
)
from tests.support.store.old_schemas import as_of_schema

OTHER = "is it not"


def asked(tx, period, question=QUESTION, items=("a", "b", "c"), **changes):
    """A cycle that draws these items for a question; returns it."""
    cycle = frozen_cycle(tx, period, items=items)
    tx.rounds.add(cycle, PLAN, draws(items, question_key=question, **changes), (), NOW + period * WEEK)
    return cycle


def answer(item, event_id, question=QUESTION, **changes):
    return replace(said(item, event_id, **changes), item_key=item_key("spam", item, question))


class TestQuestionKey:
    def test_is_the_wording_of_what_was_never_asked_in_other_words(self, store):
        with store.begin() as tx:
            assert tx.panels.question_key(spec()) == question_wording(spec().question, spec().guideline)
            tx.panels.save(spec(), NOW)
            assert tx.panels.question_key(spec()) == question_wording(spec().question, spec().guideline)

    def test_changes_with_question_and_guideline_and_with_nothing_else(self, store):
        with store.begin() as tx:
            tx.panels.save(spec(), NOW)
            key = tx.panels.question_key(spec())
            assert tx.panels.question_key(spec(budget=7000, seed="s9", votes=3)) == key
            others = [spec(question="Is it ham?"), spec(guideline="Look twice.")]
            assert len({key, *map(tx.panels.question_key, others)}) == 3

    def test_stays_where_a_guideline_gets_or_loses_its_version_unchanged(self, store):
        first, named = spec(guideline="If."), spec(guideline="If.", guideline_version="1")
        mended = spec(guideline="If!", guideline_version="1")
        with store.begin() as tx:
            tx.panels.save(first, NOW)
            key = tx.panels.question_key(first)
            for one in (named, mended, spec(guideline="If!")):
                assert tx.panels.question_key(one) == key, one
                tx.panels.save(one, NOW)
            assert tx.panels.question_key(mended) == key

    def test_is_another_for_another_version_of_an_unchanged_guideline(self, store):
        first, second = spec(guideline_version="1"), spec(guideline_version="2")
        with store.begin() as tx:
            tx.panels.save(first, NOW)
            key = tx.panels.question_key(first)
            assert tx.panels.question_key(second) != key
            tx.panels.save(second, NOW)
            assert tx.panels.question_key(second) != key
            assert tx.panels.question_key(first) == key

    def test_stays_where_the_version_is_the_key_itself(self, store):
        """So a guideline that was mended already can still be called the same question."""
        first = spec(guideline="If.")
        with store.begin() as tx:
            tx.panels.save(first, NOW)
            key = tx.panels.question_key(first)
            assert tx.panels.question_key(spec(guideline="If!")) != key
            assert tx.panels.question_key(spec(guideline="If!", guideline_version=key)) == key
            assert tx.panels.question_key(spec(guideline="If!", guideline_version=key, question="Was it?")) != key

    def test_is_the_panels_own(self, store):
        named = {"guideline": "If.", "guideline_version": "1"}
        with store.begin() as tx:
            tx.panels.save(spec(guideline="If."), NOW)
            assert tx.panels.question_key(spec(**named)) != tx.panels.question_key(spec("ham", **named))


class TestEvents:
    def test_answer_the_question_that_their_item_was_asked(self, store):
        with store.begin() as tx:
            asked(tx, 0)
            asked(tx, 1, OTHER)
            assert tx.labels.add([answer("a", "e1"), answer("a", "e2", OTHER, value="no")], NOW)[0] == 2
            (first,) = tx.labels.of_items([item_key("spam", "a"), item_key("spam", "a", OTHER)], QUESTION)
            (second,) = tx.labels.of_items([item_key("spam", "a"), item_key("spam", "a", OTHER)], OTHER)
            assert [(one.event_id, one.question_key) for one in (first, second)] == [("e1", QUESTION), ("e2", OTHER)]
            events = tx.labels.of_panel("spam")
            assert [(item, one.question_key) for item, one in events] == [("a", QUESTION), ("a", OTHER)]
            assert [one.event_id for _, one in tx.labels.of_panel("spam", OTHER)] == ["e2"]

    def test_outdate_no_cycle_that_asked_something_else(self, store):
        with store.begin() as tx:
            cycles = [asked(tx, 0), asked(tx, 1, OTHER)]
            for cycle in cycles:
                tx.estimates.add(revision(cycle))
            tx.labels.add([answer("a", "e1")], NOW)
            assert tx.estimates.outdated() == (cycles[0],)

    def test_are_history_of_their_question_only(self, store):
        with store.begin() as tx:
            cycles = [asked(tx, 0), asked(tx, 1, OTHER)]
            tx.labels.add([answer("a", "e1"), answer("b", "e2", OTHER)], NOW)
            for question, expected in ((QUESTION, (cycles[0], "a")), (OTHER, (cycles[1], "b"))):
                (past,) = tx.labels.past_draws(cycles, NOW + WEEK, question)
                assert (past.cycle_id, past.item) == expected


class TestDraws:
    def test_say_which_keys_are_out_for_a_question(self, store):
        with store.begin() as tx:
            asked(tx, 0)
            keys = [item_key("spam", name) for name in "abx"]
            assert tx.rounds.keys_drawn(keys, QUESTION) == set(keys[:2])
            assert tx.rounds.keys_drawn(keys, OTHER) == tx.rounds.keys_drawn([], QUESTION) == set()
            assert tx.rounds.keys_drawn([*keys, *(str(n) for n in range(70_000))], QUESTION) == set(keys[:2])

    def test_list_an_item_once_however_many_questions_it_was_asked(self, store):
        with store.begin() as tx:
            asked(tx, 0)
            asked(tx, 1, OTHER)
            assert tx.rounds.ever_drawn("spam") == (("a", NOW), ("b", NOW), ("c", NOW))


def test_a_panel_knows_its_questions_and_the_inbox_its_keys(store):
    with store.begin() as tx:
        for panel in (spec(), spec(budget=7000), spec(guideline="Look twice."), spec("ham")):
            tx.panels.save(panel, NOW)
        keys = {tx.panels.question_key(one) for one in (spec(), spec(guideline="Look twice."))}
        assert tx.panels.question_keys("spam") == keys
        assert tx.panels.question_keys("nobody") == frozenset()
        tx.labels.add([answer("a", "e1")], NOW)
        assert tx.labels.keys_waiting([item_key("spam", name) for name in "ab"]) == {item_key("spam", "a")}


def test_batches_keep_their_question(store):
    with store.begin() as tx:
        assert tx.rounds.batch(planned_round(tx).batch).question_key == QUESTION


@pytest.fixture
def other_url(empty_url, request, tmp_path):
    """Where another store could be, on the same database."""
    sqlite = empty_url.startswith("sqlite")
    return f"sqlite:///{tmp_path}/old.db" if sqlite else request.getfixturevalue("new_postgres")()


class TestUpgrade:
    """From schema 0006, where an item had one key whatever it was asked."""

    @pytest.fixture
    def questions(self):
        return [spec(guideline="If."), spec(guideline="If!")]

    def asked(self, tx, panel, period, items, **changes):
        version = tx.panels.save(panel, NOW)
        cycle = tx.cycles.open("spam", version, period, window(period), NOW)
        tx.cycles.freeze(cycle, frozen(items), NOW)
        new = draws(items, question_key=tx.panels.question_key(panel), **changes)
        tx.rounds.add(cycle, Plan((2, 1), {}, "m"), new, (), NOW + period * WEEK)
        return cycle

    def upgraded(self, url, old_url):
        as_of_schema(url, old_url, "0006")
        migrate(old_url)
        return open_store(old_url)

    def test_gives_each_draw_the_question_of_its_cycle(self, store, store_url, other_url, questions):
        with store.begin() as tx:
            cycles = [self.asked(tx, panel, period, ("a", "b")) for period, panel in enumerate(questions)]
            tx.commit()
        old = self.upgraded(store_url, other_url)
        with old.begin() as tx:
            for cycle, panel in zip(cycles, questions, strict=True):
                assert {draw.question_key for draw in tx.rounds.draws(cycle)} == {tx.panels.question_key(panel)}
                assert tx.panels.question_key(panel) == question_wording(panel.question, panel.guideline)
        old.dispose()

    def test_gives_each_event_the_question_that_its_item_was_asked_last_before_it_came(
        self, store, store_url, other_url, questions
    ):
        with store.begin() as tx:
            keys = [tx.panels.question_key(panel) for panel in questions]
            self.asked(tx, questions[0], 0, ("a", "b"))
            tx.labels.add([answer("a", "e1", keys[0]), answer("b", "e2", keys[0])], NOW + MINUTE)
            self.asked(tx, questions[1], 2, ("a", "b"))
            tx.labels.add([answer("a", "e3", keys[1], value="no")], NOW + 2 * WEEK + MINUTE)
            tx.commit()
        old = self.upgraded(store_url, other_url)
        with old.begin() as tx:
            found = {event.event_id: event.question_key for _, event in tx.labels.of_panel("spam")}
            assert found == {"e1": keys[0], "e2": keys[0], "e3": keys[1]}
            assert tx.labels.add([replace(answer("a", "e3"), item_key=old_key("a"), value="no")], NOW) == (0, 0)
        old.dispose()

    def test_leaves_a_draw_that_reused_a_label_the_question_of_that_label(self, store, store_url, other_url, questions):
        """What was judged by such labels stays as it was judged, and a cycle under way does not wait for them."""
        with store.begin() as tx:
            keys = [tx.panels.question_key(panel) for panel in questions]
            self.asked(tx, questions[0], 0, ("a", "b"))
            tx.labels.add([answer("a", "e1", keys[0])], NOW + MINUTE)
            cycle = self.asked(tx, questions[1], 1, ("a", "b"), reused=True)
            tx.commit()
        old = self.upgraded(store_url, other_url)
        with old.begin() as tx:
            assert {draw.question_key for draw in tx.rounds.draws(cycle)} == {keys[0]}
            assert [event.event_id for event in tx.labels.of_items([old_key("a")], keys[0])] == ["e1"]
            assert tx.labels.of_items([old_key("a")], keys[1]) == ()
        old.dispose()

    def test_outdates_no_cycle(self, store, store_url, other_url, questions):
        with store.begin() as tx:
            key = tx.panels.question_key(questions[0])
            cycle = self.asked(tx, questions[0], 0, ("a", "b"))
            tx.labels.add([answer("a", "e1", key)], NOW + MINUTE)
            tx.estimates.add(revision(cycle, mark=tx.labels.newest_event_id()))
            tx.commit()
        old = self.upgraded(store_url, other_url)
        with old.begin() as tx:
            assert tx.estimates.outdated() == ()
            late = replace(answer("b", "e2"), item_key=old_key("b"))
            assert tx.labels.add([late], NOW)[0] == 1
            assert tx.estimates.outdated() == (cycle,)
        old.dispose()

    def test_of_nothing_is_a_store_of_today(self, store_url, other_url):
        old = self.upgraded(store_url, other_url)
        with old.begin() as tx:
            tx.panels.save(spec(), MONDAY)
            assert tx.rounds.ever_drawn("spam") == ()
        old.dispose()


def old_key(item):
    return item_key_without_question("spam", item)
