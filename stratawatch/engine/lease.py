"""A lease in the store keeps two advances apart, whatever the orchestrator believes.

Leases are about processes, so they run on the machine's own clock even where the product is shown another time.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from platform import node
from typing import Final
from uuid import uuid4

from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.clock import SystemClock
from stratawatch.errors import LeaseHeld

ADVANCE: Final = "advance"
"""The one lease, and the name under which whoever holds it claims outbox rows: what one advance left claimed when it
was killed, the next one may take at once."""
LEASE_LIFE: Final = timedelta(minutes=10)
"""How long a process that died on another machine can hold others up. It is renewed between steps."""


@contextmanager
def hold_lease(ports: Ports, name: str, holder: str = "", life: timedelta = LEASE_LIFE) -> Iterator[str]:
    """Hold a named lease for the block, or raise LeaseHeld."""
    who = holder or f"{node()}:{os.getpid()}:{uuid4().hex}"
    renew_lease(ports, name, who, life)
    try:
        yield who
    finally:
        with ports.store.begin() as tx:
            tx.leases.release(name, who)
            tx.commit()


def renew_lease(ports: Ports, name: str, holder: str, life: timedelta = LEASE_LIFE) -> None:
    """Hold on for longer work, or raise LeaseHeld when somebody else has the lease."""
    now = SystemClock().now()
    with ports.store.begin() as tx:
        held = tx.leases.held(name)
        if held is not None and is_dead(held[0]):
            tx.leases.release(name, held[0])
        taken = tx.leases.take(name, holder, now, now + life)
        tx.commit()
    if not taken:
        until = f"until {held[1]:%H:%M} +00:00 at most" if held else "at the moment"
        raise LeaseHeld(
            f"another process holds the lease '{name}' {until}", hint="nothing to do here; it moves what can move"
        )


def is_dead(holder: str) -> bool:
    """Whether the holder was a process of this machine that is gone: nobody has to wait for it."""
    machine, _, rest = holder.partition(":")
    number = rest.partition(":")[0]
    if machine != node() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False  # somebody else's, and alive
    return False
