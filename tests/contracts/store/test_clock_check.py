"""The machine's clock is doubted before it opens windows: on every database."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest

from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.model.pauses import Pauses
from stratawatch.engine.ports.clock import FixedClock, SystemClock
from stratawatch.errors import ClockDoubted, Unreachable
from tests.support.fakes import MONDAY, WEEK, FakeSource, spec
from tests.support.scenario import Scenario


@dataclass
class MachineClock(SystemClock):
    """The machine's clock, as it is set."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment


class TimedSource(FakeSource):
    """Counts the rows between any two moments, each as if it were dated in the middle of its window."""

    def rows(self, panel, window):
        if self.troubles:
            raise self.troubles.pop(0)
        middle = WEEK / 2
        return sum(len(rows) for start, rows in self.windows.items() if window.start <= start + middle < window.end)


@pytest.fixture
def scenario(store):
    """Three weeks of predictions, and the machine's clock an hour after the first."""
    made = Scenario.around(store, source=TimedSource())
    for week in range(3):
        made.produce(week, size=100)
    clock = MachineClock(MONDAY + WEEK + timedelta(hours=1))
    made.ports = replace(made.ports, clock=clock)
    made.clock = clock
    return made


def opened(scenario, **how):
    return len(open_cycles(scenario.ports, {"spam": scenario.panel}, **how))


def states(scenario):
    with scenario.ports.store.begin() as tx:
        return [cycle.state for cycle in tx.cycles.find()]


def test_an_empty_store_says_nothing(store):
    with store.begin() as tx:
        assert tx.newest_commit() is None


def test_the_newest_commit_is_the_latest_of_all_tables(scenario):
    opened(scenario)
    with scenario.ports.store.begin() as tx:
        assert tx.newest_commit() == scenario.clock.moment
        tx.labels.save_cursor("folder", {}, scenario.clock.moment + WEEK)
        assert tx.newest_commit() == scenario.clock.moment + WEEK


class TestBehindTheStore:
    def test_opens_nothing_and_says_why(self, scenario):
        scenario.clock.moment += 2 * WEEK
        assert opened(scenario) == 3
        scenario.clock.moment -= timedelta(minutes=6)
        with pytest.raises(ClockDoubted, match=r"before the store's newest commit.*--trust-clock"):
            opened(scenario)

    def test_two_machines_may_differ_a_little(self, scenario):
        assert opened(scenario) == 1
        scenario.clock.moment -= timedelta(minutes=4)
        assert opened(scenario) == 0

    def test_once_trusted_the_same_commits_are_no_doubt_any_more(self, scenario):
        scenario.clock.moment += 2 * WEEK
        opened(scenario)
        with scenario.ports.store.begin() as tx:  # while the clock was wrong
            tx.labels.save_cursor("folder", {}, scenario.clock.moment + 50 * WEEK)
            tx.commit()
        assert opened(scenario, trusted=True) == 0
        assert opened(scenario) == 0
        with scenario.ports.store.begin() as tx:  # and wrong again
            tx.labels.save_cursor("folder", {}, scenario.clock.moment + 60 * WEEK)
            tx.commit()
        with pytest.raises(ClockDoubted):
            opened(scenario)

    def test_simulated_time_is_not_doubted(self, scenario):
        scenario.clock.moment += WEEK
        opened(scenario)
        past = replace(scenario.ports, clock=FixedClock(MONDAY + WEEK))
        assert open_cycles(past, {"spam": scenario.panel}) == ()


class TestFarAheadOfThePredictions:
    def test_opens_nothing_and_says_why(self, scenario):
        opened(scenario)
        scenario.clock.moment += 52 * WEEK
        with pytest.raises(ClockDoubted, match=r"beyond the newest row of panel 'spam'.*52 windows are due"):
            opened(scenario)
        with scenario.ports.store.begin() as tx:
            assert len(tx.cycles.find()) == 1

    def test_a_paused_panel_passes_nothing_over_and_says_why(self, scenario):
        scenario.clock.moment += 2 * WEEK
        scenario.ports = replace(scenario.ports, paused=Pauses(panels=frozenset({"spam"})))
        assert opened(scenario) == 0
        scenario.clock.moment += 52 * WEEK
        with pytest.raises(ClockDoubted, match="52 windows are due"):
            opened(scenario)
        assert states(scenario) == []

    def test_a_person_may_go_on(self, scenario):
        scenario.clock.moment += 52 * WEEK
        assert opened(scenario, trusted=True) == 8

    def test_windows_that_were_missed_while_the_machine_was_off_are_opened(self, scenario):
        scenario.clock.moment += 2 * WEEK
        assert opened(scenario) == 3

    def test_a_source_that_stands_still_blinds_by_its_empty_window(self, scenario):
        scenario.clock.moment += 2 * WEEK
        opened(scenario)
        scenario.clock.moment += WEEK
        assert opened(scenario) == 1

    def test_a_source_that_cannot_be_asked_stops_nobody(self, scenario):
        scenario.clock.moment += 4 * WEEK
        scenario.source.troubles = [Unreachable("the table did not answer")]
        assert opened(scenario) == 5

    def test_a_panel_without_a_source_stops_nobody(self, scenario):
        scenario.clock.moment += 4 * WEEK
        assert len(open_cycles(scenario.ports, {"fraud": spec(name="fraud")})) == 5


def test_a_clock_that_jumped_ahead_ends_no_cycle_at_its_deadline(scenario):
    opened(scenario)
    assert advance(scenario.ports).troubles == ()
    (asked,) = states(scenario)
    scenario.clock.moment += timedelta(days=365)
    (trouble,) = advance(scenario.ports).troubles
    assert "cycle 1 was not ended at its deadline: the machine's clock is more than a window beyond" in trouble
    assert states(scenario) == [asked]
    scenario.clock.moment -= timedelta(days=361)
    with scenario.ports.store.begin() as tx:  # as `open --trust-clock` does
        tx.labels.save_cursor("clock trusted", {"newest_commit": tx.newest_commit().isoformat()}, scenario.clock.moment)
        tx.commit()
    assert advance(scenario.ports).troubles == ()
    assert states(scenario) != [asked]
