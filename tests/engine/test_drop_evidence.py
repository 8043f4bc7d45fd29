"""Falls from a baseline in the engine: added up over windows, paged, over; and what a baseline takes in."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.alarms.evidence.time_to_page import MOST
from stratawatch.engine.cycle.expected_pages import expected_pages, planned_window
from stratawatch.engine.cycle.plan_preview import preview_plan
from stratawatch.engine.evidence.drop_streams import _fold
from stratawatch.engine.model.evidence_records import BaselineGrid, EvidenceRow
from stratawatch.engine.model.panel_spec import Window
from tests.support.drops import LR, PANEL, evidence, incidents, measure, why_restarted
from tests.support.fakes import MONDAY, WEEK
from tests.support.scenario import cycle_of, label_weeks, open_all, severities


def test_a_fall_is_paged_by_windows_together_and_ends_by_itself(make_scenario):
    fallen = make_scenario(PANEL, *range(4))
    baseline = measure(fallen)[LR]
    cycles = label_weeks(fallen, 4, 5, quality=0.45)
    (incident,) = incidents(fallen)
    assert (incident.key, incident.rule, incident.cycle_id) == (LR, "evidence", cycles[1])
    assert incident.evidence > 52 / 0.8
    assert MONDAY + 4 * WEEK <= incident.since <= MONDAY + 5 * WEEK
    assert severities(fallen)[2:] == ["page"]
    page, was = fallen.channel.received[-1], baseline.evidence.value
    assert (
        f"at most 5 points more than its baseline of {100 - 100 * was:.1f}% (measured 2026-02-02) allowed" in page.body
    )
    reason = page.facts["reason"]
    assert f"precision fell by more than 5 points below its baseline of {100 * was:.1f}% (2026-02-02)" in reason
    assert "luck reaches that at most 0.8 times a year" in reason
    assert evidence(fallen).total == 0
    assert why_restarted(fallen) == [(None, "spam / lr / precision was paged")]
    label_weeks(fallen, 6, quality=1.3)
    assert severities(fallen)[3:] == ["resolved"]
    assert why_restarted(fallen)[-1] == (LR, "its incident is over")


def test_a_plan_says_in_how_many_windows_it_would_be_paged(make_scenario):
    scenario = make_scenario(PANEL, *range(4))
    scenario.produce(4)
    window = Window(MONDAY + 4 * WEEK, MONDAY + 5 * WEEK)
    preview = preview_plan(scenario.ports, PANEL, window, 4)
    planned = planned_window(PANEL, preview.atoms, preview.plan.totals)

    def page():
        with scenario.ports.store.begin() as tx:
            (found,) = expected_pages(tx, PANEL, planned, window.start)
        return found

    assert (page().windows, page().unknown) == ({}, "no baseline is in force")
    measure(scenario)
    found = page()
    assert (found.key, found.end, found.unknown) == (LR, "max_drop", "")
    # One that is by 25 points worse was paged after two windows.
    assert 1 <= found.windows[0.1] < (found.windows[0.05] or MOST)


class TestGrowth:
    """Folded from rows: windows are 9 back or more, and none from a page on."""

    def test_counts_windows_that_are_further_back_than_the_lag_up_to_the_first_page(self, scenario):
        cycle = cycle_of(scenario, open_all(scenario)[0])
        cycles = {number: replace(cycle, id=number, period=number) for number in range(10, 24)}
        grid = BaselineGrid((0.4, 0.6), (0.01,), ((0.0, 0.0),), windows=4)
        row = EvidenceRow(LR, "max_drop", 0, 1, 1, 0.01, 0.0, 1.0, 0.0, 40)
        falls = [replace(row, cycle_id=23, loss=0.03, point=point, limit=0.35 + 0.2 * point) for point in (0, 1)]
        growth = [
            replace(row, cycle_id=number, sign=-1, point=point, limit=grid.points[point], log_e=1.0)
            for number in range(10, 23)
            for point in (0, 1)
        ]
        values = [_fold(grid, falls, growth, cycles, page).value for page in (10**9, 22, 20, 12)]
        assert np.log(values) == pytest.approx([5, 4, 2, 0])  # windows 10 to 14, to 13, to 11, none
