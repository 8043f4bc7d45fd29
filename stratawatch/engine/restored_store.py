"""Whether a store was put back from a backup: it may have sent and told what it does not know of any more."""

from typing import Final

from stratawatch.engine.ports.transaction import Transaction

RESTORED: Final = "restored"
"""The cursor of a store that was put back from a backup. Its restore writes it."""


def was_restored(tx: Transaction) -> bool:
    """Whether this store was a backup once."""
    return bool(tx.labels.cursor(RESTORED))
