"""Alerts to Prometheus' Alertmanager, by its API of version 2: it keeps nothing, so what is open is asserted again."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Final, Literal

from pydantic import SecretStr, model_validator

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.alerts import ChannelSettings
from stratawatch.adapters.alerts.alert_text import incident_name, lines, one_line
from stratawatch.adapters.alerts.sent_keys import SentKeys
from stratawatch.adapters.secret_address import TIMEOUT, SecretAddress
from stratawatch.engine.model.alarm_records import Notification, StandingAlert
from stratawatch.engine.model.label_events import Receipt
from stratawatch.engine.model.panel_links import links_of
from stratawatch.errors import StratawatchError
from stratawatch.settings import shapes

NAME: Final = "Stratawatch"
"""The label alertname of every alert of ours."""
LABELS: Final = ("panel", "classifier", "metric", "segment")
"""Facts that are labels. They are the same in an incident's beginning and end, as labels make an alert what it is."""
_ANNOTATIONS: Final = {
    "owner": "owner",
    "runbook": "runbook_url",
    "report_url": "report_url",
    "dashboard_url": "dashboard_url",
}
"""Under which name an annotation holds one of our facts: `runbook_url` is the one that Prometheus' own rules use."""
LONGEST_LABEL: Final = 200
LONGEST_SUMMARY: Final = 1000
LONGEST_BODY: Final = 8000
LONGEST_ANSWER: Final = 8000
LONGEST_STATUS: Final = 4_000_000
"""Bytes of the answer that has its whole configuration."""
AT_ONCE: Final = 100
"""Alerts in one request."""
FIRST_SPAN: Final = timedelta(minutes=15)
"""How long a page stands by its send alone; the same advance asserts it with all that is open."""
NOTICE_SPAN: Final = timedelta(hours=1)
"""How long a warning stands, which may belong to no incident and is not asserted then: long enough to be passed on."""


class AlertmanagerSettings(ChannelSettings):
    """kind = "alertmanager": the address of an Alertmanager; of a cluster, each member is a channel of its own."""

    wakes_people: ClassVar = True

    kind: Literal["alertmanager"]
    name: shapes.Name = "alertmanager"
    url: shapes.Text
    """Without /api/v2: https://alertmanager.example.org."""
    user: shapes.Text | None = None
    password: shapes.Secret | None = None
    token: shapes.Secret | None = None
    """A bearer token."""
    hold: shapes.PositiveDuration | None = None
    """How long an alert stands without being asserted; until the third advance after it, if nothing is said."""

    @model_validator(mode="after")
    def _one_login(self) -> "AlertmanagerSettings":
        if (self.user is None) != (self.password is None) or (self.user and self.token):
            raise ValueError("needs either `user` and `password`, or `token`, or none of them")
        return self

    def build(self, context: BuildContext) -> "AlertmanagerChannel":
        """The channel; secrets are looked up now."""
        headers = {}
        if self.token is not None:
            headers["Authorization"] = SecretStr(f"Bearer {context.reveal(self.token).get_secret_value()}")
        elif self.user is not None and self.password is not None:
            login = f"{self.user}:{context.reveal(self.password).get_secret_value()}"
            headers["Authorization"] = SecretStr(f"Basic {b64encode(login.encode()).decode()}")
        return AlertmanagerChannel(
            self.url,
            headers,
            self.name,
            hold=self.hold,
            sent=SentKeys.of_channel(context.folder, self.name),
            timeout=self.timeout.total_seconds(),
        )


class AlertmanagerChannel:
    """Says what is open, each alert under labels that hold a hash of the incident's key, and what is over.

    Alertmanager ends an alert by its own clock unless it is asserted again, so times are taken from this machine's.
    Severity is an annotation: as a label it would make two alerts of an incident.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, SecretStr] | None = None,
        name: str = "alertmanager",
        *,
        hold: timedelta | None = None,
        sent: SentKeys | None = None,
        timeout: float = TIMEOUT,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.name = name
        self._hold, self._sent, self._now = hold, sent or SentKeys(), now
        self._address = SecretAddress(f"the alert channel '{name}'", SecretStr(url), headers, timeout)

    def send(self, notification: Notification) -> Receipt:
        """Say that an incident began, goes on or is over; a beginning stands for a while, until it is asserted."""
        if notification.key in self._sent:
            return Receipt(notification.key, duplicate=True)
        now, alert = self._now(), _alert(notification)
        if notification.severity == "resolved":
            alert["endsAt"] = now.isoformat()
        else:
            span = NOTICE_SPAN if notification.severity == "warning" else FIRST_SPAN
            alert |= _standing(notification.created_at, now, self._hold or span)
        self._post([alert])
        self._sent.add(notification.key)
        return Receipt(f"{alert['labels']['key']}")

    def assert_open(self, alerts: Sequence[StandingAlert], lasts: timedelta) -> None:
        """Say that these are open, and for how long they stand without being said again."""
        now = self._now()
        said = [_alert(one.newest) | _standing(one.since, now, self._hold or lasts) for one in alerts]
        for first in range(0, len(said), AT_ONCE):
            self._post(said[first : first + AT_ONCE])

    def ask(self) -> str:
        """Ask Alertmanager for its version, and whether it is ready. Raises as `send` does."""
        status, body = self._address.exchange("GET", "/api/v2/status", {}, {}, LONGEST_STATUS)
        self._require_taken(status, body, f"would not tell the alert channel '{self.name}' how it is")
        try:
            found = json.loads(body)
            version, cluster = found["versionInfo"]["version"], found["cluster"]["status"]
        except (ValueError, TypeError, KeyError):
            raise StratawatchError(
                f"who answers the alert channel '{self.name}' is no Alertmanager",
                hint="see that url is that of an Alertmanager, without /api/v2",
                key="url",
            ) from None
        return f"Alertmanager {version} answers (cluster: {cluster})"

    def _post(self, alerts: Sequence[Mapping[str, Any]]) -> None:
        status, body = self._address.exchange("POST", "/api/v2/alerts", {}, {"json": alerts}, LONGEST_ANSWER)
        self._require_taken(status, body, f"refused what the alert channel '{self.name}' sent")

    @staticmethod
    def _require_taken(status: int, body: bytes, what: str) -> None:
        if status >= 400:
            raise StratawatchError(
                f"Alertmanager {what}",
                got=f"HTTP {status}: {one_line(body.decode(errors='replace'), 200)}",
                hint="see that url is that of an Alertmanager, without /api/v2, and that the login is right",
                key="url",
            )


def _alert(notification: Notification) -> dict[str, Any]:
    annotations = {
        "summary": one_line(notification.subject, LONGEST_SUMMARY),
        "description": lines(notification.body, LONGEST_BODY),
        "severity": notification.severity,
        "dedup_key": one_line(notification.dedup_key, LONGEST_SUMMARY),
    }
    for name, said in links_of(notification.facts).items():
        annotations[_ANNOTATIONS[name]] = one_line(said, LONGEST_SUMMARY)
    return {"labels": dict(_labels(notification)), "annotations": annotations}


def _labels(notification: Notification) -> Iterator[tuple[str, str]]:
    yield "alertname", NAME
    for name in LABELS:
        if fact := notification.facts.get(name):  # an empty label is none
            yield name, one_line(str(fact), LONGEST_LABEL)
    yield "key", incident_name(notification)


def _standing(since: datetime, now: datetime, span: timedelta) -> dict[str, str]:
    """The times of an alert. Its beginning is not later than now, as by a simulated clock: that would be refused."""
    return {"startsAt": min(since, now).isoformat(), "endsAt": (now + span).isoformat()}
