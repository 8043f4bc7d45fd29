"""When a panel was paused, as `open` saw it: windows that ended meanwhile are passed over, earlier ones only wait."""

from dataclasses import dataclass, replace
from datetime import datetime

from stratawatch.engine.ports.transaction import Transaction


@dataclass(frozen=True)
class PanelPause:
    """From the first to the last `open` under a pause; `is_over` once an `open` found the panel not paused."""

    since: datetime
    until: datetime
    is_over: bool = False

    def covers(self, moment: datetime) -> bool:
        """Whether the moment lies in the pause."""
        return self.since < moment <= self.until


def panel_pauses(tx: Transaction, panel: str) -> tuple[PanelPause, ...]:
    """The pauses of a panel in which windows may lie that no cycle was opened for, oldest first."""
    kept = tx.labels.cursor(_record_name(panel)).get("pauses", ())
    return tuple(
        PanelPause(datetime.fromisoformat(since), datetime.fromisoformat(until), is_over)
        for since, until, is_over in kept
    )


def note_pause(tx: Transaction, panel: str, now: datetime, *, is_paused: bool) -> tuple[PanelPause, ...]:
    """Note that a panel is paused now, or that it is not; returns its pauses."""
    before = panel_pauses(tx, panel)
    goes_on = bool(before) and not before[-1].is_over
    if is_paused:
        pauses = (*before[:-1], replace(before[-1], until=now)) if goes_on else (*before, PanelPause(now, now))
    else:
        pauses = (*before[:-1], replace(before[-1], is_over=True)) if goes_on else before
    return keep_pauses(tx, panel, before, pauses, now)


def keep_pauses(
    tx: Transaction, panel: str, before: tuple[PanelPause, ...], pauses: tuple[PanelPause, ...], now: datetime
) -> tuple[PanelPause, ...]:
    """Write a panel's pauses where they are others than before; returns them."""
    if pauses != before:
        rows = [[one.since.isoformat(), one.until.isoformat(), one.is_over] for one in pauses]
        tx.labels.save_cursor(_record_name(panel), {"pauses": rows}, now)
    return pauses


def _record_name(panel: str) -> str:
    """Where the store keeps them: one cursor for each panel, for several are opened at once."""
    return f"pauses of panel {panel}"
