"""How the last run of a kind ended."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class LastRun:
    """When it ended, by the machine's clock; when the last good one did; and the troubles of the last one."""

    finished_at: datetime
    good_at: datetime | None
    troubles: tuple[str, ...]
