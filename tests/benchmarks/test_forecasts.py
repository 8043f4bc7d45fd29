"""The benchmark of forecasts compares what was forecast with what came."""

from itertools import islice

import numpy as np
import pytest

from benchmarks.forecasts.cells import Cell, cells_of, median_spread, rows, share_held
from benchmarks.forecasts.coherence import coherence
from benchmarks.forecasts.periods import first_cycles, places, second_cycles
from benchmarks.forecasts.weeks import CHAINS, weeks
from stratawatch.core.plan import HalfWidthRange, Plan


def cell(came, low=0.04, high=0.06):
    return Cell("kind", 300, "recall", low, 0.05, high, came)


def test_what_came_is_in_the_range_or_not():
    cells = [cell(0.05), cell(0.061), cell(0.039), cell(0.055)]
    assert share_held(cells) == 0.5
    assert median_spread(cells) == pytest.approx(0.2)
    (row,) = rows(cells)
    assert (row["narrower"], row["wider"], row["point within 10%"]) == (0.25, 0.25, 0.5)


def test_what_labels_leave_undefined_is_no_cell():
    plan = Plan((1,), {("a", "recall"): 0.05}, "", ranges={("a", "recall"): HalfWidthRange(0.04, 0.06)})
    assert cells_of("kind", 300, plan, {("a", "recall"): np.nan}) == []
    assert cells_of("kind", 300, plan, {}) == []
    assert len(cells_of("kind", 300, plan, {("a", "recall"): 0.07})) == 1


def test_a_small_run_of_every_kind_of_cycle():
    place = next(places(1))
    first, second = list(first_cycles(place, 1, 2)), list(second_cycles(place, 1, 1))
    assert {one.labels for one in first} == {100, 300, 1000}
    assert {one.kind for one in second} == {f"second, {share}% persist" for share in (0, 50, 75)}
    asked, weekly = next(islice(weeks(CHAINS[1], 1, 2), 1))
    assert {one.metric for one in weekly} == {"precision", "recall", "false_omission_rate"}
    assert 800 < asked.expected <= 900
    assert asked.came == 900


def test_forecasts_of_a_population_agree_where_plans_would_not():
    place = next(place for place in places(1) if place.family.name == "panel, overconfident")
    found = coherence(place, 1)
    assert (found.worse, found.need_more) == (0, 0)
    assert found.by_own_plans > 0
    again = coherence(place, 1, 0.5)
    assert (again.worse, again.need_more, again.steps) == (0, 0, found.steps)
