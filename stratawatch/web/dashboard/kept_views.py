"""What was read of the store, kept until it changes."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar, cast

MOST_KEPT: Final = 500
"""Views; those that nobody asked for longest go first."""
LONGEST: Final = 60.0
"""Seconds after which a view is made anew though nothing changed: it says how long ago things were."""
UNASKED: Final = 1.0
"""Seconds for which nobody asks whether the store changed."""

V = TypeVar("V")


@dataclass
class _Kept:
    mark: str
    made: float
    asked: float
    value: Any


class KeptViews:
    """Makes each view once for all who ask at the same time, and again once the store has changed."""

    def __init__(self, mark: Callable[[], str], clock: Callable[[], float] = monotonic) -> None:
        self._mark, self._clock = mark, clock
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._making: dict[Hashable, tuple[Lock, int]] = {}
        self._lock, self._forgotten = Lock(), 0

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The view of this name, which `make` reads."""
        came = self._clock()
        with self._alone(key):
            now = self._clock()
            with self._lock:
                kept, since = self._kept.get(key), self._forgotten
                if kept is not None:
                    self._kept.move_to_end(key)
            # Of those who wait together the first makes it for all: it was begun after they came.
            if kept is not None and came - kept.asked < UNASKED:
                return cast("V", kept.value)
            mark = self._mark()  # before it is read: what changes meanwhile makes it old
            if kept is not None and kept.mark == mark and now - kept.made < LONGEST:
                kept.asked = now
                return cast("V", kept.value)
            value = make()
            with self._lock:
                if since == self._forgotten:  # else it may be of the time before
                    self._kept[key] = _Kept(mark, now, now, value)
                    self._kept.move_to_end(key)
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            return value

    def forget(self) -> None:
        """Let everything be read anew: this process has changed the store itself."""
        with self._lock:
            self._kept.clear()
            self._forgotten += 1

    @contextmanager
    def _alone(self, key: Hashable) -> Any:
        """One at a time for each key."""
        with self._lock:
            lock, waiting = self._making.get(key, (Lock(), 0))
            self._making[key] = (lock, waiting + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, waiting = self._making[key]
                if waiting == 1:
                    del self._making[key]
                else:
                    self._making[key] = (lock, waiting - 1)
