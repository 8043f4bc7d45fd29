"""Alerts by HTTP: one POST of JSON, deduped by the receiver on the Idempotency-Key."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import Field, SecretStr

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.alerts.alert_text import notification_name
from stratawatch.adapters.secret_address import TIMEOUT, SecretAddress
from stratawatch.engine.model.alarm_records import Notification
from stratawatch.engine.model.label_events import Receipt
from stratawatch.settings import shapes

DUPLICATE: Final = 409


class WebhookSettings(ChannelSettings):
    """kind = "webhook": one POST of JSON."""

    kind: Literal["webhook"]
    name: shapes.Name = "webhook"
    url: shapes.Secret
    headers: dict[str, shapes.Secret] = Field(default_factory=dict)

    def build(self, context: BuildContext) -> "WebhookChannel":
        """The channel; secrets are looked up now."""
        headers = {header: context.reveal(value) for header, value in self.headers.items()}
        return WebhookChannel(
            context.reveal(self.url), headers=headers, name=self.name, timeout=self.timeout.total_seconds()
        )


class WebhookChannel:
    """Posts {dedup_key, severity, event, subject, body, facts, key, created_at} to a URL that is a secret.

    The Idempotency-Key is the SHA-256 of `key`, in hex: a key holds values of segments, which no header can carry.
    2xx is success, 409 says that the receiver has it already.
    """

    def __init__(
        self,
        url: SecretStr,
        *,
        headers: Mapping[str, SecretStr] | None = None,
        name: str = "webhook",
        timeout: float = TIMEOUT,
    ) -> None:
        self.name = name
        self._address = SecretAddress(f"the alert channel '{name}'", url, headers, timeout)

    def send(self, notification: Notification) -> Receipt:
        """Post a notification."""
        headers = {"Idempotency-Key": notification_name(notification)}
        status = self._address.post(_message(notification), headers, accepted=(DUPLICATE,))
        if status == DUPLICATE:
            return Receipt(notification.key, duplicate=True)
        return Receipt(f"HTTP {status} {notification.key}")


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
