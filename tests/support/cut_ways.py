"""A way to a server on this machine that is cut after so many bytes of its answers."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread


class CutWay:
    """Passes on what is said in both directions. With the last of the bytes that are `left` every connection ends."""

    def __init__(self, listening: socket.socket, to: int) -> None:
        self.left, self.port = 0, listening.getsockname()[1]
        self._listening, self._to = listening, to

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._to))
                Thread(target=self._pass, args=(client, server), daemon=True).start()
                Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, is_answer: bool = False) -> None:
        with suppress(OSError):
            while part := source.recv(65536):
                if is_answer:
                    part = part[: self.left]
                    self.left -= len(part)
                sink.sendall(part)
                if is_answer and not self.left:
                    break
        for one in (source, sink):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@contextmanager
def cut_way(to: int) -> Iterator[CutWay]:
    """A way to a port of this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        way = CutWay(listening, to)
        Thread(target=way.serve, daemon=True).start()
        yield way
        listening.shutdown(socket.SHUT_RDWR)
