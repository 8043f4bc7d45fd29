"""Second votes on items called negative and labelled yes: who is asked, what counts, and what happens on replay."""

from collections import Counter, defaultdict
from dataclasses import replace
from datetime import timedelta
from sqlite3 import connect

import pytest

from stratawatch.adapters.queues.page import PageQueue
from stratawatch.adapters.queues.page_book import PageBook
from stratawatch.adapters.store.json_codec import as_document, from_document
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.labels.queue_identity import adopt_queue
from stratawatch.engine.labels.second_votes import FIRST
from stratawatch.engine.labels.vote_costs import further_share, with_item_budget
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.states import CycleState
from tests.support.fakes import spec
from tests.support.scenario import cycle_of, only_cycle, open_all
from tests.support.stores import opened_store

RULE = "called_negative_yes"
PANEL = spec(second_votes=RULE, limits=())


class People:
    """Ann answers first; bob and cem give the further votes. Each errs about items of his own."""

    def __init__(self, scenario, silent=()):
        self.scenario, self.silent = scenario, silent
        self.answered = set()

    def word(self, key, vote):
        """One in four of the first answers, and one in three of the others, is wrong."""
        truth, turn = self.scenario.queue.truth[key], int(key[vote], 16)
        return "yes" if truth ^ (turn < (4 if vote == FIRST else 5)) else "no"

    def answer(self):
        queue, now = self.scenario.queue, self.scenario.clock.now()
        for key, batch in list(queue.published.items()):
            for task in batch.tasks:
                if (key, task.item_key) in self.answered or batch.vote in self.silent:
                    continue
                self.answered.add((key, task.item_key))
                who = {1: "ann", 2: "bob", 3: "cem"}[batch.vote]
                said = self.word(task.item_key, batch.vote)
                event = LabelEvent("fake", f"e{len(queue.said)}", task.item_key, who, said, now)
                queue.said.append(event)


def play(scenario, people, hours=8):
    for _ in range(hours):
        scenario.clock.advance(hours=1)
        assert advance(scenario.ports).troubles == ()
        people.answer()


@pytest.fixture
def scenario(make_scenario):
    made = make_scenario(PANEL)
    open_all(made)
    return made


def facts(scenario):
    """The drawn items by key with the pattern of their calls, the votes asked by key, and the verdicts."""
    cycle = only_cycle(scenario)
    with scenario.ports.store.begin() as tx:
        labelled = load_labelled_cycle(tx, PANEL, cycle)
        atoms, batches = tx.cycles.atoms(cycle), tx.rounds.batches(cycle_id=cycle)
    patterns = {draw.item_key: atoms[draw.atom].pattern for draw in labelled.draws}
    asked = defaultdict(list)
    for batch in batches:
        for task in batch.tasks:
            asked[task.item_key].append(batch.vote)
    return patterns, asked, labelled, batches


class TestAStory:
    def test_checked_yeses_get_a_second_vote_and_a_third_on_disagreement_and_the_majority_counts(self, scenario):
        people = People(scenario)
        play(scenario, people)
        assert cycle_of(scenario, only_cycle(scenario)).state == CycleState.JUDGED
        patterns, asked, labelled, batches = facts(scenario)
        for key, pattern in patterns.items():
            words = [people.word(key, vote) for vote in (1, 2, 3)]
            is_checked = "0" in pattern and words[0] == "yes"
            votes = [1] if not is_checked else [1, 2] if words[1] == "yes" else [1, 2, 3]
            assert asked[key] == votes, (pattern, words)
            majority = Counter(words[: len(votes)]).most_common(1)[0][0]
            assert labelled.verdicts[key] == majority
        number = Counter(vote for votes in asked.values() for vote in votes)
        assert number[1] > number[2] > number[3] > 5
        assert {batch.rule for batch in batches if batch.vote > 1} == {RULE}
        assert {batch.rule for batch in batches if batch.vote == 1} == {""}
        assert labelled.second_votes.complete == 1

    def test_votes_fit_into_the_budget(self, scenario):
        play(scenario, People(scenario))
        _, asked, _, _ = facts(scenario)
        assert len(asked) < PANEL.budget
        assert sum(map(len, asked.values())) <= 1.1 * PANEL.budget

    def test_nothing_is_asked_twice_after_every_event_and_advance_is_played_again(self, scenario):
        people = People(scenario)
        play(scenario, people)
        queue = scenario.queue
        sends, before = Counter(queue.sends), facts(scenario)
        queue.said += [event for event in queue.said if event.annotator != "ann"]
        play(scenario, people, hours=3)
        assert Counter(queue.sends) == sends
        assert set(sends.values()) == {1}
        assert facts(scenario)[2].verdicts == before[2].verdicts

    def test_a_restored_store_asks_for_the_same_votes_under_the_same_keys(self, scenario, tmp_path):
        people = People(scenario)
        play(scenario, people, hours=1)
        with connect(tmp_path / "scenario0.db") as now, connect(tmp_path / "restored.db") as then:
            now.backup(then)
        scenario.clock.advance(hours=1)
        advance(scenario.ports)  # asks for second votes, which nobody gives before the store is lost
        second = {key for key, batch in scenario.queue.published.items() if batch.vote > FIRST}
        restored = opened_store(tmp_path / "restored.db")
        scenario.ports = replace(scenario.ports, store=restored)
        people.silent = ()
        play(scenario, people)
        assert second
        sends = Counter(scenario.queue.sends)
        assert all(sends[key] == 2 for key in second)
        votes = Counter((task.item_key, b.vote) for b in scenario.queue.published.values() for task in b.tasks)
        assert set(votes.values()) == {1}
        restored.dispose()


class TestWhatTheSamePersonSays:
    def test_is_no_second_vote(self, scenario):
        people = People(scenario, silent=(2, 3))
        play(scenario, people, hours=3)
        _, asked, _, _ = facts(scenario)
        checked = [key for key, votes in asked.items() if 2 in votes]
        now = scenario.clock.now()
        scenario.queue.said += [LabelEvent("fake", f"again-{key}", key, "ann", "yes", now) for key in checked]
        play(scenario, people, hours=3)
        _, asked, labelled, _ = facts(scenario)
        assert checked
        assert not labelled.verdicts.keys() & set(checked)
        assert all(asked[key] == [1, 2] for key in checked)


class TestTheDeadline:
    def test_leaves_the_first_answer_where_other_votes_did_not_come(self, scenario):
        people = People(scenario, silent=(2,))
        play(scenario, people, hours=3)
        _, asked, labelled, _ = facts(scenario)
        waiting = [key for key, votes in asked.items() if 2 in votes]
        assert waiting
        assert not labelled.verdicts.keys() & set(waiting)
        scenario.clock.advance(days=4)
        advance(scenario.ports)
        cycle = cycle_of(scenario, only_cycle(scenario))
        assert cycle.state == CycleState.JUDGED
        _, _, labelled, _ = facts(scenario)
        assert all(labelled.verdicts[key] == "yes" for key in waiting)
        assert labelled.second_votes.complete == 0
        assert f"{len(waiting)} of {len(waiting)} further votes did not come" in cycle.reason

    def test_is_not_the_end_of_a_vote_that_comes_late(self, scenario):
        people = People(scenario, silent=(2,))
        play(scenario, people, hours=3)
        scenario.clock.advance(days=4)
        advance(scenario.ports)
        _, asked, _, _ = facts(scenario)
        people.silent = ()
        waiting = [key for key, votes in asked.items() if 2 in votes]
        play(scenario, people, hours=2)
        words = {key: people.word(key, 2) for key in waiting}
        assert facts(scenario)[2].second_votes.seconds == (len(waiting), len(waiting))
        assert "no" in words.values()


class TestALaterCycle:
    def test_asks_only_for_the_next_vote_where_a_first_yes_is_known(self, scenario):
        people = People(scenario, silent=(2,))
        play(scenario, people, hours=3)
        scenario.clock.advance(days=4)
        advance(scenario.ports)
        _, asked, _, _ = facts(scenario)
        waiting = {key for key, votes in asked.items() if 2 in votes}
        with scenario.ports.store.begin() as tx:
            first = only_cycle(scenario)
        scenario.source.windows |= {
            start + timedelta(weeks=1): rows for start, rows in list(scenario.source.windows.items())
        }
        scenario.clock.advance(days=7)
        (second,) = open_all(scenario)
        people.silent = ()
        play(scenario, people)
        with scenario.ports.store.begin() as tx:
            batches = tx.rounds.batches(cycle_id=second)
            drawn = {draw.item_key for draw in tx.rounds.draws(second)}
        again = [task.item_key for batch in batches for task in batch.tasks if task.item_key in waiting]
        assert second != first
        assert waiting & drawn
        assert len(again) == len(
            {(task.item_key, b.vote) for b in batches for task in b.tasks if task.item_key in waiting}
        )
        assert {b.vote for b in batches for task in b.tasks if task.item_key in waiting} <= {2, 3}


class TestThePanelVersion:
    def test_holds_the_rule_and_one_without_it_is_as_before(self):
        assert as_document(PANEL)["second_votes"] == RULE
        assert from_document(type(PANEL), as_document(PANEL)) == PANEL
        before = as_document(spec())
        assert "second_votes" not in before
        assert from_document(type(PANEL), before).second_votes is None


class TestWhatItCosts:
    def test_is_told_before_a_cycle_opens_and_counts_as_asked(self, scenario):
        play(scenario, People(scenario))
        _, asked, _, _ = facts(scenario)
        votes = sum(map(len, asked.values()))
        with scenario.ports.store.begin() as tx:
            share = further_share(tx, PANEL)
        assert share == pytest.approx(votes / len(asked) - 1)
        assert with_item_budget(PANEL, share).budget == int(PANEL.budget / (1 + share))
        assert with_item_budget(spec(), 0.0) == spec()


class TestOnTheLabelPage:
    def test_three_people_are_each_asked_once_and_nobody_is_asked_too_many(self, make_scenario, tmp_path):
        scenario = make_scenario(replace(PANEL, budget=60))
        page, book = PageQueue(tmp_path / "page"), PageBook(tmp_path / "page")
        scenario.ports = replace(scenario.ports, queue=page)
        adopt_queue(scenario.ports)
        open_all(scenario)
        people, given = People(scenario), Counter()
        for turn in range(8):
            scenario.clock.advance(hours=1)
            for _ in range(2):  # once more changes nothing
                assert advance(scenario.ports).troubles == ()
            for name in ("ann", "bob", "cem"):
                while (asked := book.next_question(name, 1, scenario.clock.now())) is not None:
                    given[asked.item_key] += 1
                    word = people.word(asked.item_key, given[asked.item_key])
                    event = f"{turn}-{name}-{asked.item_key}"
                    assert book.answer(name, asked.item_key, word, 1, scenario.clock.now(), event)
        patterns, asked, labelled, _ = facts(scenario)
        assert cycle_of(scenario, only_cycle(scenario)).state == CycleState.JUDGED
        assert given == {key: len(votes) for key, votes in asked.items()}
        assert {1, 2, 3} == set(given.values())
        for key, pattern in patterns.items():
            words = [people.word(key, vote) for vote in range(1, given[key] + 1)]
            assert (len(words) > 1) == ("0" in pattern and words[0] == "yes")
            assert labelled.verdicts[key] == Counter(words).most_common(1)[0][0]
