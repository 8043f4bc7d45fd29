"""Sets label events aside whose own time cannot be right: before their item could be drawn, or in the future."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.quarantined_row import QuarantinedRow

FUTURE: Final = "a label that is dated in the future"
CLOCK_SKEW: Final = timedelta(minutes=5)
"""How far the clocks of labellers' machines and of this one may be apart."""


def split_by_date(
    events: Iterable[LabelEvent], earliest: Mapping[str, datetime], now: datetime, machine_now: datetime
) -> tuple[list[LabelEvent], list[QuarantinedRow]]:
    """The events that may count, none of them later than `now`, and the others as rows with the reason.

    `earliest` has, by item key, the moment before which nobody can have been asked about an item. An event that states
    no time has the queue's guess, such as that of its file, which may be any: it was not said before that moment. The
    future begins after `now` and after the machine's own time: where cycles run on simulated time, people label in
    real time.
    """
    kept, aside = [], []
    for event in events:
        first = earliest.get(event.item_key)
        reason = _fault(event, first, max(now, machine_now)) if event.dated else ""
        if reason:
            aside.append(_row(event, reason))
        else:
            at = event.at if event.dated or first is None else max(event.at, first)
            # A later correction must be able to outlast it, so it is not later than the moment in which it came.
            kept.append(replace(event, at=min(at, now), dated=True))
    return kept, aside


def _fault(event: LabelEvent, earliest: datetime | None, latest: datetime) -> str:
    if event.at > latest + CLOCK_SKEW:
        return FUTURE
    if earliest is not None and event.at < earliest - CLOCK_SKEW:
        return "a label that is dated before its item could be drawn"
    return ""


def _row(event: LabelEvent, reason: str) -> QuarantinedRow:
    content = {name: getattr(event, name) for name in ("value", "annotator", "source", "event_id")}
    return QuarantinedRow("label", event.item_key, reason, {**content, "at": event.at.isoformat()})
