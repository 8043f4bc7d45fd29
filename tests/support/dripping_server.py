"""A receiver that answers a byte at a time and never comes to an end."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PAUSE = 0.05


@contextmanager
def dripping(head: bytes = b"HTTP/1.1 200 OK\r\n") -> Iterator[str]:
    """The address of a server on loopback that drips headers after this head until the client is gone."""
    over, threads = threading.Event(), []

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65536)
            connection.sendall(head)
            while not over.wait(PAUSE):
                connection.sendall(b"x" if head else b"H")

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                threads.append(threading.Thread(target=answer, args=(connection,)))
                threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threads.append(threading.Thread(target=serve, daemon=True))
        threads[0].start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        over.set()
        for thread in threads[1:]:
            thread.join(timeout=10)
