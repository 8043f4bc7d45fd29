"""Words of a notification in the room that a receiver gives them."""

from hashlib import sha256
from typing import Final

from stratawatch.engine.model.alarm_records import ACKNOWLEDGED, Notification, Severity
from stratawatch.engine.model.panel_links import WORDS, links_of
from stratawatch.formatting import printable

MORE: Final = " ..."
_SPARED: Final = ("Stopgap", "Not the cause", "As a metric", "Elsewhere", "Also changed", "Fine, proven", "Clue")
"""How lines of a body begin that are left out first where it is too long, in this order: what to do stays."""
HEADS: Final[dict[Severity, str]] = {"page": "PAGE", "warning": "WARNING", "update": "UPDATE", "resolved": "RESOLVED"}


def head_of(notification: Notification) -> str:
    """What kind of word a notification is."""
    return "REPORT" if notification.is_report else HEADS[notification.severity]


def cut(text: str, longest: int) -> str:
    """A text of at most so many characters; one that was cut ends in dots.

    >>> cut("precision of lr", 12), cut("recall", 12), cut("recall", 2)
    ('precisio ...', 'recall', ' .')
    """
    longest = max(longest, 0)
    return text if len(text) <= longest else (text[: max(longest - len(MORE), 0)] + MORE)[:longest]


def one_line(text: str, longest: int) -> str:
    """A text without control characters on one line."""
    return cut(" ".join(printable(line).strip() for line in text.splitlines()).strip(), longest)


def headed(notification: Notification, longest: int) -> str:
    """The subject behind what kind of word it is, which is not said twice."""
    head, subject = head_of(notification), one_line(notification.subject, longest)
    return cut(subject if subject.startswith(f"{head}:") else f"{head}: {subject}", longest)


def lines(text: str, longest: int) -> str:
    r"""A text of several lines without other control characters; where it is too long, whole lines are left out.

    Where something is missing the last line is dots.

    >>> lines("Now: 29% wrong.\nStopgap: another cut-off.\nDo: mend it.", 35).splitlines()
    ['Now: 29% wrong.', 'Do: mend it.', '...']
    """
    rows = list(map(printable, text.splitlines()))
    if _length(rows) <= longest:
        return "\n".join(rows)
    for start in _SPARED:
        rows = [row for row in rows if not row.startswith(start)]
        if _length(rows) + 1 + len(MORE.strip()) <= longest:
            return "\n".join([*rows, MORE.strip()])
    return cut("\n".join(rows), longest)


def _length(rows: list[str]) -> int:
    return sum(map(len, rows)) + max(len(rows) - 1, 0)


def link_lines(notification: Notification) -> list[str]:
    """Who looks after the panel, and where to read on: a line for each."""
    return [f"{WORDS[name]}: {printable(said)}" for name, said in links_of(notification.facts).items()]


def body_with_links(notification: Notification, longest: int) -> str:
    """The body without control characters, and below it the links, which stay whole when it is cut."""
    below = "".join(f"\n{line}" for line in link_lines(notification))
    return lines(notification.body, longest - len(below)) + below


def incident_name(notification: Notification) -> str:
    """What an incident is known by at a receiver, for its beginning and its end: short, and of plain characters."""
    return sha256(notification.dedup_key.encode(errors="surrogatepass")).hexdigest()


def is_acknowledgement(notification: Notification) -> bool:
    """Whether the notification says only that somebody looks after the incident."""
    return notification.severity == "update" and notification.facts.get("update") == ACKNOWLEDGED


def notification_name(notification: Notification) -> str:
    """What a notification alone is known by; it fits into a header, whatever its key holds."""
    return sha256(notification.key.encode(errors="surrogatepass")).hexdigest()
