"""A lease in the store keeps two advances apart, whatever the orchestrator believes."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final
from uuid import uuid4

from stratawatch.engine.house import Ports
from stratawatch.errors import LeaseHeld

LEASE_LIFE: Final = timedelta(minutes=10)
"""How long a killed process can hold others up. Compare-and-set moves guard whoever outlives it."""


def renew(ports: Ports, name: str, holder: str, life: timedelta = LEASE_LIFE) -> None:
    """Hold on for longer work, or raise LeaseHeld when the lease was lost meanwhile."""
    now = ports.clock.now()
    with ports.store.begin() as tx:
        taken = tx.leases.take(name, holder, now, now + life)
        tx.commit()
    if not taken:
        raise LeaseHeld(f"another process holds the lease '{name}'", hint="nothing to do here; it moves what can move")


@contextmanager
def hold(ports: Ports, name: str, holder: str = "", life: timedelta = LEASE_LIFE) -> Iterator[str]:
    """Hold a named lease for the block, or raise LeaseHeld."""
    who = holder or uuid4().hex
    renew(ports, name, who, life)
    try:
        yield who
    finally:
        with ports.store.begin() as tx:
            tx.leases.release(name, who)
            tx.commit()
