"""Labels brought in by hand live by the rules of the queue's."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.labels.import_labels import HandLabel, import_labels
from tests.support.scenario import only_cycle, open_all


def drawn_item(scenario) -> str:
    with scenario.ports.store.begin() as tx:
        return tx.rounds.ever_drawn("spam")[0][0]


class TestImporting:
    def test_counts_the_same_line_once(self, scenario):
        open_all(scenario)
        advance(scenario.ports)
        lines = [HandLabel(drawn_item(scenario), "yes", "kim")]
        assert import_labels(scenario.ports, "spam", lines).new == 1
        scenario.clock.advance(hours=1)
        assert import_labels(scenario.ports, "spam", lines).new == 0

    def test_keeps_labels_of_unknown_items_until_they_are_drawn(self, scenario):
        open_all(scenario)
        advance(scenario.ports)
        strangers = [HandLabel("stranger", "yes", "kim"), HandLabel("w1-00001", "no", "kim")]
        assert import_labels(scenario.ports, "spam", strangers).unknown == 2
        assert import_labels(scenario.ports, "spam", strangers).unknown == 0

    def test_answer_the_newest_cycle_though_another_question_was_tried_meanwhile(self, scenario):
        open_all(scenario)
        advance(scenario.ports)
        item = drawn_item(scenario)
        with scenario.ports.store.begin() as tx:
            tx.panels.save(replace(scenario.panel, question="Is it a joke?"), scenario.clock.now())
            tx.commit()
        assert import_labels(scenario.ports, "spam", [HandLabel(item, "yes", "kim")]).unknown == 0

    @pytest.mark.parametrize(("age", "revisions"), [(None, 2), (timedelta(days=1), 1)], ids=["now", "an older word"])
    def test_can_correct_an_answer_unless_its_word_is_older(self, labelled, age, revisions):
        cycle = only_cycle(labelled)
        item = drawn_item(labelled)
        with labelled.ports.store.begin() as tx:
            (said,) = [event for name, event in tx.labels.of_panel("spam") if name == item]
        labelled.clock.advance(hours=1)
        other = "no" if said.value == "yes" else "yes"
        again = HandLabel(item, other, said.annotator, at=age and said.at - age)
        assert import_labels(labelled.ports, "spam", [again]).new == 1
        advance(labelled.ports)
        with labelled.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == revisions

    def test_counts_an_answer_that_was_changed_back(self, labelled):
        item = drawn_item(labelled)
        lines = [HandLabel(item, value, "kim") for value in ("yes", "no", "yes")]
        assert import_labels(labelled.ports, "spam", lines).new == 3
        labelled.clock.advance(hours=1)
        assert import_labels(labelled.ports, "spam", lines).new == 0
        assert import_labels(labelled.ports, "spam", [*lines, lines[1]]).new == 1
