"""The machine's clock is doubted before it opens windows: on every database."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Event
from time import monotonic

import pytest

from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.clock_check import _is_trusted, require_sound_clock, trust_clock
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

    def test_freezes_nothing_for_the_deadline_would_have_passed_when_it_is_right(self, scenario):
        assert opened(scenario) == 1
        scenario.clock.moment -= timedelta(days=5)
        (trouble,) = advance(scenario.ports).troubles
        assert trouble.startswith(
            "freeze 1: no window was frozen and no cycle ended at its deadline: the machine's clock"
        )
        assert states(scenario) == ["open"]
        scenario.clock.moment += timedelta(days=5)
        assert advance(scenario.ports).troubles == ()
        with scenario.ports.store.begin() as tx:
            (cycle,) = tx.cycles.find()
        assert cycle.deadline_at == scenario.clock.moment + scenario.panel.deadline

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

    def test_nor_does_one_with_a_bug(self, scenario):
        scenario.clock.moment += 4 * WEEK
        scenario.source.troubles = [ZeroDivisionError("a bug")]
        assert opened(scenario) == 5

    @pytest.mark.parametrize("hanging", ["spam", "other"])
    def test_nor_does_one_that_hangs(self, scenario, monkeypatch, hanging):
        """Of the panel in doubt it is no doubt; of another panel it does not vouch, as rows would."""
        monkeypatch.setattr("stratawatch.engine.cycle.clock_check.LONGEST_LOOK", 0.1)
        scenario.clock.moment += 10 * WEEK
        released, slow = Event(), TimedSource()
        monkeypatch.setattr(slow, "rows", lambda *_: released.wait(60))
        panels = {"spam": scenario.panel, "other": spec(name="other")}
        panels["other"] = replace(panels["other"], windows=replace(panels["other"].windows, start=MONDAY + 10 * WEEK))
        sources = {"spam": scenario.source, "other": scenario.source, hanging: slow}
        began, doubts = monotonic(), []
        try:
            require_sound_clock(replace(scenario.ports, sources=sources), panels)
        except ClockDoubted as doubt:
            doubts.append(doubt)
        released.set()
        assert len(doubts) == (hanging == "other")
        assert monotonic() - began < 10

    def test_windows_for_which_no_slot_is_free_are_no_doubt(self, scenario):
        scenario.clock.moment += 52 * WEEK
        assert opened(scenario, trusted=True) == 8
        scenario.clock.moment += 2 * WEEK
        assert opened(scenario) == 0

    def test_trust_lasts_a_week_and_not_longer(self, scenario):
        opened(scenario)
        scenario.clock.moment += 52 * WEEK
        trust_clock(scenario.ports)
        panels = {"spam": scenario.panel}
        scenario.clock.moment += timedelta(days=6)
        require_sound_clock(scenario.ports, panels)
        scenario.clock.moment += timedelta(days=2)
        with pytest.raises(ClockDoubted, match="53 windows are due"):
            require_sound_clock(scenario.ports, panels)

    def test_a_trusted_clock_that_was_set_back_is_another_one(self, scenario):
        scenario.clock.moment += 52 * WEEK
        trust_clock(scenario.ports)
        with scenario.ports.store.begin() as tx:
            assert not _is_trusted(tx, scenario.clock.moment - WEEK)

    def test_a_panel_without_a_source_stops_nobody(self, scenario):
        scenario.clock.moment += 4 * WEEK
        assert len(open_cycles(scenario.ports, {"fraud": spec(name="fraud")})) == 5


def test_a_clock_that_jumped_ahead_ends_no_cycle_at_its_deadline(scenario):
    opened(scenario)
    assert advance(scenario.ports).troubles == ()
    (asked,) = states(scenario)
    scenario.clock.moment += timedelta(days=365)
    (trouble,) = advance(scenario.ports).troubles
    assert (
        "settle 1: no window was frozen and no cycle ended at its deadline: the machine's clock is more than a window beyond"
        in trouble
    )
    assert states(scenario) == [asked]
    scenario.clock.moment -= timedelta(days=361)
    with scenario.ports.store.begin() as tx:  # as `open --trust-clock` does
        tx.labels.save_cursor("clock trusted", {"newest_commit": tx.newest_commit().isoformat()}, scenario.clock.moment)
        tx.commit()
    assert advance(scenario.ports).troubles == ()
    assert states(scenario) != [asked]


def test_overdue_cycles_are_doubted_by_one_look_and_end_when_the_clock_is_trusted(scenario, monkeypatch):
    looks, whole = [], scenario.source.rows
    monkeypatch.setattr(scenario.source, "rows", lambda *asked: looks.append(1) or whole(*asked))
    scenario.clock.moment += WEEK
    assert opened(scenario) == 2
    advance(scenario.ports)
    asked = states(scenario)
    scenario.clock.moment += 30 * WEEK
    looks.clear()
    assert len(advance(scenario.ports).troubles) == len(asked) == 2
    assert (states(scenario), len(looks)) == (asked, 1)
    trust_clock(scenario.ports)
    assert advance(scenario.ports).troubles == ()
    assert not {*states(scenario)} & {*asked}
