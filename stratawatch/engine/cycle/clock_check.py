"""Asks whether the machine's clock can be right, before windows open, cycles expire or labels are set aside by it.

A clock that jumped ahead opens windows that nobody has predictions of, all of which are refused, and ends cycles that
people work on; one that fell back writes a history that contradicts itself. Simulated time is what somebody asked for,
and is not checked.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from stratawatch.engine.audit import note_action
from stratawatch.engine.clock_behind import HINT, TRUSTED, require_after_newest_commit, time_text
from stratawatch.engine.cycle.panel_pauses import panel_pauses
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.windows import newest_ended_period, window_of_period
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.clock import SystemClock
from stratawatch.errors import ClockDoubted, StratawatchError

SEVERAL: Final = 2
"""Windows that are due at once, from which on a clock may have jumped."""


def require_sound_clock(ports: Ports, panels: Mapping[str, PanelSpec], undone: str = "no window was opened") -> None:
    """Raise ClockDoubted where the machine's clock is behind the newest commit or far ahead of the predictions.

    `undone` says what is therefore not done.
    """
    if not isinstance(ports.clock, SystemClock):
        return
    now = ports.clock.now()
    with ports.store.begin() as tx:
        require_after_newest_commit(tx, now, undone)
    suspects = {name for name, spec in panels.items() if _windows_due(ports, spec, now) >= SEVERAL}
    doubted = [name for name in panels if name in suspects and _has_recent_rows(ports, panels[name], now) is False]
    # Rows of any other panel vouch for the clock: then it is the doubted panels' sources that stand still.
    if doubted and not any(_has_recent_rows(ports, panels[name], now) for name in panels if name not in doubted):
        raise _far_ahead(ports, panels[doubted[0]], now, undone)


def doubt_of_expiry(ports: Ports, cycle_id: int) -> ClockDoubted | None:
    """Why a cycle whose deadline has passed must not be ended by this clock; None where it may."""
    with ports.store.begin() as tx:
        panels = {name: spec for name, spec in tx.panels.latest().items() if name in ports.sources}
    try:
        require_sound_clock(ports, panels, f"cycle {cycle_id} was not ended at its deadline")
    except ClockDoubted as doubt:
        return doubt
    return None


def trust_clock(ports: Ports) -> None:
    """Remember that a person trusts the clock although the store's newest commit is later."""
    with ports.store.begin() as tx:
        newest = tx.newest_commit()
        if newest is not None and newest > ports.clock.now():
            tx.labels.save_cursor(TRUSTED, {"newest_commit": newest.isoformat()}, ports.clock.now())
            note_action(tx, ports, "trusted", f"the machine's clock before the newest commit, {time_text(newest)}")
            tx.commit()


def _windows_due(ports: Ports, spec: PanelSpec, now: datetime) -> int:
    """How many windows of a panel are over and not opened; of a paused one, those that ended in the pause."""
    with ports.store.begin() as tx:
        opened = tx.cycles.find(panel=spec.name, newest=1)
        pauses = panel_pauses(tx, spec.name)
    before = opened[0].period if opened else -1
    if spec.name in ports.paused.panels:
        since = pauses[-1].since if pauses and not pauses[-1].is_over else now
        before = max(before, newest_ended_period(replace(spec.windows, lateness=timedelta(0)), since))
    return newest_ended_period(spec.windows, now) - before


def _has_recent_rows(ports: Ports, spec: PanelSpec, now: datetime) -> bool | None:
    """Whether the newest two windows of a panel, or the present one, have a row; None where that cannot be asked."""
    source = ports.sources.get(spec.name)
    if source is None:
        return None
    newest = newest_ended_period(spec.windows, now)
    window = window_of_period(spec.windows, newest)
    since = window_of_period(spec.windows, newest - 1).start
    try:
        with source.reading(spec, window) as reading:
            return bool(reading.rows(Window(since, now)))
    except StratawatchError:
        return None


def _far_ahead(ports: Ports, spec: PanelSpec, now: datetime, undone: str) -> ClockDoubted:
    """The error for several windows that are due at once, the newest two of which have no row.

    One window without rows is opened and refused, so that people hear of a source that stands still.
    """
    since = window_of_period(spec.windows, newest_ended_period(spec.windows, now) - 1).start
    return ClockDoubted(
        f"{undone}: the machine's clock is more than a window beyond the newest row of panel '{spec.name}'",
        expected=f"a row at {time_text(since)} or later",
        got=f"none; the clock says {time_text(now)}, {_windows_due(ports, spec, now)} windows are due",
        hint=f"{HINT} once; for data of the past, `--now` says what time it should be",
    )
