"""Alerts by HTTP: one POST of JSON, deduped by the receiver on the Idempotency-Key."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from ipaddress import ip_address
from threading import get_ident
from typing import Any, Final, Protocol
from urllib.parse import SplitResult, urlsplit

from stratawatch.engine.model.label_events import Receipt
from stratawatch.engine.model.notification import Notification
from stratawatch.errors import ConfigError, Unreachable

TIMEOUT: Final = 10.0
"""Seconds for each of connecting, sending and waiting for the answer."""
DUPLICATE: Final = 409
TALKATIVE: Final = ("httpx", "httpcore.connection", "httpcore.proxy", "httpcore.http11", "httpcore.http2")
"""Loggers of the client. A filter works on its own logger only, not on those below it."""


class Secret(Protocol):
    """A value that shows itself only when asked, like pydantic's SecretStr."""

    def get_secret_value(self) -> str:
        """The value."""
        ...


class WebhookChannel:
    """Posts {dedup_key, severity, event, subject, body, facts, key, created_at} to a URL that is a secret.

    The Idempotency-Key is the SHA-256 of `key`, in hex: a key holds values of segments, which no header can carry.
    Secrets are anything with get_secret_value(), or a function that returns the value. 2xx is success, 409 says that
    the receiver has it already. Redirects are not followed and the answer's body is not read.
    """

    def __init__(
        self,
        url: Secret | Callable[[], str],
        *,
        headers: Mapping[str, Secret | Callable[[], str]] | None = None,
        name: str = "webhook",
        timeout: float = TIMEOUT,
    ) -> None:
        self.name = name
        self._url = url
        self._headers = dict(headers or {})
        self._timeout = timeout
        _checked(reveal(url), name)

    def send(self, notification: Notification) -> Receipt:
        """Post a notification."""
        url = reveal(self._url)
        where = _checked(url, self.name)
        headers = {
            **{header: reveal(value) for header, value in self._headers.items()},
            "Idempotency-Key": idempotency_key(notification),
        }
        status = self._post(url, where, headers, _message(notification))
        if status == DUPLICATE:
            return Receipt(notification.key, duplicate=True)
        if 200 <= status < 300:
            return Receipt(f"HTTP {status} {notification.key}")
        raise Unreachable(
            f"the alert channel '{self.name}' did not take a notification",
            expected="an answer of 2xx (or 409 for one it has already)",
            got=f"HTTP {status} from {_origin(where)}",
            hint="redirects are not followed" if 300 <= status < 400 else "",
        )

    def _post(self, url: str, where: SplitResult, headers: dict[str, str], message: dict[str, Any]) -> int:
        import httpx

        # A proxy from the environment is for the world outside, not for this machine.
        client = httpx.Client(timeout=self._timeout, trust_env=not _loopback(where), follow_redirects=False)
        try:
            with client, _unlogged(), client.stream("POST", url, headers=headers, json=message) as answer:
                return answer.status_code
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as trouble:
            # The library's own words could quote the URL or a header, in the message and in the traceback.
            raise self._unreachable(trouble, where) from None

    def _unreachable(self, trouble: Exception, where: SplitResult) -> Unreachable:
        return Unreachable(
            f"the alert channel '{self.name}' cannot be reached at {_origin(where)}",
            got=type(trouble).__name__,
            hint="see that the address and its headers are right and that this machine may connect to it",
        )


def idempotency_key(notification: Notification) -> str:
    """The name of a notification that fits into a header, whatever its key holds."""
    return sha256(notification.key.encode(errors="surrogatepass")).hexdigest()


def reveal(secret: Secret | Callable[[], str]) -> str:
    """The value of a secret."""
    return secret() if callable(secret) else secret.get_secret_value()


def _message(notification: Notification) -> dict[str, Any]:
    return {
        "key": notification.key,
        "dedup_key": notification.dedup_key,
        "event": "resolve" if notification.severity == "resolved" else "trigger",
        "severity": notification.severity,
        "subject": notification.subject,
        "body": notification.body,
        "facts": dict(notification.facts),
        "created_at": notification.created_at.isoformat(),
    }


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
