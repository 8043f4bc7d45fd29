"""Says how an advance ended: to the store for `status`, and to a watcher outside that misses the good ones."""

from collections.abc import Sequence
from typing import Final

from stratawatch.engine.alarms.failures import describe
from stratawatch.engine.alarms.send_deadline import call_within
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.clock import SystemClock

ADVANCE_RUN: Final = "advance"
HEARTBEAT_SECONDS: Final = 30.0
"""The longest that an advance waits for the watcher; its own time limit is shorter."""


def record_run(ports: Ports, troubles: Sequence[str]) -> tuple[str, ...]:
    """Keep how an advance ended, and tell the watcher of a good one; returns the trouble with that, if any.

    The moment is the machine's, as for leases: an advance that was shown another time ran now all the same.
    """
    failed = () if troubles else _beat(ports)
    with ports.store.begin() as tx:
        tx.last_runs.record(ADVANCE_RUN, SystemClock().now(), [*troubles, *failed], good=not troubles)
        tx.commit()
    return failed


def _beat(ports: Ports) -> tuple[str, ...]:
    if ports.heartbeat is None:
        return ()
    try:
        call_within(HEARTBEAT_SECONDS, ports.heartbeat, "the heartbeat")
    except Exception as trouble:  # noqa: BLE001 - the work is done; that it could not be told must not undo it
        return (f"heartbeat: {describe(trouble)}",)
    return ()
