"""Writes to the outbox that a panel's report was written: once a week, for every channel that asks for it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final

from stratawatch.engine.alarms.notifications import notify_channel
from stratawatch.engine.model.alarm_records import REPORT
from stratawatch.engine.model.idempotency_keys import report_key
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction

KEPT: Final = "report of "
"""Before a panel's name: the cursor that keeps when its report was sent last, and the states that it showed."""
PAGE: Final = "report_page"
"""The fact that says where the page lies, below the folder of the configuration."""

PICTURES: Final = "report_pictures"
"""The fact that names the page's pictures, the most telling first: each `file` below that folder, and its `finding`."""
LARGEST_PICTURE: Final = 60_000
"""Bytes of a picture that a channel shows, as they count on a telephone; a larger one is in its folder alone."""


@dataclass(frozen=True)
class NoticePicture:
    """Where a picture lies, below the folder of the configuration, and what it shows in words."""

    file: str
    finding: str


@dataclass(frozen=True)
class ReportNotice:
    """What is told of a report: a subject, lines, where its page lies, and the states that it shows by stream."""

    panel: str
    subject: str
    lines: tuple[str, ...]
    page: str
    states: Mapping[str, str]
    pictures: Sequence[NoticePicture] = ()


@dataclass(frozen=True)
class LastReport:
    """The report that was sent last before this week's: its day and the states that it showed; empty before the first.

    `key` is that of the newest one, which may be this week's.
    """

    key: str = ""
    day: str = ""
    states: Mapping[str, str] = field(default_factory=dict)


def last_report(tx: Transaction, panel: str, now: datetime) -> LastReport:
    """What was sent of a panel before this week."""
    kept: Mapping[str, Any] = tx.labels.cursor(KEPT + panel)
    if not kept:
        return LastReport()
    before = kept["before"] if kept["key"] == report_key(panel, now) else kept
    return LastReport(kept["key"], before.get("day", ""), before.get("states", {}))


def notify_report(tx: Transaction, ports: Ports, notice: ReportNotice, before: LastReport) -> tuple[str, ...]:
    """Write the word to every channel that has not been told this week; returns their names.

    What it said first this week stays what the next one is compared with.
    """
    now = ports.clock.now()
    key = report_key(notice.panel, now)
    facts: dict[str, Any] = {"about": REPORT, "panel": notice.panel, "update": REPORT, PAGE: notice.page}
    if notice.pictures:
        facts[PICTURES] = [asdict(picture) for picture in notice.pictures]
    body = "\n".join(notice.lines)
    told = tuple(
        name
        for name in ports.report_channels
        if notify_channel(tx, ports, name, key, "update", notice.subject, body, facts)
    )
    if told and before.key != key:
        earlier = {"day": before.day, "states": dict(before.states)} if before.key else {}
        kept = {"key": key, "day": f"{now:%Y-%m-%d}", "states": dict(notice.states), "before": earlier}
        tx.labels.save_cursor(KEPT + notice.panel, kept, now)
    return told
