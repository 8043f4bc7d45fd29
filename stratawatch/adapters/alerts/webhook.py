"""Alerts by HTTP: one POST of JSON, deduped by the receiver on the Idempotency-Key, and signed if there is a key."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal

from pydantic import Field, SecretStr, model_validator

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.alerts.alert_text import notification_name
from stratawatch.adapters.secret_address import TIMEOUT, SecretAddress
from stratawatch.adapters.webhook_signatures import signed_headers, signing_key
from stratawatch.engine.model.alarm_records import REPORT, Notification, Severity
from stratawatch.engine.model.label_events import Receipt
from stratawatch.settings import shapes

DUPLICATE: Final = 409
EVENTS: Final[dict[Severity, str]] = {
    "page": "trigger",
    "warning": "trigger",
    "update": "update",
    "resolved": "resolve",
}
"""What a receiver is to do with the incident of the dedup key; a report is about none."""


class WebhookSettings(ChannelSettings):
    """kind = "webhook": one POST of JSON."""

    kind: Literal["webhook"]
    name: shapes.Name = "webhook"
    url: shapes.Secret
    headers: dict[str, shapes.Secret] = Field(default_factory=dict)
    secret: shapes.Secret | None = None
    """A key of Standard Webhooks, by which posts are signed."""
    second_secret: shapes.Secret | None = None
    """Another one, while receivers change from one to the other: posts are signed by both."""

    @model_validator(mode="after")
    def _first_first(self) -> "WebhookSettings":
        if self.second_secret and not self.secret:
            raise ValueError("`second_secret` is for a change of keys, beside `secret`")
        return self

    def build(self, context: BuildContext) -> "WebhookChannel":
        """The channel; secrets are looked up now."""
        headers = {header: context.reveal(value) for header, value in self.headers.items()}
        given = {"secret": self.secret, "second_secret": self.second_secret}
        keys = [
            signing_key(context.reveal(key), f"`{name}` of the alert channel '{self.name}'")
            for name, key in given.items()
            if key is not None
        ]
        return WebhookChannel(
            context.reveal(self.url), headers=headers, keys=keys, name=self.name, timeout=self.timeout.total_seconds()
        )


class WebhookChannel:
    """Posts {dedup_key, severity, event, subject, body, facts, key, created_at} to a URL that is a secret.

    The Idempotency-Key is the SHA-256 of `key`, in hex: a key holds values of segments, which no header can carry.
    2xx is success, 409 says that the receiver has it already. With keys a post is signed as Standard Webhooks says, its
    id being the Idempotency-Key.
    """

    def __init__(
        self,
        url: SecretStr,
        *,
        headers: Mapping[str, SecretStr] | None = None,
        keys: Sequence[bytes] = (),
        name: str = "webhook",
        timeout: float = TIMEOUT,
    ) -> None:
        self.name = name
        self._keys = tuple(keys)
        self._address = SecretAddress(f"the alert channel '{name}'", url, headers, timeout)

    def send(self, notification: Notification) -> Receipt:
        """Post a notification."""
        name, body = notification_name(notification), json.dumps(_message(notification)).encode()
        headers = {"Idempotency-Key": name}
        if self._keys:  # signed anew at each attempt, as its time must be that of the attempt
            headers |= signed_headers(self._keys, name, datetime.now(UTC), body)
        status = self._address.post(body, headers, accepted=(DUPLICATE,))
        if status == DUPLICATE:
            return Receipt(notification.key, duplicate=True)
        return Receipt(f"HTTP {status} {notification.key}")


def _message(notification: Notification) -> dict[str, Any]:
    return {
        "key": notification.key,
        "dedup_key": notification.dedup_key,
        "event": REPORT if notification.is_report else EVENTS[notification.severity],
        "severity": notification.severity,
        "subject": notification.subject,
        "body": notification.body,
        "facts": dict(notification.facts),
        "created_at": notification.created_at.isoformat(),
    }
