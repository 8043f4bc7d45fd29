"""Whoever works a queue dies before any of its steps: commits of the queue's file, and what it does outside of it."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from stratawatch.adapters.queues.answer_book import AnswerBook

MOST_MOMENTS = 60
Steps = Sequence[tuple[Any, str]]
"""Functions: the class or the module, and the name there. Commits of the queue's file are steps always."""
Work = Callable[[], object]


class Died(BaseException):
    """What a death looks like from inside; nothing catches it."""


class Moments:
    """Counts the moments before each step. At the one that is wanted, and at all later ones, there is death.

    After the last step comes the end of the work: who dies there is one who has lived.
    """

    def __init__(self, wanted: int, die: Callable[[], object]) -> None:
        self.wanted, self.crossed, self._die = wanted, 0, die

    def cross(self) -> None:
        self.crossed += 1
        if self.crossed >= self.wanted:
            self._die()

    @contextmanager
    def installed(self, steps: Steps) -> Iterator[None]:
        connected = AnswerBook._connected
        with pytest.MonkeyPatch.context() as patch:
            for owner, name in steps:
                patch.setattr(owner, name, self._counted(getattr(owner, name)))
            patch.setattr(AnswerBook, "_connected", lambda book, kind: self._committing(connected(book, kind), kind))
            yield

    def _counted(self, real):
        def step(*given, **more):
            self.cross()
            return real(*given, **more)

        return step

    @contextmanager
    def _committing(self, transaction, kind):
        with transaction as sql:
            yield sql
            if kind == "IMMEDIATE":
                self.cross()


def killed(work: Work, moment: int, steps: Steps) -> bool:
    """Do it in a process that is killed at this moment; whether it came to that."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            with Moments(moment, lambda: os.kill(os.getpid(), signal.SIGKILL)).installed(steps):
                work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    assert status in (0, signal.SIGKILL)
    return status == signal.SIGKILL


def broken_off(work: Work, moment: int, steps: Steps) -> bool:
    """Do it in this process, where no step succeeds from this moment on; whether it came to that.

    For clients that do not live in a fork.
    """

    def die() -> None:
        raise Died

    moments = Moments(moment, die)
    with moments.installed(steps), suppress(Died):
        work()
    return moments.crossed >= moment


def until_it_lives(work: Work, steps: Steps) -> int:
    """Do it again and again, killed at the first moment, the second, ...; how many were."""
    for moment in range(1, MOST_MOMENTS):
        if not killed(work, moment, steps):
            return moment - 1
    raise AssertionError("it never ended by itself")
