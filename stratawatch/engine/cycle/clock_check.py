"""Asks whether the machine's clock can be right, before windows open, cycles expire or labels are set aside by it.

A clock that jumped ahead opens windows that nobody has predictions of, all of which are refused, and ends cycles that
people work on; one that fell back writes a history that contradicts itself. Simulated time is what somebody asked for,
and is not checked.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from time import monotonic
from typing import Final

from stratawatch.engine.alarms.send_deadline import call_within
from stratawatch.engine.audit import note_action
from stratawatch.engine.clock_behind import CLOCK_SKEW, HINT, TRUSTED, require_after_newest_commit, time_text
from stratawatch.engine.cycle.panel_pauses import panel_pauses
from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.states import ACTIVE_CYCLES, CycleState
from stratawatch.engine.model.windows import newest_ended_period, window_of_period
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.clock import SystemClock
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import ClockDoubted

SEVERAL: Final = 2
"""Windows that are due at once, from which on a clock may have jumped."""
MOST_ACTIVE: Final = 8
"""Cycles of one panel under way at once: a long backfill must not flood the people who label."""
TRUST_LASTS: Final = timedelta(days=7)
"""How long the newest rows are not asked for after a person said that the clock is right."""
LONGEST_LOOK: Final = 60.0
"""Seconds that one source may take to say whether it has recent rows."""
LONGEST_LOOKS: Final = 300.0
"""Seconds for all sources together."""


def require_sound_clock(ports: Ports, panels: Mapping[str, PanelSpec], undone: str = "no window was opened") -> None:
    """Raise ClockDoubted where the machine's clock is behind the newest commit or far ahead of the predictions.

    `undone` says what is therefore not done.
    """
    if not isinstance(ports.clock, SystemClock):
        return
    now = ports.clock.now()
    with ports.store.begin() as tx:
        require_after_newest_commit(tx, now, undone)
        if _is_trusted(tx, now):
            return
        due = {name: _windows_due(tx, ports, spec, now) for name, spec in panels.items()}
        suspects = [name for name, spec in panels.items() if _is_suspect(tx, ports, spec, due[name])]
    until = monotonic() + LONGEST_LOOKS
    doubted = [name for name in suspects if _has_recent_rows(ports, panels[name], now, until) is False]
    # Rows of any other panel vouch for the clock: then it is the doubted panels' sources that stand still.
    if doubted and not any(_has_recent_rows(ports, panels[name], now, until) for name in panels if name not in doubted):
        raise _far_ahead(panels[doubted[0]], due[doubted[0]], now, undone)


def doubt_of_deadlines(ports: Ports) -> ClockDoubted | None:
    """Why this clock must set no deadline and end no cycle at one; None where it may, or where none is due.

    A window that is frozen gets its deadline: by a clock that fell back it would have passed when the clock is right.
    """
    now = ports.clock.now()
    with ports.store.begin() as tx:
        cycles = tx.cycles.find(states=(CycleState.OPEN, CycleState.FROZEN, CycleState.LABELLING))
        panels = {name: spec for name, spec in tx.panels.latest().items() if name in ports.sources}
    if not any(cycle.deadline_at is None or now >= cycle.deadline_at for cycle in cycles):
        return None
    try:
        require_sound_clock(ports, panels, "no window was frozen and no cycle ended at its deadline")
    except ClockDoubted as doubt:
        return doubt
    return None


def trust_clock(ports: Ports) -> None:
    """Remember that a person trusts the clock: for a while, and for good against the commits that are later now."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        newest = tx.newest_commit()
        trusted = {**tx.labels.cursor(TRUSTED), "at": now.isoformat()}
        what = f"the machine's clock at {time_text(now)}"
        if newest is not None and newest > now:
            trusted["newest_commit"] = newest.isoformat()
            what += f", before the newest commit, {time_text(newest)}"
        tx.labels.save_cursor(TRUSTED, trusted, now)
        note_action(tx, ports, "trusted", what)
        tx.commit()


def free_slots(tx: Transaction, panel: str) -> int:
    """How many cycles of a panel may be opened beside those that are under way."""
    return MOST_ACTIVE - len(tx.cycles.find(panel=panel, states=ACTIVE_CYCLES))


def _is_trusted(tx: Transaction, now: datetime) -> bool:
    """Whether a person said lately that the clock is right; a clock that was set back since is another one."""
    at = tx.labels.cursor(TRUSTED).get("at")
    return at is not None and -CLOCK_SKEW <= now - datetime.fromisoformat(at) <= TRUST_LASTS


def _is_suspect(tx: Transaction, ports: Ports, spec: PanelSpec, due: int) -> bool:
    """Whether several windows are unopened although slots are free; a paused panel needs no slots."""
    return due >= SEVERAL and (spec.name in ports.paused.panels or free_slots(tx, spec.name) >= SEVERAL)


def _windows_due(tx: Transaction, ports: Ports, spec: PanelSpec, now: datetime) -> int:
    """How many windows of a panel are over and not opened; of a paused one, those that ended in the pause."""
    opened = tx.cycles.find(panel=spec.name, newest=1)
    pauses = panel_pauses(tx, spec.name)
    before = opened[0].period if opened else -1
    if spec.name in ports.paused.panels:
        since = pauses[-1].since if pauses and not pauses[-1].is_over else now
        before = max(before, newest_ended_period(replace(spec.windows, lateness=timedelta(0)), since))
    return newest_ended_period(spec.windows, now) - before


def _has_recent_rows(ports: Ports, spec: PanelSpec, now: datetime, until: float) -> bool | None:
    """Whether the newest two windows of a panel, or the present one, have a row; None where that cannot be asked."""
    source = ports.sources.get(spec.name)
    seconds = min(ports.read_timeout(spec.name), LONGEST_LOOK, until - monotonic())
    if source is None or seconds <= 0:
        return None
    lately = Window(window_of_period(spec.windows, newest_ended_period(spec.windows, now) - 1).start, now)

    def look() -> bool:
        with source.reading(spec, lately) as reading:
            return bool(reading.rows(lately))

    try:
        return call_within(seconds, look, f"the source of panel '{spec.name}'")
    except Exception:  # noqa: BLE001 - a source may raise anything; other panels must open, and its freeze tells it
        return None


def _far_ahead(spec: PanelSpec, due: int, now: datetime, undone: str) -> ClockDoubted:
    """The error for several windows that are due at once, the newest two of which have no row.

    One window without rows is opened and refused, so that people hear of a source that stands still.
    """
    since = window_of_period(spec.windows, newest_ended_period(spec.windows, now) - 1).start
    return ClockDoubted(
        f"{undone}: the machine's clock is more than a window beyond the newest row of panel '{spec.name}'",
        expected=f"a row at {time_text(since)} or later",
        got=f"none; the clock says {time_text(now)}, {due} windows are due",
        hint=f"{HINT} once; for data of the past, `--now` says what time it should be",
    )
