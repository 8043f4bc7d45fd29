"""Gold items in cycles: mixed in where nobody can tell, paid by the budget, waited for by nobody, and what they show."""

from collections import Counter
from dataclasses import replace
from sqlite3 import connect

import pytest

from stratawatch.core.designs.label_error import corrected_estimates, side_shares
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.labels.corrected_estimates import corrected_cycle
from stratawatch.engine.labels.gold_items import gold_counts, gold_of_annotators, keep_gold
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.labels.queue_identity import adopt_queue
from stratawatch.engine.model.gold import GoldItem
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.states import BatchState, CycleState
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import cycle_of, only_cycle, open_all
from tests.support.stores import opened_store

PANEL = spec(gold_share=0.25, limits=())
GOLD = tuple(GoldItem(f"g{i:03d}", "yes" if i % 3 == 0 else "no", {"text": f"gold {i}"}) for i in range(60))
TRUTH = {one.payload["text"]: one.truth for one in GOLD}


def errs(key, share=0.125):
    """Whether people are wrong about this item."""
    return int(key[:4], 16) < share * 65536


class People:
    """They read the text: gold items say who they are, the others are looked up by their key."""

    def __init__(self, scenario):
        self.scenario, self.answered = scenario, set()

    def truth(self, task):
        found = TRUTH.get(task.payload.get("text"))
        return found == "yes" if found else self.scenario.queue.truth[task.item_key]

    def answer(self, only=lambda task: True, who="ann"):
        queue, now = self.scenario.queue, self.scenario.clock.now()
        for key, batch in list(queue.published.items()):
            for task in batch.tasks:
                if (key, task.item_key) not in self.answered and only(task):
                    self.answered.add((key, task.item_key))
                    said = "yes" if self.truth(task) ^ errs(task.item_key) else "no"
                    queue.said.append(LabelEvent("fake", f"e{len(queue.said)}", task.item_key, who, said, now))


def play(scenario, people, hours=6, **answers):
    for _ in range(hours):
        scenario.clock.advance(hours=1)
        assert advance(scenario.ports).troubles == ()
        people.answer(**answers)


def is_gold(task):
    return task.payload.get("text") in TRUTH


@pytest.fixture
def scenario(make_scenario):
    made = make_scenario(PANEL)
    keep_gold(made.ports, PANEL, GOLD, (), "of the trial")
    open_all(made)
    return made


def gold_tasks(scenario):
    return [task for batch in scenario.queue.published.values() for task in batch.tasks if is_gold(task)]


def counts(scenario, number=None):
    cycle = cycle_of(scenario, number or only_cycle(scenario))
    with scenario.ports.store.begin() as tx:
        return gold_counts(tx, PANEL, cycle)


class TestARound:
    def test_has_its_share_of_gold_and_all_of_it_fits_into_the_budget(self, scenario):
        play(scenario, People(scenario))
        batches = list(scenario.queue.published.values())
        asked = sum(len(batch.tasks) for batch in batches)
        gold = len(gold_tasks(scenario))
        assert gold == pytest.approx(PANEL.gold_share * (asked - gold), abs=1.01)
        assert PANEL.budget * 0.9 <= asked <= PANEL.budget
        for batch in batches:
            assert 0 < sum(map(is_gold, batch.tasks)) < len(batch.tasks)

    def test_asks_for_gold_so_that_nobody_can_tell_it(self, scenario):
        play(scenario, People(scenario))
        tasks = [task for batch in scenario.queue.published.values() for task in batch.tasks]
        assert {len(task.item_key) for task in tasks} == {64}
        assert {tuple(task.payload) for task in tasks} == {("text",)}
        places = [
            i for batch in scenario.queue.published.values() for i, task in enumerate(batch.tasks) if is_gold(task)
        ]
        assert min(places) < 10
        assert max(places) > 20

    def test_asks_for_each_gold_item_before_it_asks_for_one_again(self, scenario):
        people = People(scenario)
        play(scenario, people)
        for period in (1, 2, 3):
            scenario.produce(period)
            scenario.clock.moment = MONDAY + (period + 1) * WEEK
            open_all(scenario)
            play(scenario, people)
        times = Counter(task.payload["text"] for task in gold_tasks(scenario))
        assert len(times) == len(GOLD)
        assert max(times.values()) - min(times.values()) <= 1
        assert len({task.item_key for task in gold_tasks(scenario)}) == sum(times.values())

    def test_leaves_out_gold_that_it_drew_and_gold_that_lacks_a_column(self, make_scenario):
        made = make_scenario(PANEL)
        rows = made.source.windows[MONDAY]
        drawn_too = [GoldItem(row.item, "yes", {"text": f"twice {row.item}"}) for row in rows]
        keep_gold(made.ports, PANEL, [*drawn_too, GoldItem("bare", "no", {"other": 1})], (), "")
        open_all(made)
        scenario_people = People(made)
        TRUTH_OF = {one.payload["text"]: one.truth for one in drawn_too}
        scenario_people.truth = lambda task: task.payload.get("text") in TRUTH_OF or made.queue.truth.get(task.item_key)
        play(made, scenario_people)
        with made.ports.store.begin() as tx:
            drawn = {draw.item for draw in tx.rounds.draws(only_cycle(made))}
            asked = set(tx.gold.times_asked(PANEL.name, tx.panels.question_key(PANEL)))
        assert asked
        assert not asked & drawn
        assert "bare" not in asked

    def test_without_gold_items_asks_as_ever(self, make_scenario):
        made = make_scenario(PANEL)
        open_all(made)
        play(made, People(made))
        assert cycle_of(made, only_cycle(made)).state == CycleState.JUDGED
        assert gold_tasks(made) == []
        with made.ports.store.begin() as tx:
            cycle = tx.cycles.get(only_cycle(made))
            assert corrected_cycle(tx, cycle, tx.estimates.latest(cycle.id).estimates) is None


class TestAnswers:
    def test_are_counted_by_what_is_true(self, scenario):
        people = People(scenario)
        play(scenario, people)
        tasks = gold_tasks(scenario)
        right = Counter((TRUTH[task.payload["text"]], not errs(task.item_key)) for task in tasks)
        found = counts(scenario)
        assert found.asked == len(tasks)
        assert (found.positives, found.said_yes) == (right["yes", True] + right["yes", False], right["yes", True])
        assert (found.negatives, found.said_no) == (right["no", True] + right["no", False], right["no", True])
        with scenario.ports.store.begin() as tx:
            by_name = gold_of_annotators(tx, PANEL, tx.cycles.get(only_cycle(scenario)))
        assert by_name == {"ann": found}

    def test_enter_no_estimate_and_outdate_none(self, scenario):
        people = People(scenario)
        play(scenario, people, only=lambda task: not is_gold(task))
        number = only_cycle(scenario)
        assert cycle_of(scenario, number).state == CycleState.JUDGED
        with scenario.ports.store.begin() as tx:
            before = tx.estimates.latest(number)
        people.answer()
        play(scenario, people, hours=2)
        assert counts(scenario).positives > 0
        with scenario.ports.store.begin() as tx:
            assert tx.estimates.latest(number) == before
            assert {one.item for one in load_labelled_cycle(tx, PANEL, number).draws}.isdisjoint(
                one.item for one in GOLD
            )

    def test_are_waited_for_by_nobody(self, scenario):
        play(scenario, People(scenario), only=lambda task: not is_gold(task))
        assert cycle_of(scenario, only_cycle(scenario)).state == CycleState.JUDGED
        with scenario.ports.store.begin() as tx:
            states = {batch.state for batch in tx.rounds.batches(cycle_id=only_cycle(scenario))}
        assert states == {BatchState.CLOSED}
        assert isinstance(counts(scenario).answers, Undefined)

    def test_to_a_batch_keep_it_open_until_its_gold_has_some_too(self, make_scenario):
        panel = replace(PANEL, batch_size=20)
        scenario = make_scenario(panel)
        keep_gold(scenario.ports, panel, GOLD, (), "")
        open_all(scenario)
        people = People(scenario)
        scenario.clock.advance(hours=1)
        advance(scenario.ports)
        first = min(scenario.queue.published)
        keys = {task.item_key for task in scenario.queue.published[first].tasks}
        people.answer(only=lambda task: task.item_key in keys and not is_gold(task))
        play(scenario, people, hours=1, only=lambda task: False)
        with scenario.ports.store.begin() as tx:
            assert first in tx.rounds.batch_keys([BatchState.SENT])
        people.answer(only=lambda task: task.item_key in keys)
        play(scenario, people, hours=1, only=lambda task: False)
        with scenario.ports.store.begin() as tx:
            assert first in tx.rounds.batch_keys([BatchState.CLOSED])

    def test_of_later_cycles_do_not_reach_back(self, scenario):
        people = People(scenario)
        play(scenario, people)
        first, before = only_cycle(scenario), counts(scenario)
        scenario.produce(1)
        scenario.clock.moment = MONDAY + 2 * WEEK
        (second,) = open_all(scenario)
        play(scenario, people)
        assert counts(scenario, first) == before
        assert counts(scenario, second).asked > before.asked


class TestTheTruthOfAGoldItem:
    def test_can_be_mended_and_taken_back(self, scenario):
        play(scenario, People(scenario))
        before = counts(scenario)
        turned = [replace(one, truth="no") for one in GOLD if one.truth == "yes"]
        keep_gold(scenario.ports, PANEL, turned, (), "they were wrong")
        after = counts(scenario)
        assert (after.positives, after.negatives) == (0, before.positives + before.negatives)
        kept = keep_gold(scenario.ports, PANEL, (), [one.item for one in GOLD], "")
        assert (kept.changed, kept.removed, kept.by_truth) == (0, len(GOLD), {"yes": 0, "no": 0})
        assert counts(scenario).asked == 0

    def test_that_is_brought_again_changes_nothing(self, scenario):
        with scenario.ports.store.begin() as tx:
            before = tx.audit.entries()
        assert keep_gold(scenario.ports, PANEL, GOLD, (), "").changed == 0
        with scenario.ports.store.begin() as tx:
            assert tx.audit.entries() == before

    def test_belongs_to_its_question(self, scenario):
        other = replace(PANEL, question="Is it ham?")
        with scenario.ports.store.begin() as tx:
            assert tx.gold.items(PANEL.name, tx.panels.question_key(other)) == ()


def test_corrected_recall_is_nearer_to_the_truth(make_scenario):
    panel = spec(gold_share=0.5, limits=(), budget=1200, batch_size=500)
    made = make_scenario(panel)
    many = [GoldItem(f"g{i}", "yes" if i % 2 else "no", {"text": f"many {i}"}) for i in range(400)]
    keep_gold(made.ports, panel, many, (), "")
    open_all(made)
    people = People(made)
    truths = {one.payload["text"]: one.truth == "yes" for one in many}
    people.truth = lambda task: truths.get(task.payload.get("text"), made.queue.truth.get(task.item_key))
    play(made, people)
    rows = made.source.windows[MONDAY]
    called = [row.scores[0] >= 0.5 for row in rows]
    true_recall = sum(row.truth for row, call in zip(rows, called, strict=True) if call) / sum(r.truth for r in rows)
    with made.ports.store.begin() as tx:
        cycle = tx.cycles.get(only_cycle(made))
        estimates = [one for one in tx.estimates.latest(cycle.id).estimates if one.segment is None]
        corrected = corrected_cycle(tx, cycle, estimates)
        labelled = load_labelled_cycle(tx, panel, cycle.id)
    by_rounds, as_one = (
        corrected_estimates(labelled.design, estimates, shares, corrected.gold.answers)
        for shares in (
            side_shares(labelled.design, labelled.ledger, drawn, confidence=panel.confidence)
            for drawn in (labelled.drawn, frozenset(labelled.drawn))
        )
    )
    assert [len(items) > 100 for items in labelled.drawn.by_round] == [True, True]
    assert corrected.estimates == by_rounds != as_one
    for one, found in zip(estimates, corrected.estimates, strict=True):
        if (one.classifier, one.metric, one.segment) == ("lr", "recall", None):
            assert isinstance(found, IntervalEstimate)
            assert abs(found.value - true_recall) < abs(one.result.value - true_recall)
            assert found.low <= true_recall <= found.high
            assert found.high - found.low > 0
            break
    else:
        pytest.fail("no recall")
    assert "sensitivity" in corrected.sentence


def test_a_restored_store_asks_for_the_same_gold_under_the_same_keys(scenario, tmp_path):
    people = People(scenario)
    adopt_queue(scenario.ports)
    with connect(tmp_path / "scenario0.db") as now, connect(tmp_path / "restored.db") as then:
        now.backup(then)
    scenario.clock.advance(hours=1)
    advance(scenario.ports)
    people.answer()
    advance(scenario.ports)  # the labels are in the store that is lost
    sent = dict(scenario.queue.published)
    restored = opened_store(tmp_path / "restored.db")
    scenario.ports = replace(scenario.ports, store=restored)
    play(scenario, people)
    first = {key for key in sent if "-r1-" in key}
    assert {key for key in scenario.queue.published if "-r1-" in key} == first
    assert counts(scenario).positives > 0
    assert tuple(gold_tasks(scenario))
    restored.dispose()
