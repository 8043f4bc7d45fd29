"""Asks whether the machine's clock can be right, before windows are opened by it.

A clock that jumped ahead opens windows that nobody has predictions of, all of which are refused; one that fell back
writes a history that contradicts itself. Simulated time is what somebody asked for, and is not checked.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from stratawatch.engine.model.panel_spec import PanelSpec, Window
from stratawatch.engine.model.windows import newest_ended_period, window_of_period
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.clock import SystemClock
from stratawatch.errors import ClockDoubted, StratawatchError

CLOCK_SKEW: Final = timedelta(minutes=5)
"""How far the clocks of two machines that work on one store may be apart."""
TRUSTED: Final = "clock trusted"
"""The cursor of the newest commit that a person has seen when they said that the clock is right."""
HINT: Final = "set the machine's clock; if it is right, `stratawatch open --trust-clock` goes on"


def require_sound_clock(ports: Ports, panels: Mapping[str, PanelSpec]) -> None:
    """Raise ClockDoubted where the machine's clock is behind the newest commit or far ahead of the predictions."""
    if not isinstance(ports.clock, SystemClock):
        return
    now = ports.clock.now()
    _require_after_newest_commit(ports, now)
    for spec in panels.values():
        _require_near_predictions(ports, spec, now)


def trust_clock(ports: Ports) -> None:
    """Remember that a person trusts the clock although the store's newest commit is later."""
    with ports.store.begin() as tx:
        newest = tx.newest_commit()
        if newest is not None and newest > ports.clock.now():
            tx.labels.save_cursor(TRUSTED, {"newest_commit": newest.isoformat()}, ports.clock.now())
            tx.commit()


def _require_after_newest_commit(ports: Ports, now: datetime) -> None:
    with ports.store.begin() as tx:
        newest = tx.newest_commit()
        trusted = tx.labels.cursor(TRUSTED).get("newest_commit")
    if newest is None or newest <= now + CLOCK_SKEW or (trusted and newest <= datetime.fromisoformat(trusted)):
        return
    raise ClockDoubted(
        "no window was opened: the machine's clock stands before the store's newest commit",
        expected=f"{_text(newest)} or later",
        got=_text(now),
        hint=HINT,
    )


def _require_near_predictions(ports: Ports, spec: PanelSpec, now: datetime) -> None:
    """Several windows that are due at once, the newest two of which have no row, are the clock's, not the world's.

    One window without rows is opened and refused, so that people hear of a source that stands still. A source that
    cannot be asked stops nobody.
    """
    with ports.store.begin() as tx:
        opened = tx.cycles.find(panel=spec.name, newest=1)
    newest = newest_ended_period(spec.windows, now)
    due = newest - (opened[0].period if opened else -1)
    source = ports.sources.get(spec.name)
    if due < 2 or source is None:
        return
    window = window_of_period(spec.windows, newest)
    since = window_of_period(spec.windows, newest - 1).start
    try:
        with source.reading(spec, window) as reading:
            rows = reading.rows(Window(since, now))
    except StratawatchError:
        return
    if not rows:
        raise ClockDoubted(
            f"no window was opened: the machine's clock is more than a window beyond the newest row of panel "
            f"'{spec.name}'",
            expected=f"a row at {_text(since)} or later",
            got=f"none; the clock says {_text(now)}, {due} windows are due",
            hint=f"{HINT}; for data of the past, `--now` says what time it should be",
        )


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} +00:00"
