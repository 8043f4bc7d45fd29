"""Processes that die before and after each commit of a queue's file and each call of what is on its other side."""

import os
import signal
from collections.abc import Callable, Sequence
from typing import Any

from stratawatch.adapters.queues.answer_book import AnswerBook

MOST_MOMENTS = 60
Calls = Sequence[tuple[type, str]]
"""Methods: the class and its name."""


class Moments:
    """Counts the sides of commits and calls; at the one that is wanted the process is killed."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.crossed = wanted, 0

    def cross(self) -> None:
        self.crossed += 1
        if self.crossed == self.wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    def install(self, calls: Calls, ended: Callable[[Any], object]) -> None:
        """Only in a process of its own: nothing is put back."""
        for owner, name in calls:
            setattr(owner, name, self._counted(getattr(owner, name), ended))
        connected, moments = AnswerBook._connected, self

        def counted(book, kind):
            return _Counted(connected(book, kind), moments if kind == "IMMEDIATE" else Moments(0))

        AnswerBook._connected = counted

    def _counted(self, real, ended):
        def call(*given, **more):
            self.cross()
            answer = real(*given, **more)
            ended(answer)
            self.cross()
            return answer

        return call


class _Counted:
    """A transaction that crosses a moment before and after its commit."""

    def __init__(self, real, moments):
        self.real, self.moments = real, moments

    def __enter__(self):
        return self.real.__enter__()

    def __exit__(self, *trouble):
        self.moments.cross()
        done = self.real.__exit__(*trouble)
        self.moments.cross()
        return done


def dies(work: Callable[[], object], moment: int, calls: Calls, ended: Callable[[Any], object] = id) -> bool:
    """Do it in a process that is killed at this moment; whether it came to that. `ended` waits for what was asked."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            Moments(moment).install(calls, ended)
            work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    assert status in (0, signal.SIGKILL)
    return status == signal.SIGKILL


def until_it_lives(work: Callable[[], object], calls: Calls, ended: Callable[[Any], object] = id) -> int:
    """Do it again and again, dying at the first moment, the second, ...; how many died."""
    for moment in range(1, MOST_MOMENTS):
        if not dies(work, moment, calls, ended):
            return moment - 1
    raise AssertionError("it never ended by itself")
