"""Folders named after what people named."""

import re
from hashlib import sha256


def slug(name: str) -> str:
    """A folder's name: the name itself where that is safe, else a readable form with a tail that keeps it unique.

    >>> slug("toxicity"), slug("../etc")
    ('toxicity', 'etc-f7f9121f')
    """
    plain = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-_")[:60]
    if plain and plain == name:
        return plain
    return f"{plain or 'panel'}-{sha256(name.encode()).hexdigest()[:8]}"
