"""Folders and pages named after what people named."""

import re
from hashlib import sha256
from typing import Final

LATEST: Final = "latest.html"
PICTURES: Final = ".pictures"
"""After a day: the folder of the pictures that belong to that day's page. A slug has no dot, so it is nobody's name."""


def slug(name: str) -> str:
    """A folder's name: the name itself where that is safe, else a readable form with a tail that keeps it unique.

    >>> slug("toxicity"), slug("../etc")
    ('toxicity', 'etc-f7f9121f')
    """
    plain = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-_")[:60]
    if plain and plain == name:
        return plain
    return f"{plain or 'panel'}-{sha256(name.encode()).hexdigest()[:8]}"


def latest_report(panel: str) -> str:
    """Where a panel's newest report is, below the folder of reports.

    >>> latest_report("toxicity")
    'toxicity/latest.html'
    """
    return f"{slug(panel)}/{LATEST}"
