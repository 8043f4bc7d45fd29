"""Take out of the store what its periods are over for."""

from prefect import get_run_logger

from stratawatch.engine.cycle import purge_store as engine
from stratawatch.engine.model.retention import Purged
from stratawatch.engine.ports import Ports
from tasks.policy import use_case


@use_case(run_name="purge store")
def purge_store(ports: Ports) -> Purged:
    """Purge payload, rows set aside and replaced estimates whose periods are over."""
    purged = engine.purge_store(ports)
    if purged != Purged():
        get_run_logger().info(
            "purged: undrawn payload of %d cycles, all payload of %d, %d bad rows, %d waiting labels, "
            "%d statements of truth, %d revisions",
            purged.undrawn,
            purged.payloads,
            purged.bad_rows,
            purged.waiting_labels,
            purged.truth,
            purged.revisions,
        )
    return purged
