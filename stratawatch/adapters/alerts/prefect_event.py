"""Alerts as events of Prefect, posted to its API: automations of people's own can start from them."""

from base64 import b64encode
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import SecretStr, model_validator

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.alerts.alert_text import body_with_links, incident_name, notification_name, one_line
from stratawatch.adapters.alerts.sent_keys import SentKeys
from stratawatch.adapters.secret_address import TIMEOUT, SecretAddress
from stratawatch.engine.model.alarm_records import REPORT, Notification
from stratawatch.engine.model.label_events import Receipt
from stratawatch.errors import StratawatchError
from stratawatch.settings import shapes

API: Final = "http://127.0.0.1:4200/api"
"""Of the server that `make up` starts."""
LONGEST_LABEL: Final = 1000
LONGEST_BODY: Final = 8000
LONGEST_ANSWER: Final = 8000


class PrefectEventSettings(ChannelSettings):
    """kind = "prefect_event": the API of a Prefect server, or of a workspace of Prefect Cloud."""

    kind: Literal["prefect_event"]
    name: shapes.Name = "prefect"
    api_url: shapes.Text = API
    """What PREFECT_API_URL says."""
    api_key: shapes.Secret | None = None
    """Of Prefect Cloud."""
    auth: shapes.Secret | None = None
    """What PREFECT_API_AUTH_STRING says: user:password of a server."""

    @model_validator(mode="after")
    def _one_login(self) -> "PrefectEventSettings":
        if self.api_key and self.auth:
            raise ValueError("needs either `api_key` of Prefect Cloud or `auth` of a server, or none of them")
        return self

    def build(self, context: BuildContext) -> "PrefectEventChannel":
        """The channel; secrets are looked up now."""
        login = None
        if self.api_key is not None:
            login = SecretStr(f"Bearer {context.reveal(self.api_key).get_secret_value()}")
        elif self.auth is not None:
            login = SecretStr(f"Basic {b64encode(context.reveal(self.auth).get_secret_value().encode()).decode()}")
        sent, timeout = SentKeys.of_channel(context.folder, self.name), self.timeout.total_seconds()
        return PrefectEventChannel(self.api_url, login, self.name, sent=sent, timeout=timeout)


class PrefectEventChannel:
    """Posts `stratawatch.page` and so on, by severity, about a resource whose id holds the incident's key, hashed.

    What says that a report was written is about a resource of its own kind, as it is no incident.

    An event's id follows from the notification's key, so that Prefect keeps one that came twice once.
    """

    def __init__(
        self,
        api_url: str = API,
        login: SecretStr | None = None,
        name: str = "prefect",
        *,
        sent: SentKeys | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        self.name = name
        self._sent = sent or SentKeys()
        headers = {} if login is None else {"Authorization": login}
        self._address = SecretAddress(f"the alert channel '{name}'", SecretStr(api_url), headers, timeout)

    def send(self, notification: Notification) -> Receipt:
        """Post an event, once."""
        if notification.key in self._sent:
            return Receipt(notification.key, duplicate=True)
        event = _event(notification)
        status, body = self._address.exchange("POST", "/events", {}, {"json": [event]}, LONGEST_ANSWER)
        if status >= 400:
            raise StratawatchError(
                f"Prefect refused what the alert channel '{self.name}' sent",
                got=f"HTTP {status}: {one_line(body.decode(errors='replace'), 200)}",
                hint="see that api_url is what PREFECT_API_URL says, with /api, and that the login is right",
            )
        self._sent.add(notification.key)
        return Receipt(event["id"])


def _event(notification: Notification) -> dict[str, Any]:
    about_kind = REPORT if notification.is_report else "incident"
    subject = one_line(notification.subject, LONGEST_LABEL)
    about = {name: notification.facts.get(name) for name in ("panel", "classifier", "metric", "segment")}
    labels = {f"stratawatch.{name}": one_line(str(fact), LONGEST_LABEL) for name, fact in about.items() if fact}
    return {
        "id": str(UUID(notification_name(notification)[:32], version=4)),
        "occurred": notification.created_at.isoformat(),
        "event": f"stratawatch.{notification.kind}",
        "resource": {
            "prefect.resource.id": f"stratawatch.{about_kind}.{incident_name(notification)}",
            "prefect.resource.name": subject or "stratawatch",
            **labels,
        },
        "related": [],
        "payload": {
            "severity": notification.severity,
            "subject": subject,
            "body": body_with_links(notification, LONGEST_BODY),
            "dedup_key": one_line(notification.dedup_key, LONGEST_LABEL),
        },
    }
