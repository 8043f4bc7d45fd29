"""Reports the progress of a running DuckDB query from a second thread."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from threading import Event, Thread
from typing import Any, Final

from stratawatch.engine.progress import is_listened_to, report_progress

# Seconds between two reports; a query that ends sooner is never reported.
_EVERY: Final = 0.5


@contextmanager
def reporting_progress(connection: Any) -> Iterator[None]:
    """Report to the listener, if there is one, how far the connection's query is, until this ends."""
    if not is_listened_to():
        yield
        return
    done = Event()
    thread = Thread(target=copy_context().run, args=(_report_until, connection, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _report_until(connection: Any, done: Event) -> None:
    while not done.wait(_EVERY):
        percent = connection.query_progress()
        report_progress(percent / 100 if percent >= 0 else None)  # -1: the query has not begun
