"""The labelled items that a classifier got wrong, with what people saw of them: from the store, or again from the source."""

import logging
import re
from dataclasses import replace

import pytest

from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.labels.erase_item import erase_item
from stratawatch.engine.labels.labelled_items import labelled_items, newest_draws, with_payload
from stratawatch.engine.model.erasure import is_erased
from stratawatch.errors import Unreachable
from stratawatch.settings.revealed_secrets import remember_secret
from tests.support.deliveries import outbox
from tests.support.scenario import cycle_of, label_weeks, only_cycle, open_all, relabel

CANARY = re.compile(r"text of|w\d+-\d{5}")
"""What the fake source shows of its items, and their ids."""


def items(scenario, cycle=None):
    with scenario.ports.store.begin() as tx:
        return labelled_items(tx, cycle_of(scenario, cycle or only_cycle(scenario)))


def purge(scenario):
    with scenario.ports.store.begin() as tx:
        tx.retention.drop_payload(only_cycle(scenario))
        tx.commit()


def mistakes(scenario, classifier="lr"):
    return with_payload(scenario.ports, [one for one in items(scenario) if one.is_mistake(classifier)])


class TestLabelledItems:
    def test_a_mistake_is_what_people_said_the_opposite_of(self, labelled):
        rows = {row.item: row for rows in labelled.source.windows.values() for row in rows}
        cut_off = next(one.cut_off for one in labelled.panel.classifiers if one.name == "lr")
        found = items(labelled)
        assert len(found) == labelled.panel.budget
        for one in found:
            row = rows[one.item.item]
            called = row.scores[0] >= cut_off
            assert one.side("lr") == ("called" if called else "passed")
            assert one.is_mistake("lr") == (called != row.truth)
            score = one.score("lr")
            assert score.low <= row.scores[0] <= score.high
            assert one.segments == {f"country={row.country}"}
        assert {one.side("lr") for one in found if one.is_mistake("lr")} == {"called", "passed"}

    def test_weights_add_up_to_the_window(self, labelled):
        with labelled.ports.store.begin() as tx:
            size = sum(atom.size for atom in tx.cycles.atoms(only_cycle(labelled)))
        assert sum(one.weight for one in items(labelled)) == pytest.approx(size)

    def test_what_nobody_could_decide_is_no_mistake_and_has_no_weight(self, labelled):
        relabel(labelled, "skip")
        assert {(one.verdict, one.weight, one.is_mistake("lr")) for one in items(labelled)} == {
            ("unresolved", None, False)
        }

    def test_an_answer_that_was_taken_back_does_not_stand(self, labelled):
        assert {len(one.answers) for one in items(labelled)} == {1}
        relabel(labelled, "retract")
        assert {(one.verdict, one.answers) for one in items(labelled)} == {(None, ())}

    def test_a_corrected_answer_is_the_one_that_stands(self, labelled):
        relabel(labelled, "yes")
        assert {answer.value for one in items(labelled) for answer in one.answers} == {"yes"}

    @pytest.mark.parametrize(("value", "standing"), [("yes", {("Ann ", "yes")}), ("retract", set())])
    def test_a_person_under_two_spellings_has_one_answer(self, labelled, value, standing):
        relabel(labelled, value, "Ann ")
        found = items(labelled)
        assert {(one.annotator, one.value) for item in found for one in item.answers} == standing
        assert {len(item.answers) for item in found} == {len(standing)}

    def test_a_cycle_without_a_draw_has_none(self, scenario):
        (cycle,) = open_all(scenario)
        assert items(scenario, cycle) == ()

    def test_an_item_that_several_windows_drew_is_that_of_the_newest(self, scenario):
        label_weeks(scenario, 0, 1)
        first, second = (items(scenario, cycle) for cycle in (1, 2))
        with scenario.ports.store.begin() as tx:
            drawn = newest_draws(tx, "spam")
        assert len(drawn) == len({one.item_key for one in (*first, *second)})
        assert {drawn[one.item_key].cycle.id for one in second} == {2}


class TestWhatPeopleSaw:
    def test_is_what_the_store_keeps_while_it_does(self, labelled):
        labelled.source.windows.clear()
        found = mistakes(labelled)
        assert {one.item.payload["text"] for one in found} == {f"text of {one.item.item}" for one in found}

    def test_is_read_again_once_it_was_purged_and_not_kept(self, labelled):
        before = mistakes(labelled)
        purge(labelled)
        assert mistakes(labelled) == before
        assert [one.item.payload for one in items(labelled)] == [{}] * labelled.panel.budget

    def test_is_not_there_where_the_source_has_the_item_no_more(self, labelled):
        purge(labelled)
        labelled.source.windows.clear()
        assert {(one.payload_gap, *one.item.payload) for one in mistakes(labelled)} == {
            ("purged from the store, and the source has it no more as it was drawn",)
        }

    def test_is_not_there_where_the_source_cannot_be_read_and_the_mistakes_are(self, labelled):
        before = [one.item.item for one in mistakes(labelled)]
        purge(labelled)
        labelled.source.troubles = [Unreachable("the table did not answer")]
        found = mistakes(labelled)
        assert [one.item.item for one in found] == before
        assert {one.payload_gap for one in found} == {
            "purged from the store, and the source could not be read: the table did not answer"
        }

    def test_no_secret_is_shown_where_the_source_cannot_be_read(self, labelled):
        purge(labelled)
        remember_secret("pa55word-of-the-table")
        labelled.source.troubles = [Unreachable("no login at user:pa55word-of-the-table@host")]
        assert mistakes(labelled)[0].payload_gap.endswith("could not be read: no login at user:***@host")

    def test_is_not_there_where_nobody_says_where_the_source_is(self, labelled):
        purge(labelled)
        labelled.ports = replace(labelled.ports, sources={})
        assert "panel 'spam' is not configured any more" in mistakes(labelled)[0].payload_gap

    def test_is_never_read_again_of_an_item_that_was_erased(self, labelled):
        first = mistakes(labelled)[0].item.item
        erase_item(labelled.ports, ["spam"], first, (), lambda _: None, "request 4711")
        labelled.source.calls.clear()
        (erased,) = [one for one in mistakes(labelled) if is_erased(one.item.item)]
        assert (erased.payload_gap, erased.item.payload) == ("it was erased", {})
        assert labelled.source.calls == []

    def test_is_nothing_where_people_are_shown_nothing(self, labelled):
        purge(labelled)
        one, *_ = [item for item in items(labelled) if item.is_mistake("lr")]
        bare = replace(one, spec=replace(one.spec, columns=replace(one.spec.columns, payload=())))
        assert with_payload(labelled.ports, [bare]) == (bare,)

    def test_is_in_no_notification_and_in_no_log(self, labelled, caplog):
        caplog.set_level(logging.DEBUG)
        told = len(outbox(labelled))
        assert CANARY.search(mistakes(labelled)[0].item.payload["text"])
        purge(labelled)
        mistakes(labelled)
        labelled.source.troubles = [Unreachable("the table did not answer")]
        mistakes(labelled)
        advance(labelled.ports)
        assert len(outbox(labelled)) == told
        assert CANARY.findall(caplog.text) == []
