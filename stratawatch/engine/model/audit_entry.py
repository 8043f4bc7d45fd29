"""What a person did by hand."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class AuditEntry:
    """Who did what to which subject, when by the machine's clock, and why as far as they said it."""

    at: datetime
    by: str
    action: str
    subject: str
    why: str = ""
