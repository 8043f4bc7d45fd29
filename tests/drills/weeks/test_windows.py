"""Each instant belongs to exactly one opened window, each window is read once, and drift reaches people."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.cycle.operator_actions import reopen_cycle
from stratawatch.engine.model.drift_rule import DriftRule
from stratawatch.engine.model.panel_spec import AuxiliarySpec, Columns, WindowRule
from stratawatch.engine.model.states import ACTIVE_CYCLES, CycleState, Entity
from stratawatch.errors import ConfigError, StratawatchError
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.hypothesis_examples import examples
from tests.support.scenario import cycle_of, label_cycle, open_all
from tests.support.stores import empty_store

HOUR = timedelta(hours=1)
LR, RF = spec().classifiers
LONG = replace(spec().columns, classifier="model")


def run_weeks(scenario, weeks: int) -> list[int]:
    """Produce, open, label and judge one window after the other."""
    cycles = []
    for period in range(weeks):
        if MONDAY + period * WEEK not in scenario.source.windows:
            scenario.produce(period)
        scenario.clock.moment = MONDAY + (period + 1) * WEEK
        cycles.append(label_cycle(scenario))
    return cycles


class TestOpening:
    @settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        # Hours since the start at which some process looks, in whatever order: skewed clocks, restarts, long outages.
        looks=st.lists(st.tuples(st.integers(-100, 1500), st.integers(0, 50), st.booleans()), min_size=1, max_size=8),
        # A daily window in a zone that changes its clocks inside the stretch of time that is looked at.
        zone=st.sampled_from(["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe"]),
        length=st.sampled_from([1, 23, 24, 25, 168]),
    )
    def test_leaves_no_gap_and_no_overlap_whatever_the_clocks_do(self, tmp_path, looks, zone, length):
        start = datetime(2026, 3, 20, tzinfo=UTC).astimezone(ZoneInfo(zone))
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.db"
        store = empty_store(path)
        try:
            for hours, lateness, end_cycles in looks:
                rule = WindowRule(start, length * HOUR, lateness * HOUR)
                ports = _ports_at(store, start + hours * HOUR)
                open_cycles(ports, {"spam": spec(windows=rule)})
                if end_cycles:
                    _cancel_all(store, start)
            with store.begin() as tx:
                windows = [cycle.window for cycle in tx.cycles.find(panel="spam")]
        finally:
            store.dispose()
        if windows:
            assert windows[0].start == start
            assert all(one.end == following.start for one, following in pairwise(windows))
            assert all(one.end - one.start == length * HOUR for one in windows)
            for instant in (window.start for window in windows):
                assert sum(one.start <= instant < one.end for one in windows) == 1

    def test_by_a_clock_that_went_back_opens_nothing(self, scenario):
        open_all(scenario)
        scenario.clock.moment = MONDAY - WEEK
        assert open_all(scenario) == ()

    def test_under_another_rhythm_is_refused(self, scenario):
        open_all(scenario)
        with pytest.raises(ConfigError, match="windows of panel 'spam' changed"):
            open_cycles(scenario.ports, {"spam": spec(windows=WindowRule(MONDAY + HOUR, WEEK))})


def _ports_at(store, now):
    from stratawatch.engine.ports import Ports
    from stratawatch.engine.ports.clock import FixedClock

    return Ports(store, FixedClock(now), {}, None, None, {})


def _cancel_all(store, at):
    with store.begin() as tx:
        for cycle in tx.cycles.find(panel="spam", states=ACTIVE_CYCLES):
            tx.move(Entity.CYCLE, cycle.id, cycle.state, CycleState.CANCELLED, at=at, why="a test")
        tx.commit()


class TestReading:
    def test_asks_for_each_window_twice_and_never_again(self, scenario):
        run_weeks(scenario, 3)
        for period in range(3):
            asked = [name for name, start in scenario.source.calls if start == MONDAY + period * WEEK]
            # Its times are counted once more when the next window is read; nothing else of it ever is.
            assert asked == ["census", "candidates"] + ["rows"] * (period < 2)

    def test_does_not_look_back_where_windows_are_cut_by_arrival(self, make_scenario):
        scenario = make_scenario(spec(columns=Columns("id", "at", ("text",), ("country",), ingested="arrived")))
        run_weeks(scenario, 2)
        assert "rows" not in [name for name, _ in scenario.source.calls]

    def test_does_not_look_back_when_told_not_to(self, make_scenario):
        scenario = make_scenario(spec(drift=DriftRule(missed="ignore")))
        run_weeks(scenario, 2)
        assert "rows" not in [name for name, _ in scenario.source.calls]

    def test_after_a_failure_begins_again_and_then_ends(self, scenario):
        open_all(scenario)
        scenario.source.troubles = [StratawatchError("half a file")]
        for _ in range(3):
            with suppress(StratawatchError):
                advance(scenario.ports)
        assert [name for name, _ in scenario.source.calls] == ["census", "census", "candidates"]


class TestRowsThatCameTooLate:
    def test_are_counted_and_told(self, scenario):
        run_weeks(scenario, 1)
        scenario.source.windows[MONDAY] += scenario.source.windows[MONDAY][:7]
        second = _next_week(scenario, 1)
        warnings = cycle_of(scenario, second).profile.warnings
        assert any("7 rows of the window before came after it was read" in one for one in warnings)
        assert cycle_of(scenario, second).profile.missed == 7
        assert any(n.subject == "DRIFT: the input of spam" and "7 rows" in n.body for n in scenario.channel.received)

    def test_cannot_be_told_once_the_source_forgets(self, scenario):
        run_weeks(scenario, 1)
        scenario.source.windows[MONDAY].clear()
        assert cycle_of(scenario, _next_week(scenario, 1)).profile.missed is None

    @pytest.mark.parametrize("change", [{"duplicates": "latest"}, {"source": "files: elsewhere/*.parquet"}])
    def test_cannot_be_told_where_other_rows_are_counted_now(self, scenario, change):
        run_weeks(scenario, 1)
        scenario.source.windows[MONDAY] += scenario.source.windows[MONDAY][:7]
        scenario.panel = spec(**change)
        assert cycle_of(scenario, _next_week(scenario, 1)).profile.missed is None

    @pytest.mark.parametrize(
        "change",
        [
            {"auxiliary": (AuxiliarySpec("judge", "score_lr"),)},
            {"classifiers": (LR, replace(RF, called="rf-2"))},
            {"columns": replace(LONG, classifier="version")},
            {"columns": replace(LONG, classifier=None)},
        ],
    )
    def test_cannot_be_told_of_a_long_table_where_the_rows_of_others_are_read_now(self, make_scenario, change):
        scenario = make_scenario(spec(columns=LONG))
        run_weeks(scenario, 1)
        scenario.source.windows[MONDAY] += scenario.source.windows[MONDAY][:7]
        scenario.panel = spec(**({"columns": LONG} | change))
        assert cycle_of(scenario, _next_week(scenario, 1)).profile.missed is None

    @pytest.mark.parametrize("columns", [spec().columns, LONG])
    def test_are_told_where_the_same_rows_are_read_by_other_words(self, make_scenario, columns):
        scenario = make_scenario(spec(columns=columns))
        run_weeks(scenario, 1)
        scenario.source.windows[MONDAY] += scenario.source.windows[MONDAY][:7]
        scenario.panel = spec(columns=columns, classifiers=(replace(LR, cut_off=0.4), replace(RF, called="rf")))
        assert cycle_of(scenario, _next_week(scenario, 1)).profile.missed == 7

    def test_none_is_a_number_too(self, scenario):
        run_weeks(scenario, 1)
        assert cycle_of(scenario, _next_week(scenario, 1)).profile.missed == 0


def _next_week(scenario, period: int) -> int:
    scenario.produce(period)
    scenario.clock.moment = MONDAY + (period + 1) * WEEK
    return label_cycle(scenario)


class TestDrift:
    def test_is_told_once_and_the_window_is_judged(self, scenario):
        run_weeks(scenario, 1)
        scenario.produce(1, size=6000)
        scenario.clock.moment = MONDAY + 2 * WEEK
        cycle = label_cycle(scenario)
        assert cycle_of(scenario, cycle).state == CycleState.JUDGED
        received = [n for n in scenario.channel.received if n.subject.startswith("DRIFT")]
        assert len(received) == 1
        assert "the window has 6,000 rows, the window before 3,000" in received[0].body

    def test_refuses_where_the_panel_says_so_and_is_accepted_by_a_changed_rule(self, make_scenario):
        scenario = make_scenario(spec(drift=DriftRule(volume="refuse")))
        run_weeks(scenario, 1)
        scenario.produce(1, size=6000)
        scenario.clock.moment = MONDAY + 2 * WEEK
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        assert cycle_of(scenario, cycle).state == CycleState.REFUSED
        assert 'set volume = "warn" in [panels.spam.drift]' in cycle_of(scenario, cycle).reason
        reopen_cycle(scenario.ports, cycle, "traffic grew", spec(drift=DriftRule()))
        advance(scenario.ports)
        assert cycle_of(scenario, cycle).state == CycleState.LABELLING

    def test_is_measured_against_judged_windows_only(self, make_scenario):
        scenario = make_scenario(spec(drift=DriftRule(volume="refuse")))
        scenario.produce(1, size=6000)
        scenario.clock.moment = MONDAY + 2 * WEEK
        cycles = open_all(scenario)
        advance(scenario.ports)  # both are frozen, none is judged yet
        assert [cycle_of(scenario, one).state for one in cycles] == [CycleState.LABELLING] * 2

    def test_of_a_replayed_window_is_refused_by_default(self, scenario):
        scenario.source.seen = {"fingerprint": "the same"}
        run_weeks(scenario, 1)
        scenario.clock.moment = MONDAY + 2 * WEEK
        scenario.produce(1)
        (cycle,) = open_all(scenario)
        advance(scenario.ports)
        assert (
            "every count of the window is that of the window 2026-01-05 to 2026-01-12"
            in cycle_of(scenario, cycle).reason
        )


class TestReopening:
    def test_keeps_the_rhythm(self, make_scenario):
        scenario = make_scenario()
        (cycle,) = open_all(scenario)
        scenario.check.refusal = "no"
        advance(scenario.ports)
        with pytest.raises(ConfigError, match="windows of panel 'spam' changed"):
            reopen_cycle(scenario.ports, cycle, "mended", spec(windows=WindowRule(MONDAY, WEEK / 7)))
        assert cycle_of(scenario, cycle).state == CycleState.REFUSED

    def test_reads_under_the_specification_of_today(self, make_scenario):
        scenario = make_scenario()
        (cycle,) = open_all(scenario)
        scenario.check.refusal = "no"
        advance(scenario.ports)
        scenario.check.refusal = ""
        reopen_cycle(scenario.ports, cycle, "mended", spec(budget=60))
        advance(scenario.ports)
        with scenario.ports.store.begin() as tx:
            assert tx.panels.get(cycle_of(scenario, cycle).panel_version).budget == 60
