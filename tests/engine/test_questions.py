"""A changed question asks again; labels of the one before stay with it."""

from dataclasses import replace

import pytest

from stratawatch.adapters.store import migrate
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.labels.import_labels import HandLabel, import_labels
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.model.idempotency_keys import item_key_without_question
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.states import CycleState
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario, cycle_of, label_cycle, open_all, work_on
from tests.support.store.old_schemas import as_of_schema
from tests.support.stores import opened_store
from tests.support.upgraded_scenario import ask_second_week, upgraded_from

FIRST = spec(guideline="Spam is what nobody asked for.")
MENDED = replace(FIRST, guideline="Spam is, what nobody asked for.")


def next_week(scenario, panel, period=1):
    """The window of the first week once more, read under this specification: the same items would be drawn again."""
    scenario.panel = panel
    scenario.source.windows[MONDAY + period * WEEK] = scenario.source.windows[MONDAY]
    scenario.clock.moment = MONDAY + (period + 1) * WEEK
    scenario.queue.truth |= asked_under(scenario, panel)


def asked_under(scenario, panel):
    """The truth of the first week under the keys of this specification's question."""
    other = Scenario.around(scenario.ports.store, panel)
    other.produce(0)
    return other.queue.truth


def draws_of(scenario, cycle):
    with scenario.ports.store.begin() as tx:
        return tx.rounds.draws(cycle)


@pytest.fixture
def judged(make_scenario):
    """The first week labelled and judged."""
    return make_scenario(FIRST, 0)


class TestAChangedQuestion:
    @pytest.mark.parametrize(
        "panel", [replace(FIRST, question="Is it junk?"), MENDED, replace(MENDED, guideline_version="2")]
    )
    def test_reuses_no_label_of_the_one_before(self, judged, panel):
        asked = len(judged.queue.asked())
        next_week(judged, panel)
        cycle = label_cycle(judged)
        draws = draws_of(judged, cycle)
        assert not any(draw.reused for draw in draws)
        assert len(judged.queue.asked()) - asked == len(draws) == panel.budget
        assert cycle_of(judged, cycle).state == CycleState.JUDGED
        with judged.ports.store.begin() as tx:
            used = [one.labels_used for one in tx.estimates.latest(cycle).estimates]
        assert max(used) <= panel.budget

    def test_is_planned_without_a_history(self, judged):
        next_week(judged, MENDED)
        with judged.ports.store.begin() as tx:
            assert len(label_history(tx, FIRST, 1, judged.clock.now())) == FIRST.budget
            assert len(label_history(tx, MENDED, 1, judged.clock.now())) == 0

    def test_back_again_reuses_its_own_labels(self, judged):
        next_week(judged, MENDED)
        label_cycle(judged)
        asked = len(judged.queue.asked())
        next_week(judged, FIRST, 2)
        cycle = label_cycle(judged)
        assert cycle_of(judged, cycle).state == CycleState.JUDGED
        reused = [draw for draw in draws_of(judged, cycle) if draw.reused]
        assert len(reused) >= 60
        assert len(judged.queue.asked()) - asked == len(draws_of(judged, cycle)) - len(reused)

    def test_leaves_late_labels_to_the_cycle_that_asked_for_them(self, judged):
        first = judged.queue.said[0]
        next_week(judged, MENDED)
        cycle = label_cycle(judged)
        other = "no" if first.value == "yes" else "yes"
        judged.queue.said.append(LabelEvent("fake", "late", first.item_key, first.annotator, other, judged.clock.now()))
        work_on(judged, 1)
        with judged.ports.store.begin() as tx:
            numbers = [tx.estimates.latest(one.id).number for one in tx.cycles.find()]
        assert numbers == [2, 1]
        assert cycle_of(judged, cycle).period == 1


class TestAnUnchangedQuestion:
    @pytest.mark.parametrize("panel", [FIRST, replace(FIRST, guideline_version="1")])
    def test_asks_nobody_again(self, judged, panel):
        asked = len(judged.queue.asked())
        next_week(judged, panel)
        cycle = label_cycle(judged)
        reused = sum(draw.reused for draw in draws_of(judged, cycle))
        assert reused >= 60
        assert len(judged.queue.asked()) - asked == len(draws_of(judged, cycle)) - reused

    def test_may_have_its_guideline_mended_under_the_same_version(self, make_scenario):
        scenario = make_scenario(replace(FIRST, guideline_version="1"), 0)
        next_week(scenario, replace(MENDED, guideline_version="1"))
        cycle = label_cycle(scenario)
        assert sum(draw.reused for draw in draws_of(scenario, cycle)) >= 60
        with scenario.ports.store.begin() as tx:
            assert {batch.guideline for batch in tx.rounds.batches(cycle_id=cycle)} <= {MENDED.guideline}


class TestLabelsByHand:
    @pytest.fixture
    def changed(self, judged):
        next_week(judged, MENDED)
        (cycle,) = open_all(judged)
        assert advance(judged.ports).troubles == ()
        assert draws_of(judged, cycle)
        return judged

    def test_answer_the_present_question(self, changed):
        item = draws_of(changed, 2)[0].item
        assert import_labels(changed.ports, "spam", [HandLabel(item, "yes", "kim")]).new == 1
        with changed.ports.store.begin() as tx:
            (event,) = [event for _, event in tx.labels.of_panel("spam") if event.annotator == "kim"]
            assert event.question_key == tx.panels.question_key(MENDED)

    def test_answer_the_question_that_they_name(self, changed):
        item = draws_of(changed, 1)[0].item
        with changed.ports.store.begin() as tx:
            question = tx.panels.question_key(FIRST)
        label = HandLabel(item, "yes", "kim", question_key=question)
        assert import_labels(changed.ports, "spam", [label]).new == 1
        with changed.ports.store.begin() as tx:
            (event,) = [event for _, event in tx.labels.of_panel("spam") if event.annotator == "kim"]
        assert event.question_key == question


class TestAnUpgrade:
    """From schema 0006: keys that are out stay valid, and nobody is asked again."""

    @pytest.fixture
    def upgraded(self, judged, tmp_path):
        """The second week was asked and not answered yet when the program was upgraded."""
        ask_second_week(judged)
        made = upgraded_from("0006", judged, f"sqlite:///{tmp_path}/sixth.db")
        yield made
        made.ports.store.dispose()

    def test_takes_the_labels_that_were_asked_for(self, upgraded):
        asked = upgraded.queue.asked()
        upgraded.queue.answer(upgraded.clock.now())
        work_on(upgraded, 3)
        with upgraded.ports.store.begin() as tx:
            assert [cycle.state for cycle in tx.cycles.find()] == [CycleState.JUDGED] * 2
            assert tx.estimates.latest(1).number == 1
            assert tx.cycles.quarantined() == ()
            second = tx.rounds.draws(2)
        again = set(upgraded.queue.asked()) - set(asked)
        assert {draw.item_key for draw in second if draw.item_key not in asked} == again

    def test_asks_about_no_item_again(self, upgraded):
        upgraded.queue.answer(upgraded.clock.now())
        work_on(upgraded, 3)
        asked = upgraded.queue.asked()
        next_week(upgraded, FIRST, 2)
        cycle = label_cycle(upgraded)
        draws = draws_of(upgraded, cycle)
        reused = [draw for draw in draws if draw.reused]
        assert len(reused) >= 60
        assert all(draw.item_key == item_key_without_question("spam", draw.item) for draw in reused)
        with upgraded.ports.store.begin() as tx:
            first = {draw.item for draw in tx.rounds.draws(1)}
        assert {draw.item for draw in reused} == first & {draw.item for draw in draws}
        assert len(upgraded.queue.asked()) - len(asked) == len(draws) - len(reused)

    def test_counts_labels_that_came_after_the_backup_of_an_older_schema(self, judged, tmp_path):
        """The program of then asked for the second week after the backup; its labels came under the keys of then."""
        url = f"sqlite:///{tmp_path}/backup.db"
        as_of_schema(judged.ports.store.where, url, "0006")
        judged.produce(1)
        judged.clock.moment = MONDAY + 2 * WEEK
        label_cycle(judged)
        with judged.ports.store.begin() as tx:
            keys = {
                draw.item_key: item_key_without_question("spam", draw.item)
                for c in (1, 2)
                for draw in tx.rounds.draws(c)
            }
        migrate(url)
        restored = Scenario.around(opened_store(tmp_path / "backup.db"), FIRST, judged.source)
        restored.clock.moment = MONDAY + 2 * WEEK
        restored.queue.mark = judged.queue.mark
        restored.queue.said = [
            replace(event, item_key=keys[event.item_key], at=min(event.at, restored.clock.moment))
            for event in judged.queue.said
        ]
        (cycle,) = open_all(restored)
        for _ in range(3):
            restored.clock.advance(hours=1)
            assert advance(restored.ports).troubles == ()
        assert cycle_of(restored, cycle).state == CycleState.JUDGED
        assert restored.queue.asked() == []
        with restored.ports.store.begin() as tx:
            assert tx.labels.waiting_events() == ()
        restored.ports.store.dispose()

    def test_asks_a_changed_question_anew(self, upgraded):
        upgraded.queue.answer(upgraded.clock.now())
        work_on(upgraded, 3)
        next_week(upgraded, MENDED, 2)
        cycle = label_cycle(upgraded)
        draws = draws_of(upgraded, cycle)
        assert not any(draw.reused for draw in draws)
        keys_of_before = {item_key_without_question("spam", draw.item) for draw in draws}
        assert keys_of_before.isdisjoint(draw.item_key for draw in draws)
