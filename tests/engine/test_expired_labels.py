"""Labels that have expired, at a label page with one annotator: she is asked again, and the cycle ends."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from sqlite3 import connect

import pytest

from stratawatch.adapters.queues.page import PageQueue
from stratawatch.adapters.queues.page_book import PageBook
from stratawatch.adapters.status_queries import read_status
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.operator_actions import resend_batches
from stratawatch.engine.labels.queue_identity import adopt_queue
from stratawatch.engine.model.states import CycleState
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import cycle_of, open_all
from tests.support.stores import opened_store

PANEL = spec(budget=40, limits=(), label_validity=timedelta(days=6))


class PagedScenario:
    """Weeks of the same items, and people at the page."""

    def __init__(self, scenario, folder):
        self.scenario, self.folder = scenario, folder
        self.queue, self.book = PageQueue(folder), PageBook(folder)
        scenario.ports = replace(scenario.ports, queue=self.queue)
        adopt_queue(scenario.ports)
        scenario.source.windows[MONDAY + WEEK] = scenario.source.windows[MONDAY]

    def begin_week(self, period):
        self.scenario.clock.moment = MONDAY + (period + 1) * WEEK
        (cycle,) = open_all(self.scenario)
        return cycle

    def hour(self, *names, most=1000):
        """An hour passes, the program advances, and people answer what they are given; how often each item was."""
        self.scenario.clock.advance(hours=1)
        assert advance(self.scenario.ports).troubles == ()
        given, now = Counter(), self.scenario.clock.now()
        for name in names:
            while given.total() < most and (asked := self.book.next_question(name, PANEL.votes, now)) is not None:
                word = "yes" if self.scenario.queue.truth[asked.item_key] else "no"
                event = f"{name}-{asked.item_key}-{now.isoformat()}"
                assert self.book.answer(name, asked.item_key, word, PANEL.votes, now, event)
                given[asked.item_key, name] += 1
        return given

    def week(self, period, *names, hours=4):
        cycle = self.begin_week(period)
        given = sum((self.hour(*names) for _ in range(hours)), Counter())
        return cycle, given

    def state(self, cycle):
        return cycle_of(self.scenario, cycle).state


@pytest.fixture
def paged(make_scenario, tmp_path):
    return PagedScenario(make_scenario(PANEL), tmp_path / "page")


def test_the_one_annotator_is_asked_again_and_the_cycle_ends(paged):
    first, before = paged.week(0, "ann")
    second, again = paged.week(1, "ann")
    assert paged.state(first) == paged.state(second) == CycleState.JUDGED
    assert set(before.values()) == set(again.values()) == {1}
    assert len(before & again) > 20


def test_status_waits_for_the_answers_that_have_expired(paged, tmp_path):
    paged.week(0, "ann")
    paged.begin_week(1)
    paged.hour("ann", most=5)
    (cycle,) = read_status(f"sqlite:///{tmp_path}/scenario0.db")["cycles"]
    assert (cycle["state"], cycle["answered"]) == ("labelling", 0)
    assert cycle["drawn"] > 5
    paged.hour()
    (cycle,) = read_status(f"sqlite:///{tmp_path}/scenario0.db")["cycles"]
    assert cycle["answered"] == 5


def test_status_waits_for_an_answer_that_was_taken_back(paged, tmp_path):
    paged.begin_week(0)
    paged.hour("ann", most=5)
    paged.book.undo("ann", paged.scenario.clock.now(), "taken-back")
    paged.hour()
    (cycle,) = read_status(f"sqlite:///{tmp_path}/scenario0.db")["cycles"]
    assert cycle["answered"] == 4


def test_labels_that_still_hold_are_not_asked_for_again(paged):
    paged.scenario.panel = replace(PANEL, label_validity=timedelta(days=7))
    _, before = paged.week(0, "ann")
    second, again = paged.week(1, "ann")
    assert paged.state(second) == CycleState.JUDGED
    assert not before & again


def test_two_people_give_one_answer_to_each_item_of_each_week(paged):
    _, before = paged.week(0, "ann", "ben")
    second, again = paged.week(1, "ben", "ann")
    assert paged.state(second) == CycleState.JUDGED
    for given in (before, again):
        items = Counter(item for item, _ in given.elements())
        assert set(items.values()) == {1}


def test_what_was_answered_anew_is_not_asked_again_when_the_batch_is_sent_again(paged):
    paged.week(0, "ann")
    cycle = paged.begin_week(1)
    answered = paged.hour("ann", most=5)
    assert answered.total() == 5
    paged.queue.cancel(sorted(paged.queue.asked_keys()))
    paged.hour()
    assert resend_batches(paged.scenario.ports, cycle, "withdrawn by mistake") > 0
    later = sum((paged.hour("ann") for _ in range(3)), Counter())
    assert paged.state(cycle) == CycleState.JUDGED
    assert later
    assert not answered & later


def test_what_was_answered_anew_is_not_asked_again_by_a_store_that_was_restored(paged, tmp_path):
    paged.week(0, "ann")
    with connect(tmp_path / "scenario0.db") as now, connect(tmp_path / "restored.db") as then:
        now.backup(then)
    moment = paged.scenario.clock.now()
    paged.begin_week(1)
    answered = paged.hour("ann", most=5)
    paged.scenario.ports = replace(paged.scenario.ports, store=opened_store(tmp_path / "restored.db"))
    paged.scenario.clock.moment = moment
    second, later = paged.week(1, "ann")
    assert paged.state(second) == CycleState.JUDGED
    assert later
    assert not answered & later
    paged.scenario.ports.store.dispose()


def test_second_votes_on_items_that_are_asked_anew_go_to_the_other_person(make_scenario, tmp_path):
    paged = PagedScenario(
        make_scenario(replace(PANEL, second_votes="called_negative_yes", budget=60)), tmp_path / "page"
    )
    found = [paged.week(period, "ann", "ben", hours=6) for period in (0, 1)]
    for cycle, given in found:
        assert paged.state(cycle) == CycleState.JUDGED
        assert set(given.values()) == {1}
        assert 2 in Counter(item for item, _ in given.elements()).values()
    assert found[0][1] & found[1][1]
