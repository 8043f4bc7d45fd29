"""The evidence of largest drops: rows of windows, folded with the baseline that they are about and what it took in."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.evidence.drop_evidence import drop_evidence, log_e_by_point
from stratawatch.core.population import Floats
from stratawatch.core.tuning import EVIDENCE
from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.evidence.limit_ends import drop_test, grid_tests
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.evidence_records import NO_BET, BaselineGrid, EvidenceRow
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction

_NEVER: Final = 10**9
"""A period that nobody lives to see."""


@dataclass(frozen=True)
class FallenStream:
    """The evidence that a stream fell too far below its baseline, of which windows, and log E by window and bet."""

    key: StreamKey
    value: float
    windows: tuple[Cycle, ...]
    log_e: Floats


def fallen_streams(
    tx: Transaction,
    spec: PanelSpec,
    rows: Sequence[EvidenceRow],
    counted: Collection[StreamKey],
    cycles: Mapping[int, Cycle],
) -> Iterator[FallenStream]:
    """The evidence of each counted stream with a largest drop; `rows` are those since its last restart.

    A baseline takes in windows that are a while ago, up to the first page of its stream: what lies shortly before that
    may be the fall.
    """
    falls = _by_stream(row for row in rows if row.end == "max_drop" and row.key in counted)
    bases = _grids(tx, spec, falls)
    if not bases:
        return
    growth = _by_stream(tx.evidence.growth(spec.name, min(start for start, _ in bases.values())))
    breaches = [one for one in tx.alarms.incidents(panel=spec.name) if one.kind == AlarmState.BREACH]
    for key, (start, grid) in bases.items():
        paged = [tx.cycles.get(one.cycle_id) for one in breaches if one.key == key]
        pages = [cycle.period for cycle in paged if cycle.window.start >= start]
        yield _fold(grid, falls[key], growth.get(key, ()), cycles, min(pages, default=_NEVER))


def _by_stream(rows: Iterable[EvidenceRow]) -> dict[StreamKey, list[EvidenceRow]]:
    found: dict[StreamKey, list[EvidenceRow]] = defaultdict(list)
    for row in rows:
        found[row.key].append(row)
    return dict(found)


def _grids(
    tx: Transaction, spec: PanelSpec, falls: Mapping[StreamKey, Sequence[EvidenceRow]]
) -> dict[StreamKey, tuple[datetime, BaselineGrid]]:
    """By stream the grid that its newest window has bet on, and since when that baseline is in force."""
    kept, limits = tx.baselines.of(spec.name) if falls else (), watched_streams(spec)
    found = {}
    for key, rows in falls.items():
        drop, newest = drop_test(key, limits[key]), _newest_limits(rows)
        for one in kept:
            if drop and one.key == key and one.grid:
                limits_of = dict(enumerate(test.limit for test in grid_tests(drop, one.grid.points, 1)))
                if limits_of == newest:
                    found[key] = one.valid_from, one.grid
    return found


def _newest_limits(falls: Sequence[EvidenceRow]) -> dict[int, float]:
    """What the newest window that could bet has tested, by point."""
    bets = [row for row in falls if row.loss != NO_BET]
    return {row.point: row.limit for row in bets if row.cycle_id == bets[-1].cycle_id}


def _fold(
    grid: BaselineGrid,
    falls: Sequence[EvidenceRow],
    growth: Sequence[EvidenceRow],
    cycles: Mapping[int, Cycle],
    first_page: int,
) -> FallenStream:
    points = len(grid.points)
    windows = _by_window(falls, _newest_limits(falls), points)
    later = _by_window(growth, dict(enumerate(grid.points)), points)
    nothing = [0.0] * points
    log_b = np.array([[one.get(loss, nothing) for loss in grid.losses] for one in later.values()])
    ends = [min(cycles[one].period, first_page) for one in windows]
    grown = np.searchsorted([cycles[one].period for one in later], np.array(ends) - EVIDENCE.baseline_lag)
    found = drop_evidence(
        log_e_by_point(list(windows.values()), points),
        np.array(grid.log_b),
        log_b.reshape(-1, len(grid.losses), points),
        grown,
    )
    return FallenStream(falls[0].key, found.value, tuple(cycles[one] for one in windows), found.log_e)


def _by_window(
    rows: Sequence[EvidenceRow], limits: Mapping[int, float], points: int
) -> dict[int, dict[float, list[float]]]:
    """What the rounds of each window add up to at the points of a grid, by loss; of rows on that grid alone."""
    windows: dict[int, dict[float, list[float]]] = {}
    for row in rows:
        sums = windows.setdefault(row.cycle_id, {})
        if row.loss != NO_BET and limits.get(row.point) == row.limit:
            sums.setdefault(row.loss, [0.0] * points)[row.point] += row.log_e
    return windows
