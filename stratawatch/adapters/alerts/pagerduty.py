"""Alerts to PagerDuty, by its Events API of version 2: a page opens an incident there, and its end resolves it."""

from typing import Any, ClassVar, Final, Literal

from pydantic import SecretStr

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.alerts.alert_text import incident_name, is_acknowledgement, lines, one_line
from stratawatch.adapters.alerts.sent_keys import SentKeys
from stratawatch.adapters.secret_address import TIMEOUT, SecretAddress
from stratawatch.engine.model.alarm_records import Notification, Severity
from stratawatch.engine.model.label_events import Receipt
from stratawatch.engine.model.panel_links import WORDS, links_of
from stratawatch.errors import StratawatchError
from stratawatch.settings import shapes

ADDRESS: Final = "https://events.pagerduty.com/v2/enqueue"
LONGEST_SUMMARY: Final = 1024
"""Characters; an event with a longer one is refused for good."""
LONGEST_BODY: Final = 8000
LONGEST_FACT: Final = 200
_PLACES: Final = {"component": "classifier", "group": "panel", "class": "metric"}
"""Where PagerDuty has a place for one of our facts."""
_SEVERITIES: Final[dict[Severity, str]] = {
    "page": "critical",
    "warning": "warning",
    "update": "critical",
    "resolved": "info",
}
_ACTIONS: Final[dict[Severity, str]] = {
    "page": "trigger",
    "warning": "trigger",
    "update": "trigger",
    "resolved": "resolve",
}


class PagerDutySettings(ChannelSettings):
    """kind = "pagerduty": a service of PagerDuty with an integration "Events API v2"."""

    wakes_people: ClassVar = True

    kind: Literal["pagerduty"]
    name: shapes.Name = "pagerduty"
    routing_key: shapes.Secret
    url: shapes.Text = ADDRESS
    """Of accounts in the EU: https://events.eu.pagerduty.com/v2/enqueue."""

    def build(self, context: BuildContext) -> "PagerDutyChannel":
        """The channel; its routing key is looked up now."""
        sent, timeout = SentKeys.of_channel(context.folder, self.name), self.timeout.total_seconds()
        return PagerDutyChannel(context.reveal(self.routing_key), self.url, name=self.name, sent=sent, timeout=timeout)


class PagerDutyChannel:
    """Sends `trigger` for pages and warnings and `resolve` for their end, under a hash of the incident's key.

    An acknowledgement is one there too, and a reminder a `trigger`. A second `trigger` joins the incident that is open,
    so that a process that died before it kept what it sent wakes nobody again. What it kept is in a file, for a second
    `resolve` and what comes after it.
    """

    def __init__(
        self,
        routing_key: SecretStr,
        url: str = ADDRESS,
        *,
        name: str = "pagerduty",
        sent: SentKeys | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        self.name = name
        self._key, self._sent = routing_key, sent or SentKeys()
        self._address = SecretAddress(f"the alert channel '{name}'", SecretStr(url), timeout=timeout)

    def send(self, notification: Notification) -> Receipt:
        """Send an event, once."""
        if notification.key in self._sent:
            return Receipt(notification.key, duplicate=True)
        status, body = self._address.exchange("POST", "", {}, {"json": self._event(notification)}, LONGEST_BODY)
        if status >= 400:
            raise StratawatchError(
                f"PagerDuty refused what the alert channel '{self.name}' sent",
                got=f"HTTP {status}: {one_line(body.decode(errors='replace'), 200)}",
                hint="see that routing_key is that of an integration 'Events API v2', and url that of your region",
            )
        self._sent.add(notification.key)
        return Receipt(f"HTTP {status} {incident_name(notification)}")

    def _event(self, notification: Notification) -> dict[str, Any]:
        event: dict[str, Any] = {
            "routing_key": self._key.get_secret_value(),
            "event_action": "acknowledge" if is_acknowledgement(notification) else _ACTIONS[notification.severity],
            "dedup_key": incident_name(notification),
        }
        details = {"what": lines(notification.body, LONGEST_BODY), "key": one_line(notification.dedup_key, 1000)}
        links = links_of(notification.facts)
        if "owner" in links:
            details["owner"] = one_line(links.pop("owner"), LONGEST_FACT)
        if links:
            event["links"] = [{"href": said, "text": WORDS[name]} for name, said in links.items()]
        about = {place: notification.facts.get(fact) for place, fact in _PLACES.items()}
        event["payload"] = {
            "summary": one_line(notification.subject, LONGEST_SUMMARY) or "stratawatch",
            "source": "stratawatch",
            "severity": _severity(notification),
            "timestamp": notification.created_at.isoformat(),
            **{place: one_line(str(fact), LONGEST_FACT) for place, fact in about.items() if fact},
            "custom_details": details,
        }
        return event


def _severity(notification: Notification) -> str:
    """How urgent it is; what began as a warning stays one."""
    is_of_warning = notification.severity == "update" and notification.facts.get("began") == "warning"
    return _SEVERITIES["warning" if is_of_warning else notification.severity]
