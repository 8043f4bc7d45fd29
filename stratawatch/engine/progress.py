"""Passes on how far a long read is, from what reads to what shows it; without a listener nothing happens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

Listener = Callable[[str, float | None], None]
"""Shows what is being done, and which share of it is done (None: nobody knows yet), and returns at once."""

_LISTENER: Final[ContextVar[Listener | None]] = ContextVar("listener", default=None)
_PHASE: Final[ContextVar[str]] = ContextVar("phase", default="reading")


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Listen to everything that is read meanwhile."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Name what is done meanwhile; the listener hears when it begins and when it is done."""
    token = _PHASE.set(name)
    try:
        report_progress(None)
        yield
        report_progress(1.0)
    finally:
        _PHASE.reset(token)


def is_listened_to() -> bool:
    """Whether there is a listener: if not, progress need not be looked up."""
    return _LISTENER.get() is not None


def report_progress(share: float | None) -> None:
    """Say which share of the phase is done."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(_PHASE.get(), share)
