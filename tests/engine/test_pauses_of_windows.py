"""Which windows a pause passes over: those that end in it, and no earlier one."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.engine.cycle.clock_check import MOST_ACTIVE
from stratawatch.engine.cycle.operator_actions import cancel_cycle
from stratawatch.engine.cycle.panel_pauses import panel_pauses
from stratawatch.engine.model.pauses import Pauses
from stratawatch.engine.model.states import ACTIVE_CYCLES, CycleState
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario, new_scenario, open_all

DAY = timedelta(days=1)


@pytest.fixture
def scenario(tmp_path):
    return new_scenario(tmp_path / "store.db")


def open_at(scenario: Scenario, moment, *, paused: bool) -> list[int]:
    """Open what is due at a moment; returns the periods."""
    scenario.clock.moment = moment
    names = frozenset({"spam"}) if paused else frozenset()
    scenario.ports = replace(scenario.ports, paused=Pauses(panels=names))
    ids = open_all(scenario)
    with scenario.ports.store.begin() as tx:
        return [tx.cycles.get(number).period for number in ids]


def give_up(scenario: Scenario) -> None:
    """Make room for more cycles."""
    with scenario.ports.store.begin() as tx:
        active = tx.cycles.find(states=ACTIVE_CYCLES)
    for cycle in active:
        cancel_cycle(scenario.ports, cycle.id, "room")


def passed_over(scenario: Scenario) -> list[int]:
    with scenario.ports.store.begin() as tx:
        cancelled = tx.cycles.find(states=[CycleState.CANCELLED])
    return [cycle.period for cycle in cancelled if cycle.reason == "the panel was paused"]


def test_a_backfill_that_pauses_goes_on_where_it_was(scenario):
    ended = MONDAY + 12 * WEEK  # twelve windows
    assert open_at(scenario, ended, paused=False) == list(range(MOST_ACTIVE))
    assert open_at(scenario, ended + DAY, paused=True) == []
    assert open_at(scenario, ended + 2 * WEEK, paused=True) == []  # windows 12 and 13 end meanwhile
    assert passed_over(scenario) == []
    give_up(scenario)
    assert open_at(scenario, ended + 3 * WEEK, paused=False) == [8, 9, 10, 11, 14]
    assert passed_over(scenario) == [12, 13]
    with scenario.ports.store.begin() as tx:
        assert panel_pauses(tx, "spam") == ()


def test_a_new_panel_that_is_paused_keeps_its_history(scenario):
    ended = MONDAY + 3 * WEEK
    assert open_at(scenario, ended, paused=True) == []
    assert open_at(scenario, ended + DAY, paused=False) == [0, 1, 2]


def test_a_second_pause_leaves_the_time_between_alone(scenario):
    open_at(scenario, MONDAY + 10 * WEEK, paused=False)
    open_at(scenario, MONDAY + 10 * WEEK + DAY, paused=True)
    open_at(scenario, MONDAY + 11 * WEEK, paused=True)  # 10
    open_at(scenario, MONDAY + 11 * WEEK + DAY, paused=False)
    open_at(scenario, MONDAY + 12 * WEEK + DAY, paused=True)  # 11 ended between
    open_at(scenario, MONDAY + 13 * WEEK, paused=True)  # 12
    give_up(scenario)
    assert open_at(scenario, MONDAY + 13 * WEEK + DAY, paused=False) == [8, 9, 11]
    assert passed_over(scenario) == [10, 12]


def test_a_window_that_ended_in_a_pause_is_passed_over_once_it_is_complete(scenario):
    scenario.panel = spec(windows=replace(spec().windows, lateness=2 * DAY))
    open_at(scenario, MONDAY + WEEK - DAY, paused=True)
    open_at(scenario, MONDAY + WEEK, paused=True)
    assert open_at(scenario, MONDAY + WEEK + DAY, paused=False) == []
    assert open_at(scenario, MONDAY + WEEK + 3 * DAY, paused=False) == []
    assert passed_over(scenario) == [0]
