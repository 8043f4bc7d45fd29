"""Leases in the store keep two workers from the same panel or the same shared work, whatever the orchestrator believes.

Leases are about processes, so they run on the machine's own clock even where the product is shown another time.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from platform import node
from typing import Final
from uuid import uuid4

from stratawatch.engine.ports import Ports, Store
from stratawatch.engine.ports.clock import SystemClock
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import LeaseHeld

QUEUE: Final = "label queue"
"""The lease on reading the queue with its cursor, and on comparing it with the batches that were sent."""
QUEUE_MARK: Final = "label queue's mark"
"""The lease on giving the queue its id, which every worker that needs the queue may find to be due."""
NOTIFICATIONS: Final = "notifications"
"""The lease on sending notifications."""
PURGE: Final = "purge"
"""The lease on the purge."""
LEASE_LIFE: Final = timedelta(minutes=10)
"""How long a process that died on another machine can hold others up. It is renewed between steps."""


def panel_lease_name(panel: str) -> str:
    """The name of a panel's lease, under which whoever holds it also claims the panel's batches.

    What one worker left claimed when it was killed, the next one may take at once.
    """
    return f"panel {panel}"


@contextmanager
def hold_lease(ports: Ports, name: str, holder: str = "", life: timedelta = LEASE_LIFE) -> Iterator[str]:
    """Hold a named lease for the block, or raise LeaseHeld."""
    who = holder or f"{machine_name()}:{os.getpid()}:{uuid4().hex}"
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
        held, taken = None, tx.leases.take(name, holder, now, now + life)
        if not taken:
            held = tx.leases.held(name)
            if held is not None and is_holder_gone(held[0]):
                tx.leases.release(name, held[0])
            taken = tx.leases.take(name, holder, now, now + life)
        tx.commit()
    if not taken:
        until = f"until {held[1]:%H:%M} +00:00 at most" if held else "at the moment"
        raise LeaseHeld(
            f"another process holds the lease '{name}' {until}", hint="nothing to do here; it moves what can move"
        )


def fenced(ports: Ports, name: str, holder: str) -> Ports:
    """The ports of who holds a lease: what is written through them is committed only while nobody else has it.

    A worker that was suspended for longer than its lease's life finds that out when it commits, and commits nothing.
    """
    return replace(ports, store=_FencedStore(ports.store, name, holder))


@dataclass(frozen=True)
class _FencedStore:
    """A store whose transactions raise LeaseHeld instead of committing once somebody else has the lease."""

    store: Store
    name: str
    holder: str

    @contextmanager
    def begin(self) -> Iterator[Transaction]:
        """Start a transaction that is fenced."""
        with self.store.begin() as tx:
            tx.fence(self.name, self.holder)
            yield tx


def machine_name() -> str:
    """What a process id counts within: this host, and on Linux the namespace, of which each container has its own."""
    try:
        namespace = str(Path("/proc/self/ns/pid").readlink())
    except OSError:  # not on Linux
        return node()
    return f"{node()} {''.join(filter(str.isdigit, namespace))}"


def is_holder_gone(holder: str) -> bool:
    """Whether the holder was a process of this machine that is gone: nobody has to wait for it.

    One that was killed and whose parent has not asked how it ended is still listed, and does nothing any more.
    """
    machine, _, rest = holder.partition(":")
    number = rest.partition(":")[0]
    if machine != machine_name() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass  # somebody else's
    return _has_ended(int(number))


def _has_ended(number: int) -> bool:
    """Whether a process that is still listed is a zombie; where /proc does not say, it is not."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[:1] in (["Z"], ["X"])
