"""Says how an advance ended: to the store for `status`, and to a watcher outside that misses the good ones."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from stratawatch.engine.alarms.failures import describe
from stratawatch.engine.alarms.send_deadline import call_within
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.clock import SystemClock

ADVANCE_RUN: Final = "advance"
HEARTBEAT_SECONDS: Final = 30.0
"""The longest that an advance waits for the watcher; its own time limit is shorter."""


def record_run(
    ports: Ports,
    troubles: Sequence[str],
    held: Mapping[str, Sequence[str]],
    *,
    elsewhere: Collection[str] = (),
    is_whole: bool = True,
) -> tuple[str, ...]:
    """Keep how an advance ended, and tell the watcher of a good one; returns the trouble with that, if any.

    `held` has the troubles by lease. They are kept until the work under that lease is done without any, since another
    worker may do it the next time: an advance is good if it had no trouble, and there is none `elsewhere`. One that is
    not of the whole installation leaves that to those that are. The moment is the machine's, as for leases: an advance
    that was shown another time ran now all the same.
    """
    now = SystemClock().now()
    with ports.store.begin() as tx:
        kept = tx.last_runs.troubled()
        for lease, found in held.items():
            if found or lease in kept:
                tx.last_runs.record(lease, now, found, good=not found)
        tx.commit()
    if not is_whole:
        return ()
    everything = [*troubles, *(trouble for lease in sorted(elsewhere) for trouble in kept.get(lease, ()))]
    failed = () if everything else _beat(ports)
    with ports.store.begin() as tx:
        tx.last_runs.record(ADVANCE_RUN, SystemClock().now(), [*everything, *failed], good=not everything)
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
