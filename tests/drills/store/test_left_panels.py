"""A panel that left the configuration: on every database."""

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.goals import Limit
from stratawatch.engine.cycle import advance as advancing
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.left_panels import left_panels, retire_panel
from stratawatch.engine.cycle.operator_actions import cancel_cycle
from stratawatch.engine.model.states import CycleState
from stratawatch.errors import StratawatchError
from tests.support.deliveries import breach
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario, label_cycle, only_cycle, open_all, relabel, severities, work_on


@pytest.fixture
def left(store):
    """A panel with a cycle that is being labelled and one that was not read yet; then its table was taken out."""
    scenario = Scenario.around(store)
    scenario.produce(0)
    open_all(scenario)
    advance(scenario.ports)
    scenario.produce(1)
    scenario.clock.moment += WEEK
    return scenario


def found(scenario, configured=()):
    with scenario.ports.store.begin() as tx:
        return left_panels(tx, configured)


def states(scenario):
    with scenario.ports.store.begin() as tx:
        return [cycle.state for cycle in tx.cycles.find()]


def test_is_named_with_its_cycles_until_that_is_decided(left):
    (one,) = found(left)
    assert (one.name, len(one.cycles), one.is_open) == ("spam", 1, True)
    assert found(left, {"spam"}) == ()
    retire_panel(left.ports, "spam", (), "finish", "replaced")
    (one,) = found(left)
    assert (one.decision, one.is_open) == ("finish", False)


def test_cancelling_gives_every_cycle_up(left):
    open_all(left)
    assert len(retire_panel(left.ports, "spam", (), "cancel", "a trial")) == 2
    assert states(left) == [CycleState.CANCELLED] * 2
    assert not found(left)[0].cycles


def test_finishing_judges_what_was_drawn_and_cancels_what_was_not_read(left):
    open_all(left)
    assert len(retire_panel(left.ports, "spam", (), "finish", "replaced")) == 1
    work_on(left, 4)
    assert states(left)[1] == CycleState.CANCELLED
    assert states(left)[0] == CycleState.JUDGED


def test_incidents_end_with_the_reason_once_no_cycle_is_under_way(store):
    """Nobody is paged for it, and channels that keep incidents hear of the end."""
    scenario = Scenario.around(store, spec(budget=400))
    breach(scenario)
    scenario.produce(1, size=1000)
    scenario.clock.moment = MONDAY + 2 * WEEK
    open_all(scenario)
    assert (found(scenario)[0].incidents, found(scenario)[0].is_open) == (1, True)
    advance(scenario.ports)
    retire_panel(scenario.ports, "spam", (), "finish", "replaced")
    assert found(scenario)[0].incidents == 1
    cancel_cycle(scenario.ports, found(scenario)[0].cycles[0], "nobody labels it")
    advance(scenario.ports)
    assert found(scenario)[0].incidents == 0
    assert severities(scenario) == ["page", "resolved"]
    assert "It is over: panel 'spam' was retired: replaced" in scenario.channel.received[-1].body


def test_a_late_label_of_a_retired_panel_pages_nobody_and_a_store_in_trouble_stops_nothing(store, monkeypatch):
    scenario = Scenario.around(store, spec(budget=60, limits=(Limit("precision", floor=0.3),)))
    scenario.produce(0, size=700)
    label_cycle(scenario)
    retire_panel(scenario.ports, "spam", (), "finish", "replaced")
    relabel(scenario, "no")
    with store.begin() as tx:
        assert tx.estimates.latest(only_cycle(scenario)).number == 2
        assert {state.state for state in tx.alarms.current_states("spam")} == {AlarmState.BREACH}
    assert severities(scenario) == []

    def broken(*_):
        raise StratawatchError("the store does not answer")

    monkeypatch.setattr(advancing, "close_left_incidents", broken)
    assert advance(scenario.ports).troubles == ("incidents of retired panels: the store does not answer",)


def test_one_that_is_configured_or_unknown_is_refused(left):
    with pytest.raises(StratawatchError, match="is in the configuration"):
        retire_panel(left.ports, "spam", {"spam"}, "cancel", "oops")
    with pytest.raises(StratawatchError, match="no panel 'fraud'"):
        retire_panel(left.ports, "fraud", (), "cancel", "oops")


def test_one_that_came_back_is_decided_again_when_it_leaves_again(left):
    retire_panel(left.ports, "spam", (), "finish", "replaced")
    open_all(left)
    (one,) = found(left)
    assert one.is_open
