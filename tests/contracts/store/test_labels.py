from dataclasses import replace

from stratawatch.engine.model.label_events import LabelEvent, WaitingLabels
from tests.support.store.examples import MINUTE, NOW, QUESTION, WEEK, item_key, planned_round, revision, said


class TestAdd:
    def test_appends_what_was_said_about_drawn_items(self, store):
        events = [said("a", "e1"), said("b", "e2", "no", "bob")]
        with store.begin() as tx:
            planned_round(tx)
            assert tx.labels.add(events, NOW) == (2, 0)
            assert tx.labels.of_items([item_key("spam", "a"), item_key("spam", "b")], QUESTION) == tuple(events)

    def test_counts_an_event_once_however_often_it_comes(self, store):
        with store.begin() as tx:
            planned_round(tx)
            assert tx.labels.add([said("a", "e1"), said("a", "e1")], NOW)[0] == 1
            assert tx.labels.add([said("a", "e1"), said("a", "e2")], NOW)[0] == 1
            tx.commit()
        with store.begin() as tx:
            assert tx.labels.add([said("a", "e1")], NOW + WEEK) == (0, 0)
            assert len(tx.labels.of_items([item_key("spam", "a")], QUESTION)) == 2

    def test_loses_no_word_to_an_event_id_that_is_used_twice(self, store):
        with store.begin() as tx:
            planned_round(tx)
            assert tx.labels.add([said("a", "e1", "yes"), said("b", "e1", "no")], NOW)[0] == 2
            assert tx.labels.add([said("a", "e1", "skip")], NOW)[0] == 1
            assert tx.labels.add([said("a", "e1", "skip")], NOW)[0] == 0
            assert [e.value for e in tx.labels.of_items([item_key("spam", "a")], QUESTION)] == ["yes", "skip"]
            assert [e.value for e in tx.labels.of_items([item_key("spam", "b")], QUESTION)] == ["no"]

    def test_tells_sources_apart_even_where_their_words_run_together(self, store):
        with store.begin() as tx:
            planned_round(tx)
            pairs = [("x", "yz"), ("xy", "z"), ("x\0y", "z"), ("x", "y\0z")]
            assert tx.labels.add([said("a", i, source=s) for s, i in pairs], NOW)[0] == 4

    def test_of_nothing_is_nothing(self, store):
        with store.begin() as tx:
            assert tx.labels.add([], NOW) == (0, 0)

    def test_takes_thousands_at_once(self, store):
        items = tuple(f"i{n}" for n in range(3000))
        with store.begin() as tx:
            planned_round(tx, items=items)
            events = [said(item, f"e{item}", minutes=n) for n, item in enumerate(items)]
            assert tx.labels.add(events, NOW) == (3000, 0)
            assert tx.labels.add(events, NOW) == (0, 0)
            assert [e.event_id for e in tx.labels.of_items([e.item_key for e in events], QUESTION)] == [
                e.event_id for e in events
            ]

    def test_is_rolled_back_with_its_cursor(self, store):
        with store.begin() as tx:
            planned_round(tx)
            tx.commit()
            tx.labels.add([said("a", "e1")], NOW)
            tx.labels.save_cursor("folder", {"line": 1}, NOW)
        with store.begin() as tx:
            assert (tx.labels.newest_event_id(), tx.labels.cursor("folder")) == (0, {})

    def test_takes_identifiers_of_any_kind_and_length(self, store):
        odd = "quote ' \" newline \n poo \N{PILE OF POO} nul \0 surrogate \udc80 mark ␀0 " + "x" * 10_000
        event = LabelEvent(odd, odd, item_key("spam", "a"), odd, "yes", NOW)
        lost = replace(event, item_key=odd)
        with store.begin() as tx:
            planned_round(tx)
            assert tx.labels.add([event, lost], NOW) == (1, 1)
            assert tx.labels.add([event, lost], NOW) == (0, 0)
            assert tx.labels.of_items([item_key("spam", "a")], QUESTION) == (event,)
            assert tx.labels.waiting_events() == (lost,)


class TestTheInbox:
    """Labels of items that were not drawn wait, and join the ledger with the draw of their item."""

    def test_keeps_events_of_items_that_were_not_drawn_out_of_the_ledger(self, store):
        stranger = said("never drawn", "e9")
        with store.begin() as tx:
            planned_round(tx)
            assert tx.labels.add([stranger, said("a", "e1"), stranger], NOW) == (1, 1)
            assert tx.labels.of_items([stranger.item_key], QUESTION) == ()
            assert len(tx.labels.of_panel("spam")) == 1
            assert tx.labels.waiting_events() == (stranger,)

    def test_counts_an_event_once_however_often_it_comes(self, store):
        events = [said("a", "e1"), said("a", "e2", "no")]
        with store.begin() as tx:
            assert tx.labels.add(events, NOW) == (0, 2)
            assert tx.labels.add([*events, said("a", "e1", "skip")], NOW + WEEK) == (0, 1)
            planned_round(tx)
            assert tx.labels.add(events, NOW + WEEK) == (0, 0)
            assert [event.value for event in tx.labels.of_items([events[0].item_key], QUESTION)] == [
                "yes",
                "no",
                "skip",
            ]

    def test_is_left_with_the_draw_and_its_times_and_order_stay(self, store):
        early, late, other = said("a", "e1", minutes=5), said("b", "e2"), said("stranger", "e3")
        with store.begin() as tx:
            tx.labels.add([other, late], NOW)
            tx.labels.add([early], NOW + MINUTE)
            planned = planned_round(tx)
            assert [(item, event) for item, event in tx.labels.of_panel("spam")] == [("b", late), ("a", early)]
            assert tx.labels.past_draws([planned.cycle], NOW, QUESTION)[0].events == (late,)
            assert tx.labels.waiting_events() == (other,)

    def test_is_left_with_ids_above_every_mark(self, store):
        with store.begin() as tx:
            tx.labels.add([said("z", "e1")], NOW)
            planned_round(tx)
            tx.labels.add([said("a", "e2"), said("b", "e3")], NOW)
            mark = tx.labels.newest_event_id()
            planned = planned_round(tx, 1, items=("z",))
            tx.estimates.add(revision(planned.cycle, mark=mark))
            assert tx.estimates.outdated(mark) == (planned.cycle,)

    def test_says_how_many_wait_and_since_when(self, store):
        with store.begin() as tx:
            assert tx.labels.waiting() == WaitingLabels(0, 0, None)
            tx.labels.add([said("a", "e1"), said("b", "e2")], NOW)
            tx.labels.add([said("b", "e3", "no")], NOW + WEEK)
            assert tx.labels.waiting() == WaitingLabels(3, 2, NOW)
            planned_round(tx, items=("b",))
            assert tx.labels.waiting() == WaitingLabels(1, 1, NOW)

    def test_comes_and_goes_with_its_transaction(self, store):
        with store.begin() as tx:
            tx.labels.add([said("a", "e1")], NOW)
            tx.commit()
            planned_round(tx)
        with store.begin() as tx:
            assert tx.labels.waiting_events() == (said("a", "e1"),)
            assert tx.labels.newest_event_id() == 0


class TestOfItems:
    def test_has_them_by_time_then_arrival(self, store):
        events = [said("a", "late", minutes=5), said("b", "early"), said("a", "first"), said("b", "second")]
        with store.begin() as tx:
            planned_round(tx)
            tx.labels.add(events, NOW)
            found = tx.labels.of_items([item_key("spam", i) for i in "ab"], QUESTION)
        assert [event.event_id for event in found] == ["early", "first", "second", "late"]

    def test_takes_any_number_of_keys_repeated_or_unknown(self, store):
        with store.begin() as tx:
            planned_round(tx)
            tx.labels.add([said("a", "e1")], NOW)
            keys = [item_key("spam", str(n)) for n in range(70_000)] + [item_key("spam", "a")] * 2
            assert tx.labels.of_items(keys, QUESTION) == (said("a", "e1"),)
            assert tx.labels.of_items([], QUESTION) == ()

    def test_shares_labels_between_cycles_of_a_panel(self, store):
        with store.begin() as tx:
            planned_round(tx, 0)
            tx.labels.add([said("a", "e1")], NOW)
            again = planned_round(tx, 1)
            keys = [draw.item_key for draw in tx.rounds.draws(again.cycle)]
            assert tx.labels.of_items(keys, QUESTION) == (said("a", "e1"),)


class TestAll:
    def test_has_a_panels_events_with_their_items_in_order_of_arrival(self, store):
        with store.begin() as tx:
            planned_round(tx, 0)
            planned_round(tx, 1)
            planned_round(tx, 0, panel="other")
            tx.labels.add([said("b", "e1", minutes=9), said("a", "e2"), said("a", "e3", panel="other")], NOW)
            assert [(item, e.event_id) for item, e in tx.labels.of_panel("spam")] == [("b", "e1"), ("a", "e2")]
            assert [(item, e.event_id) for item, e in tx.labels.of_panel("other")] == [("a", "e3")]


class TestOnDrawnItems:
    def test_are_those_of_the_question_received_in_time_with_the_ids_of_their_items(self, store):
        with store.begin() as tx:
            planned_round(tx)
            planned_round(tx, 1, items=("a", "d"))
            tx.labels.add([said("b", "e1", minutes=2), said("a", "e2"), said("stranger", "e3")], NOW)
            tx.labels.add([said("d", "e4", minutes=1)], NOW + WEEK)

            def found(received_by, not_before=NOW, question=QUESTION):
                return [(item, e.event_id) for item, e in tx.labels.on_drawn_items(question, received_by, not_before)]

            assert found(NOW) == [("a", "e2"), ("b", "e1")]
            assert found(NOW + WEEK) == [("a", "e2"), ("d", "e4"), ("b", "e1")]
            assert found(NOW + WEEK, NOW + MINUTE) == [("d", "e4")]
            assert found(NOW + WEEK, question="another") == found(NOW - MINUTE) == []


class TestMark:
    def test_grows_with_new_events_only(self, store):
        with store.begin() as tx:
            planned_round(tx)
            assert tx.labels.newest_event_id() == 0
            tx.labels.add([said("a", "e1")], NOW)
            first = tx.labels.newest_event_id()
            tx.labels.add([said("a", "e1"), said("stranger", "e2")], NOW)
            assert tx.labels.newest_event_id() == first > 0
            tx.labels.add([said("a", "e3")], NOW)
            assert tx.labels.newest_event_id() > first


class TestCursor:
    def test_is_empty_at_first_and_kept_per_queue(self, store):
        with store.begin() as tx:
            assert tx.labels.cursor("folder") == {}
            tx.labels.save_cursor("folder", {"files": {"a.jsonl": 3}}, NOW)
            tx.labels.save_cursor("folder", {"files": {"a\0.jsonl": 4}}, NOW + MINUTE)
            tx.labels.save_cursor("other", {}, NOW)
            assert tx.labels.cursor("folder") == {"files": {"a\0.jsonl": 4}}
            assert tx.labels.cursor("other") == {}
