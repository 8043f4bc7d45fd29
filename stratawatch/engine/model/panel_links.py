"""What people say of a panel: who looks after it, what to do, where to read more, and what they deployed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

WORDS: Final = {"owner": "Owner", "runbook": "Runbook", "report_url": "Report", "dashboard_url": "Dashboard"}
"""The facts of a notification that lead somewhere, and what people call them."""
LEADS: Final = ("runbook", "report_url", "dashboard_url")
"""Those that are addresses."""
DASHBOARD_PATH: Final = "/dashboard"
"""Where `stratawatch web` serves the dashboard."""
STEPS_ANCHOR: Final = "what-to-do"
"""Where a panel's report says what to do about each state: where the runbook is of a panel that names none."""
_CLICKABLE: Final = ("http", "https", "mailto")


@dataclass(frozen=True)
class Deployment:
    """Something that was put into service: when, in words what, and of which classifier (empty: of all)."""

    at: datetime
    what: str
    classifier: str = ""


@dataclass(frozen=True)
class PanelLinks:
    """What the configuration says of a panel for whoever is told of it; empty where it says nothing."""

    owner: str = ""
    runbook: str = ""
    report_url: str = ""
    dashboard_url: str = ""
    deployments: tuple[Deployment, ...] = ()

    @property
    def facts(self) -> dict[str, str]:
        """What it says, as facts of a notification.

        >>> PanelLinks(owner="spam team").facts
        {'owner': 'spam team'}
        """
        return {name: said for name in WORDS if (said := getattr(self, name))}


def is_clickable(said: str) -> bool:
    """Whether a link is of a kind that a click opens and does not run.

    >>> [is_clickable(link) for link in ("https://wiki.example.org", "mailto:ops@example.org", "javascript:alert(1)")]
    [True, True, False]
    """
    return urlsplit(said.strip()).scheme in _CLICKABLE


def links_of(facts: Mapping[str, object]) -> dict[str, str]:
    """What the facts of a notification lead to, by the names of the facts.

    >>> links_of({"panel": "spam", "runbook": "https://wiki.example.org/spam"})
    {'runbook': 'https://wiki.example.org/spam'}
    """
    return {name: str(facts[name]) for name in WORDS if facts.get(name)}
