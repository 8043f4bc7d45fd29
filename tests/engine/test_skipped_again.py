"""Items that nobody could tell in one window and that the next one asks about again: open, waited for, not put away."""

from datetime import timedelta

import pytest

from stratawatch.adapters.status_queries import read_status
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.states import BatchState, CycleState
from stratawatch.report.label_counts import count_labels
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario, cycle_of, open_all


def say(scenario: Scenario, keys, value=None) -> None:
    now = scenario.clock.now()
    for key in keys:
        word = value or ("yes" if scenario.queue.truth[key] else "no")
        scenario.queue.said.append(LabelEvent("fake", f"{now}:{key}", key, "ann", word, now))


def step(scenario: Scenario) -> None:
    scenario.clock.advance(hours=1)
    assert advance(scenario.ports).troubles == ()


def tasks(scenario: Scenario, cycle: int) -> set[str]:
    """What a cycle asked about."""
    with scenario.ports.store.begin() as tx:
        return {task.item_key for batch in tx.rounds.batches(cycle_id=cycle) for task in batch.tasks}


def counts(scenario: Scenario, cycle: int):
    with scenario.ports.store.begin() as tx:
        return count_labels(tx, scenario.panel, tx.cycles.get(cycle))


@pytest.fixture
def second(make_scenario):
    """The second of two windows with the same items, asked; a fifth of what the first one asked was skipped."""
    scenario = make_scenario(spec(limits=(), design="srs", budget=100))
    (first,) = open_all(scenario)
    step(scenario)
    asked = sorted(tasks(scenario, first))
    say(scenario, asked[::5], "skip")
    say(scenario, set(asked) - {*asked[::5]})
    step(scenario)
    assert cycle_of(scenario, first).state == CycleState.JUDGED
    scenario.source.windows[MONDAY + WEEK] = scenario.source.windows[MONDAY]
    scenario.clock.moment = MONDAY + 2 * WEEK
    (second,) = open_all(scenario)
    step(scenario)
    again = tasks(scenario, second) & {*asked[::5]}
    assert len(again) == 20
    return scenario, second, again


def test_are_open_and_not_skipped(second, tmp_path):
    scenario, cycle, _ = second
    found = counts(scenario, cycle)
    assert (found.open, found.skipped) == (len(tasks(scenario, cycle)), 0)
    status = read_status(f"sqlite:///{tmp_path / 'scenario0.db'}")
    (row,) = [one for one in status["cycles"] if one["id"] == cycle]
    assert row["answered"] == found.used


def test_are_waited_for_when_all_else_is_answered(second):
    scenario, cycle, again = second
    say(scenario, tasks(scenario, cycle) - again)
    step(scenario)
    found = counts(scenario, cycle)
    assert cycle_of(scenario, cycle).state == CycleState.LABELLING
    assert (found.open, found.skipped) == (len(again), 0)
    say(scenario, again)
    step(scenario)
    assert cycle_of(scenario, cycle).state == CycleState.JUDGED
    assert counts(scenario, cycle).used == counts(scenario, cycle).drawn


def test_stay_with_people_until_they_are_answered(second):
    scenario, cycle, again = second
    say(scenario, tasks(scenario, cycle) - again)
    step(scenario)
    with scenario.ports.store.begin() as tx:
        batches = tx.rounds.batches(cycle_id=cycle)
    out = {task.item_key for batch in batches if batch.state == BatchState.SENT for task in batch.tasks}
    assert again <= out


def test_that_are_skipped_again_settle_the_window(second):
    scenario, cycle, again = second
    say(scenario, tasks(scenario, cycle) - again)
    say(scenario, again, "skip")
    step(scenario)
    assert cycle_of(scenario, cycle).state == CycleState.JUDGED
    assert counts(scenario, cycle).skipped == len(again)


def test_that_nobody_answers_by_the_deadline_are_skipped_as_before(second):
    scenario, cycle, again = second
    say(scenario, tasks(scenario, cycle) - again)
    scenario.clock.advance(days=4)
    step(scenario)
    found = counts(scenario, cycle)
    assert cycle_of(scenario, cycle).state == CycleState.JUDGED
    assert (found.skipped, found.open, found.expired) == (len(again), 0, 0)


def test_of_a_store_that_was_lost_count_as_they_came(make_scenario):
    """A skip from before the cycle, of an item that no earlier window drew, was given to the same question."""
    scenario = make_scenario(spec(limits=(), design="srs", budget=100))
    scenario.clock.advance(hours=2)
    (cycle,) = open_all(scenario)
    step(scenario)
    keys = sorted(tasks(scenario, cycle))
    before = cycle_of(scenario, cycle).opened_at - timedelta(hours=1)
    scenario.queue.said += [LabelEvent("fake", f"old:{key}", key, "ann", "skip", before) for key in keys[:5]]
    say(scenario, keys[5:])
    step(scenario)
    assert cycle_of(scenario, cycle).state == CycleState.JUDGED
    assert counts(scenario, cycle).skipped == 5
