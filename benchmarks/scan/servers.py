"""Engines that are servers: started before the first pass, filled, and stopped after the last.

Passes run in processes of their own and find the server by an environment variable. What such a process costs is the
client's part alone: the server's memory and processor time are not in it.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol, cast

from benchmarks.scan.population import Size
from benchmarks.shape import Row

ADDRESS: Final = "BENCHMARKS_SCAN_SERVER"
_OF_THE_CLIENT: Final = {"cpu_s": "client cpu", "peak_mb": "client MB"}
_MEANINGLESS: Final = ("x cpu",)


class Server(Protocol):
    """What a module of an engine with a server has."""

    def require(self) -> None:
        """Raise StratawatchError when it cannot be started here."""
        ...

    def room(self, size: Size) -> int:
        """Bytes of disk that a population takes beside its parts."""
        ...

    def serve(self, folders: Mapping[Size, Path], scratch: Path) -> AbstractContextManager[tuple[str, Sequence[Row]]]:
        """Start it, load the populations, and say its address and what loading took."""
        ...


SERVERS: Final = {"postgres": "benchmarks.scan.with_postgres", "spark": "benchmarks.scan.with_spark"}
"""Name of an engine -> module."""


def server_of(engine: str) -> Server | None:
    """The server of an engine, if it is one; it can be started."""
    if engine not in SERVERS:
        return None
    server = cast("Server", import_module(SERVERS[engine]))
    server.require()
    return server


@contextmanager
def serving(server: Server | None, folders: Mapping[Size, Path], scratch: Path) -> Iterator[Sequence[Row]]:
    """Let processes that start meanwhile find the server; yields what loading took."""
    if server is None:
        yield ()
        return
    with server.serve(folders, scratch) as (address, loaded):
        os.environ[ADDRESS] = address
        try:
            yield loaded
        finally:
            del os.environ[ADDRESS]


def address() -> str:
    """The server's, in a process that was started while it serves."""
    return os.environ[ADDRESS]


def of_the_client(row: Row) -> Row:
    """A pass as it can be told of a server."""
    return {_OF_THE_CLIENT.get(name, name): value for name, value in row.items() if name not in _MEANINGLESS}
