"""Ports for servers of tests."""

import socket
from contextlib import suppress
from secrets import randbelow


def free_port() -> int:
    """A port below those that connections of others are given: a server that takes seconds to start may still have it."""
    while True:
        port = 15_000 + randbelow(15_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
