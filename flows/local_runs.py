"""Flows that are called as functions (demo, tests, a backfill by hand) instead of served."""

from collections.abc import Iterator
from contextlib import contextmanager

from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings


@contextmanager
def without_heartbeats() -> Iterator[None]:
    """Run flows without heartbeats: the caller sees each flow end, and stopping a heartbeat takes up to a second."""
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        yield
