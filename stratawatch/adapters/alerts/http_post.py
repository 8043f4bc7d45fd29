"""Posts JSON to an address that is a secret, for every channel by HTTP."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ipaddress import ip_address
from threading import get_ident
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from stratawatch.errors import ConfigError, Unreachable

TIMEOUT: Final = 10.0
"""Seconds for each of connecting, sending and waiting for the answer."""
TALKATIVE: Final = ("httpx", "httpcore.connection", "httpcore.proxy", "httpcore.http11", "httpcore.http2")
"""Loggers of the client. A filter works on its own logger only, not on those below it."""


class HttpPost:
    """Posts to one address. Redirects are not followed and the answer's body is not read.

    `name` is that of the channel, for errors, which never show more of the address than its origin.
    """

    def __init__(
        self, name: str, url: SecretStr, headers: Mapping[str, SecretStr] | None = None, timeout: float = TIMEOUT
    ) -> None:
        self._name, self._url, self._headers, self._timeout = name, url, dict(headers or {}), timeout
        _checked(url.get_secret_value(), name)

    def send(
        self, message: Mapping[str, Any], headers: Mapping[str, str] | None = None, accepted: tuple[int, ...] = ()
    ) -> int:
        """Post a message and return the status, which is 2xx or one of `accepted`. Raises Unreachable."""
        url = self._url.get_secret_value()
        where = _checked(url, self._name)
        every = {**{header: value.get_secret_value() for header, value in self._headers.items()}, **(headers or {})}
        status = self._post(url, where, every, message)
        if status in accepted or 200 <= status < 300:
            return status
        also = " or ".join(str(one) for one in accepted)
        raise Unreachable(
            f"the alert channel '{self._name}' did not take a notification",
            expected="an answer of 2xx" + (f" (or {also} for one it has already)" if accepted else ""),
            got=f"HTTP {status} from {_origin(where)}",
            hint="redirects are not followed" if 300 <= status < 400 else "",
        )

    def _post(self, url: str, where: SplitResult, headers: dict[str, str], message: Mapping[str, Any]) -> int:
        import httpx

        # A proxy from the environment is for the world outside, not for this machine.
        client = httpx.Client(timeout=self._timeout, trust_env=not _loopback(where), follow_redirects=False)
        try:
            with client, _unlogged(), client.stream("POST", url, headers=headers, json=message) as answer:
                return answer.status_code
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as trouble:
            # The library's own words could quote the URL or a header, in the message and in the traceback.
            raise Unreachable(
                f"the alert channel '{self._name}' cannot be reached at {_origin(where)}",
                got=type(trouble).__name__,
                hint="see that the address and its headers are right and that this machine may connect to it",
            ) from None


def _checked(url: str, name: str) -> SplitResult:
    try:
        where = urlsplit(url)
        usable = bool(where.hostname) and where.port != 0
    except ValueError:
        usable = False
    if not usable or where.scheme not in ("http", "https"):
        raise ConfigError(
            f"the url of the alert channel '{name}' is not a web address",
            expected="https://host/...",
            hint="the value is a secret and is not shown here",
        )
    if where.scheme == "http" and not _loopback(where):
        raise ConfigError(
            f"the url of the alert channel '{name}' would send alerts unencrypted",
            expected="https",
            got=f"http to {where.hostname}",
            hint="http is for this machine only (localhost)",
        )
    return where


def _loopback(where: SplitResult) -> bool:
    host = where.hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _origin(where: SplitResult) -> str:
    """Scheme, host and port: what a webhook's address may show of itself."""
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
