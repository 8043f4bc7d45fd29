"""Asks a web address that is a secret: what may be shown of it is its origin, in errors, logs and tracebacks."""

import logging
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from threading import Lock, Timer, get_ident
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from stratawatch.errors import ConfigError, NoAnswer, NoConnection, Unreachable

TIMEOUT: Final = 20.0
"""Seconds for all of it: connecting, sending, and the head of the answer."""
STEP_TIMEOUT: Final = 10.0
"""Seconds for each read and write."""
TRY_AGAIN: Final = (408, 425, 429)
"""Refusals that are about the moment, not about what was sent."""
TALKATIVE: Final = ("httpx", "httpcore.connection", "httpcore.proxy", "httpcore.http11", "httpcore.http2")
"""Loggers of the client. A filter works on its own logger only, not on those below it."""


class SecretAddress:
    """One address. Redirects are not followed, and only `exchange` reads the answer's body.

    `what` names it in errors, as in "the alert channel 'ops'".
    """

    def __init__(
        self, what: str, url: SecretStr, headers: Mapping[str, SecretStr] | None = None, timeout: float = TIMEOUT
    ) -> None:
        self._what, self._url, self._headers, self._timeout = what, url, dict(headers or {}), timeout
        _checked(url.get_secret_value(), what)

    def post(
        self,
        message: Mapping[str, Any] | bytes,
        headers: Mapping[str, str] | None = None,
        accepted: tuple[int, ...] = (),
    ) -> int:
        """Post JSON, written down already or not; return the status: 2xx or one of `accepted`. Raises Unreachable."""
        if isinstance(message, bytes):
            headers = {"Content-Type": "application/json", **(headers or {})}
            return self._judged(self._ask("POST", headers, {"content": message})[0], accepted)
        return self._judged(self._ask("POST", headers, {"json": message})[0], accepted)

    def get(self) -> int:
        """Get it and return the status, which is 2xx. Raises Unreachable."""
        return self._judged(self._ask("GET", None, {})[0], ())

    def post_bytes(self, body: bytes, headers: Mapping[str, str]) -> int:
        """Post JSON as it is and return the status: 2xx, or the 4xx of a refusal for good. Raises Unreachable."""
        status, _ = self._ask("POST", {"Content-Type": "application/json", **headers}, {"content": body})
        return self._refused_or_judged(status)

    def exchange(
        self, method: str, path: str, headers: Mapping[str, str], content: Mapping[str, Any], most_bytes: int
    ) -> tuple[int, bytes]:
        """Ask below the address and return status and body: 2xx, or the 4xx of a refusal for good. Raises Unreachable.

        `content` is what the client takes of it: params, json. A body of more than `most_bytes` is none.
        """
        status, body = self._ask(method, headers, content, path, most_bytes)
        return self._refused_or_judged(status), body

    def _refused_or_judged(self, status: int) -> int:
        return status if 400 <= status < 500 and status not in TRY_AGAIN else self._judged(status, ())

    def _judged(self, status: int, accepted: tuple[int, ...]) -> int:
        if status in accepted or 200 <= status < 300:
            return status
        also = " or ".join(str(one) for one in accepted)
        raise Unreachable(
            f"{self._what} did not take what was sent",
            expected="an answer of 2xx" + (f" (or {also} for what it has already)" if accepted else ""),
            got=f"HTTP {status} from {_origin(_checked(self._url.get_secret_value(), self._what))}",
            hint="redirects are not followed" if 300 <= status < 400 else "",
            key="url",
        )

    def _ask(
        self,
        method: str,
        headers: Mapping[str, str] | None,
        content: Mapping[str, Any],
        path: str = "",
        most_bytes: int = 0,
    ) -> tuple[int, bytes]:
        import httpx

        url = self._url.get_secret_value()
        url = f"{url.rstrip('/')}{path}" if path else url
        where = _checked(url, self._what)
        every = {**{header: value.get_secret_value() for header, value in self._headers.items()}, **(headers or {})}
        # A proxy from the environment is for the world outside, not for this machine.
        timeout = min(self._timeout, STEP_TIMEOUT)
        client = httpx.Client(timeout=timeout, trust_env=not _loopback(where), follow_redirects=False)
        deadline = _Deadline(self._timeout)
        request: dict[str, Any] = {"headers": every, "extensions": {"trace": deadline.watch}, **content}
        try:
            with deadline, client, _unlogged(), client.stream(method, url, **request) as answer:
                return answer.status_code, self._body(answer.iter_bytes(), most_bytes) if most_bytes else b""
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as trouble:
            late = deadline.passed or isinstance(trouble, httpx.TimeoutException)
            kind: type[Unreachable] = Unreachable  # it was not even tried: a header that HTTP forbids, say
            if isinstance(trouble, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
                kind = NoConnection
            elif late or isinstance(trouble, httpx.NetworkError | httpx.RemoteProtocolError):
                kind = NoAnswer
            # The library's own words could quote the URL or a header, in the message and in the traceback.
            raise kind(
                f"{self._what} cannot be reached at {_origin(where)}",
                got=f"{type(trouble).__name__}{f' (Timeout of {self._timeout:g} seconds)' if late else ''}",
                hint="see that the address and its headers are right and that this machine may connect to it",
                key="url",
            ) from None

    def _body(self, chunks: Iterator[bytes], most_bytes: int) -> bytes:
        found = bytearray()
        for chunk in chunks:
            found += chunk
            if len(found) > most_bytes:
                raise Unreachable(f"{self._what} answered with more than {most_bytes:,} bytes")
        return bytes(found)


class _Deadline:
    """Shuts the connections of one request when its time is over, which ends every read and write on them at once.

    The client's own timeouts are for one read or write: an answer that drips a byte now and then never ends by them.
    """

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._connections: list[socket.socket] = []
        self._lock = Lock()
        self._timer = Timer(seconds, self._pass)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            for connection in self._connections:
                connection.close()
            self._connections.clear()

    def watch(self, event: str, info: Mapping[str, Any]) -> None:
        """Take note of a new connection; called by the client with all that it does."""
        if not event.endswith("connect_tcp.complete"):
            return
        opened = info["return_value"].get_extra_info("socket")
        with self._lock:
            # A second handle of the same connection: TLS takes the first one over.
            self._connections.append(opened.dup())
        if self.passed:
            self._pass()

    def _pass(self) -> None:
        self.passed = True
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


def _checked(url: str, what: str) -> SplitResult:
    try:
        where = urlsplit(url)
        usable = bool(where.hostname) and where.port != 0 and not any(map(str.isspace, url))
    except ValueError:
        usable = False
    if not usable or where.scheme not in ("http", "https"):
        raise ConfigError(
            f"the url of {what} is not a web address",
            expected="https://host/..., without blanks",
            hint="the value is a secret and is not shown here",
            key="url",
        )
    if where.scheme == "http" and not _loopback(where):
        raise ConfigError(
            f"the url of {what} would be reached unencrypted",
            expected="https",
            got=f"http to {where.hostname}",
            hint="http is for this machine only (localhost)",
            key="url",
        )
    return where


def _loopback(where: SplitResult) -> bool:
    host = where.hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _origin(where: SplitResult) -> str:
    """Scheme, host and port: what a secret address may show of itself."""
    port = f":{where.port}" if where.port else ""
    return f"{where.scheme}://{where.hostname}{port}"


@contextmanager
def _unlogged() -> Iterator[None]:
    """Keep this thread's calls out of the client's logs: they write down addresses and headers, which are secret."""
    mine = get_ident()

    def of_others(record: logging.LogRecord) -> bool:
        return record.thread != mine

    loggers = [logging.getLogger(name) for name in TALKATIVE]
    for logger in loggers:
        logger.addFilter(of_others)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(of_others)
