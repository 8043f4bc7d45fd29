"""Labels brought in by hand live by the rules of the queue's."""

from datetime import timedelta

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

    def test_sets_labels_of_unknown_items_aside(self, scenario):
        open_all(scenario)
        advance(scenario.ports)
        assert import_labels(scenario.ports, "spam", [HandLabel("stranger", "yes", "kim")]).unknown == 1

    def test_can_correct_an_answer(self, labelled):
        cycle = only_cycle(labelled)
        item = drawn_item(labelled)
        with labelled.ports.store.begin() as tx:
            (said,) = [event for name, event in tx.labels.all("spam") if name == item]
        labelled.clock.advance(hours=1)
        other = "no" if said.value == "yes" else "yes"
        import_labels(labelled.ports, "spam", [HandLabel(item, other, said.annotator)])
        advance(labelled.ports)
        with labelled.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == 2

    def test_an_older_word_does_not_win_because_it_comes_late(self, labelled):
        cycle = only_cycle(labelled)
        item = drawn_item(labelled)
        with labelled.ports.store.begin() as tx:
            (said,) = [event for name, event in tx.labels.all("spam") if name == item]
        labelled.clock.advance(hours=1)
        other = "no" if said.value == "yes" else "yes"
        older = HandLabel(item, other, said.annotator, at=said.at - timedelta(days=1))
        assert import_labels(labelled.ports, "spam", [older]).new == 1
        advance(labelled.ports)
        with labelled.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == 1
