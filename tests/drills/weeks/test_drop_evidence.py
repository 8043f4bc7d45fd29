"""What falls from a baseline are added up from: windows, grids and stakes that stay, and baselines that change."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.tuning import EVIDENCE
from stratawatch.engine.baselines.baselines_from_labels import LabelledItems, SideSizes
from stratawatch.engine.baselines.measure_baseline import measure_baseline
from stratawatch.engine.cycle.judge_cycle import judge_cycle
from stratawatch.engine.evidence.drop_rows import first_bets
from stratawatch.engine.evidence.replay_evidence import replay_evidence
from tests.support.drops import LR, PANEL, REQUEST, evidence, incidents, measure, why_restarted
from tests.support.fakes import MONDAY, WEEK
from tests.support.scenario import cycle_of, label_cycle, label_weeks, relabel


def rows(scenario, cycle, sign=1):
    with scenario.ports.store.begin() as tx:
        return [row for row in tx.evidence.of_cycle(cycle) if row.sign == sign]


@pytest.fixture
def measured(make_scenario):
    """Four windows, and a baseline from them."""
    scenario = make_scenario(PANEL, *range(4))
    scenario.baseline = measure(scenario)[LR]
    return scenario


class TestJudgedAgain:
    @pytest.fixture
    def fallen(self, measured):
        measured.cycles = label_weeks(measured, 4, 5, 6, quality=0.55)
        return measured

    def test_judged_again_it_keeps_its_tests_and_stakes(self, fallen):
        before = rows(fallen, fallen.cycles[2])
        relabel(fallen, "yes")
        after = rows(fallen, fallen.cycles[2])
        named = [
            [(row.point, row.limit, row.loss, row.ordinal, row.labels) for row in some] for some in (before, after)
        ]
        assert named[0] == named[1]
        assert all(now.stake <= then.stake for now, then in zip(after, before, strict=True))
        assert all(now.log_e < then.log_e for now, then in zip(after, before, strict=True) if now.point > 4)
        assert {row.revision for row in after} == {2}
        judge_cycle(fallen.ports, fallen.cycles[2])
        assert rows(fallen, fallen.cycles[2]) == after


class TestAWindow:
    def test_bets_at_every_point_of_the_baseline_s_grid(self, measured):
        (cycle,) = label_weeks(measured, 4)
        grid = measured.baseline.grid
        assert (grid.windows, len(grid.points), grid.losses) == (4, 9, EVIDENCE.baseline_losses)
        assert {row.point: row.limit for row in rows(measured, cycle)} == {
            place: point - 0.05 for place, point in enumerate(grid.points)
        }
        assert {row.point: row.limit for row in rows(measured, cycle, -1)} == dict(enumerate(grid.points))
        for sign in (1, -1):
            stakes = {(row.ordinal, row.loss): row.stake for row in rows(measured, cycle, sign)}
            assert all(row.stake == stakes[row.ordinal, row.loss] for row in rows(measured, cycle, sign))

    def test_that_can_bet_on_nothing_counts_all_the_same(self, measured):
        lr, rf = measured.panel.classifiers
        measured.panel = replace(measured.panel, classifiers=(replace(lr, cut_off=2.0), rf))
        baseline = replace(measured.baseline, call="score_lr >= 2.0", cut_off=2.0)
        with measured.ports.store.begin() as tx:
            tx.baselines.add(baseline)
            tx.commit()
        (cycle,) = label_weeks(measured, 4)
        (row,) = rows(measured, cycle)
        assert (row.end, row.loss, row.stake, row.log_e, row.labels) == ("max_drop", 0.0, 0.0, 0.0, 0)
        assert evidence(measured).total == 0

    def test_of_items_that_were_there_before_stands_alone_and_is_no_part_of_a_baseline(self, measured):
        measured.source.windows[MONDAY + 4 * WEEK] = measured.source.windows[MONDAY + 3 * WEEK]
        measured.clock.moment = MONDAY + 5 * WEEK
        cycle = label_cycle(measured)
        with measured.ports.store.begin() as tx:
            assert tx.evidence.rule_of(cycle).rule == "window"
        assert rows(measured, cycle) == []
        assert measure(measured)[LR].grid.windows == 4

    def test_is_taken_into_the_baseline_until_that_rests_on_26(self, measured):
        (cycle,) = label_weeks(measured, 4)
        judged, limits = cycle_of(measured, cycle), {LR: PANEL.limits[0]}
        signs = {}
        for number in (1, 22, 23):
            start = MONDAY + (3 + number) * WEEK
            later = replace(judged, window=replace(judged.window, start=start, end=start + WEEK))
            signs[number] = [one.sign for one in first_bets(PANEL, later, limits, {LR: measured.baseline})]
        assert signs == {1: [1, -1], 22: [1, -1], 23: [1]}


class TestBaselines:
    def test_one_that_is_in_force_no_longer_leaves_no_evidence(self, make_scenario):
        scenario = make_scenario(PANEL, *range(4))
        kept = measure(scenario, replace(REQUEST, valid_until=MONDAY + 5 * WEEK))[LR]
        label_weeks(scenario, 4)
        assert len(evidence(scenario).ends) == 1
        label_weeks(scenario, 5)
        assert evidence(scenario).ends == ()
        why = f"its baseline of {kept.measured_at:%Y-%m-%d} is in force no longer"
        assert why_restarted(scenario) == [(LR, why)]

    def test_another_one_begins_anew_and_says_so(self, measured):
        label_weeks(measured, 4)
        assert LR in measure(measured)
        label_weeks(measured, 5)
        assert why_restarted(measured) == [(LR, "its baseline is of 2026-02-09, no longer of 2026-02-02")]
        assert len(evidence(measured).ends) == 1

    def test_one_of_before_keeps_each_window_by_itself_until_it_is_measured_again(self, measured):
        with measured.ports.store.begin() as tx:
            tx.baselines.add(replace(measured.baseline, grid=None, measured_at=measured.clock.now()))
            tx.commit()
        (cycle,) = label_weeks(measured, 4, quality=0.2)
        assert rows(measured, cycle) == []
        assert [one.rule for one in incidents(measured)] == ["window"]
        assert measure(measured)[LR].grid.windows == 5

    def test_windows_of_before_there_was_evidence_give_one_once_they_are_replayed(self, measured):
        with measured.ports.store.begin() as tx:
            tx._sql.exec_driver_sql("UPDATE draws SET bets = NULL")
            tx._sql.exec_driver_sql("DELETE FROM judgement_rules")
            tx.commit()
        assert measure(measured)[LR].grid is None
        replay_evidence(measured.ports, "spam", 4)
        assert measure(measured)[LR].grid == measured.baseline.grid

    def test_labelled_predictions_give_one_where_they_were_drawn_at_random(self, measured):
        calls = np.arange(400) < 100
        items = LabelledItems(
            np.arange(400) < 80, {"lr": calls}, {"lr": np.ones(400, dtype=bool)}, {}, "a file"
        )  # fmt: skip
        reader = SimpleNamespace(read=lambda _: items)
        apart = replace(REQUEST, sides=SideSizes(1000, 9000))
        kept = {
            name: {one.key: one for one in measure_baseline(measured.ports, PANEL, request, reader).new}[LR]
            for name, request in (("random", REQUEST), ("apart", apart))
        }
        assert (kept["random"].evidence, kept["random"].grid.windows) == (BaselineShare(0.8, 100), 0)
        assert kept["apart"].grid is None

    def test_replayed_windows_bet_on_the_one_that_was_in_force(self, measured):
        (cycle,) = label_weeks(measured, 4)
        before = rows(measured, cycle), rows(measured, cycle, -1)
        with measured.ports.store.begin() as tx:
            for table in ("evidence", "judgement_rules", "evidence_restarts"):
                tx._sql.exec_driver_sql(f"DELETE FROM {table}")
            tx.commit()
        replay_evidence(measured.ports, "spam", 1)
        assert (rows(measured, cycle), rows(measured, cycle, -1)) == before


class TestABaselineMeasuredLater:
    """Its dates hold for windows that were judged before it was measured, against another one."""

    @pytest.fixture
    def windows(self, measured):
        """Three judged windows; the later baseline is for the second one and those after it."""
        measured.cycles = label_weeks(measured, 4, 5, 6)
        later = replace(
            measured.baseline, source="a file", valid_from=MONDAY + 5 * WEEK, measured_at=measured.clock.now()
        )
        with measured.ports.store.begin() as tx:
            tx.baselines.add(later)
            tx.commit()
        return measured

    def test_restarts_no_stream_at_a_window_that_is_judged_again(self, windows):
        relabel(windows, "yes")
        assert {row.revision for row in rows(windows, windows.cycles[2])} == {2}
        assert why_restarted(windows) == []
        (end,) = evidence(windows).ends
        assert [cycle.id for cycle in end.windows] == windows.cycles

    def test_restarts_it_at_the_next_window(self, windows):
        relabel(windows, "yes")
        cycles = label_weeks(windows, 7)
        assert why_restarted(windows) == [(LR, "its baseline is of 2026-02-23, no longer of 2026-02-02")]
        (end,) = evidence(windows).ends
        assert [cycle.id for cycle in end.windows] == cycles

    def test_restarts_none_at_a_window_that_is_replayed(self, windows):
        with windows.ports.store.begin() as tx:
            for table in ("evidence", "judgement_rules"):
                tx._sql.exec_driver_sql(f"DELETE FROM {table}")
            tx.commit()
        replay_evidence(windows.ports, "spam", 3)
        assert why_restarted(windows) == []
