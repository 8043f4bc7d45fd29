"""Flows that are called as functions (demo, tests, a backfill by hand) instead of served."""

from collections.abc import Iterator
from contextlib import contextmanager

from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings


@contextmanager
def called_directly() -> Iterator[None]:
    """Without heartbeats: the caller sees each flow end, and stopping a heart costs up to a second a run."""
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        yield
