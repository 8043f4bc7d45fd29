"""Kill points, put into a child process from outside: commits, writes to the queue, posts; the product knows none."""

import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

ENGINE: Final = f"{os.sep}stratawatch{os.sep}engine{os.sep}"
QUEUES: Final = f"{os.sep}stratawatch{os.sep}adapters{os.sep}queues{os.sep}"
RENAMES: Final = ("link", "replace", "unlink")
PUTS: Final = ("put", "copy", "delete")
WRITES: Final = (*PUTS, "keep", "send")
"""What a queue does in a bucket, in its own file, by post and by command, as renames are what it does in a folder."""
PASSED: Final = ("_connected", "writing", "_marked", "_asked", "_authority", "_call", "_page", "_tasks")
"""Functions of such a file, or of an API, through which all goes: who called them is what tells one from another."""


@dataclass(frozen=True)
class Orders:
    """When a child is to die: at the first of `targets`, at its `at`-th point, or `after` seconds; or never.

    At its point it is sent `signal`, unless another `deed` is to be done there.
    """

    targets: frozenset[str] = frozenset()
    at: int = 0
    after: float | None = None
    signal: int = signal.SIGKILL
    deed: Callable[[], None] | None = None


@dataclass
class Fuse:
    """Counts the points that a process crosses, writes them down, and kills the process where ordered."""

    log: Path
    orders: Orders = field(default_factory=Orders)
    crossed: int = 0

    def cross(self, point: str) -> None:
        """The process is at this point now."""
        self.crossed += 1
        with self.log.open("a") as log:
            log.write(point + "\n")
        if point in self.orders.targets or self.crossed == self.orders.at:
            if self.orders.deed is not None:
                self.orders.deed()
            else:
                os.kill(os.getpid(), self.orders.signal)


def install(current: Callable[[], Fuse]) -> None:
    """Put kill points around this process's commits, renames, writes to a bucket, posts and commands to a broker."""
    import httpx
    import obstore
    from botocore.client import BaseClient
    from pika.adapters.blocking_connection import BlockingChannel
    from redis import Redis
    from sqlalchemy.engine.default import DefaultDialect

    DefaultDialect.do_commit = _guarded(DefaultDialect.do_commit, "commit", ENGINE, current)  # type: ignore[method-assign]
    for module, writes in ((os, RENAMES), (obstore, PUTS)):
        for name in writes:
            setattr(module, name, _guarded(getattr(module, name), name, QUEUES, current))
    brokers: tuple[tuple[type, tuple[str, ...]], ...] = (
        (Redis, ("execute_command",)),
        (BlockingChannel, ("queue_declare", "basic_publish", "basic_get", "basic_ack")),
        (BaseClient, ("_make_api_call",)),
    )
    transport: Any = httpx.HTTPTransport
    posted = _guarded(transport.handle_request, "post", ENGINE, current)
    sent = _guarded(transport.handle_request, "send", QUEUES, current)

    def handle(*given: Any) -> Any:
        return (sent if _site(QUEUES) else posted)(*given)

    transport.handle_request = handle
    for client, names in brokers:
        for name in names:
            setattr(client, name, _guarded(getattr(client, name), "send", QUEUES, current))
    sqlite3.connect = partial(sqlite3.connect, factory=_kept(current))  # type: ignore[assignment]


def _kept(current: Callable[[], Fuse]) -> type[sqlite3.Connection]:
    """Connections that cross a point on both sides of what a queue commits to its own file."""

    class Kept(sqlite3.Connection):
        def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
            if sql == "COMMIT":
                return keep(self, sql)
            return super().execute(sql, *given)

    keep: Callable[..., sqlite3.Cursor] = _guarded(sqlite3.Connection.execute, "keep", QUEUES, current)
    return Kept


def _guarded(real: Callable[..., Any], what: str, where: str, current: Callable[[], Fuse]) -> Callable[..., Any]:
    def guarded(*args: Any, **kwargs: Any) -> Any:
        site = _site(where)
        if site:
            current().cross(f"{site} before {what}")
        outcome = real(*args, **kwargs)
        if site:
            current().cross(f"{site} after {what}")
        return outcome

    return guarded


def _site(where: str) -> str:
    """The nearest line inside a folder that led here, by its path there; empty when none did (Prefect commits too)."""
    frame = sys._getframe(2)  # noqa: SLF001 - the only way to see one's callers cheaply
    while frame is not None:
        if where in frame.f_code.co_filename and frame.f_code.co_name not in PASSED:
            if frame.f_code.co_name == "reading":
                return ""
            inside = Path(frame.f_code.co_filename.rpartition(where)[2]).with_suffix("").as_posix()
            return f"{inside}.{frame.f_code.co_name}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return ""
