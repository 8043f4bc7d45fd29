"""An Alertmanager as far as its API of version 2 is documented: what it refuses, and what it keeps until it ends."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from stratawatch.adapters.alerts.alertmanager import AlertmanagerChannel
from stratawatch.adapters.alerts.sent_keys import SentKeys
from tests.support.alert_services import Answer, HttpService

RESOLVE_TIMEOUT = timedelta(minutes=5)
"""How long an alert without an end stands, as it is configured where nothing is said."""


class AlertmanagerBackend:
    """Alerts by their labels; a later statement replaces an earlier one, but for the earliest beginning."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.said: list[dict] = []
        self.alerts: dict[str, dict] = {}
        self.service = HttpService(self._judged)

    def _judged(self, path, headers, alerts) -> Answer:
        if path == "/api/v2/status" and alerts is None:
            return 200, {"cluster": {"status": "ready"}, "versionInfo": {"version": "0.27.0"}, "config": {}}
        if path != "/api/v2/alerts" or not isinstance(alerts, list):
            return 404, "no such path"
        faults = [fault for alert in alerts for fault in alertmanager_faults(alert)]
        if faults:
            return 400, "; ".join(faults)
        for alert in alerts:
            self.said.append(alert)
            self._keep(alert)
        return 200, ""

    def _keep(self, alert: dict) -> None:
        name, now = json.dumps(alert["labels"], sort_keys=True), datetime.now(UTC)
        end = datetime.fromisoformat(alert["endsAt"]) if "endsAt" in alert else now + RESOLVE_TIMEOUT
        start = datetime.fromisoformat(alert.get("startsAt", alert.get("endsAt", now.isoformat())))
        old = self.alerts.get(name)
        if old is not None and old["end"] > start:  # they overlap
            start = min(start, old["start"])
            end = max(end, old["end"]) if end > now else end
        self.alerts[name] = {**alert, "start": start, "end": end}

    def restart(self) -> None:
        """Forget everything, as with an empty folder."""
        self.alerts.clear()

    def firing(self) -> dict[str, dict]:
        """What stands now, by the hashed key."""
        now = datetime.now(UTC)
        return {alert["labels"]["key"]: alert for alert in self.alerts.values() if alert["end"] > now}

    def channel(self, **settings) -> AlertmanagerChannel:
        sent = SentKeys.of_channel(self.folder, "alertmanager")
        return AlertmanagerChannel(self.service.url, sent=sent, **settings)

    def received(self) -> list[str]:
        return [json.dumps(alert) for alert in self.said]

    def close(self):
        self.service.close()


def alertmanager_faults(alert: dict):
    if not alert.get("labels"):
        yield "at least one label pair required"
    if unknown := alert.keys() - {"labels", "annotations", "startsAt", "endsAt", "generatorURL"}:
        yield f"unknown: {unknown}"
    for names in (alert["labels"], alert.get("annotations", {})):
        for name, value in names.items():
            if not re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", name) or not isinstance(value, str):
                yield f"invalid label name or value: {name}"
    if "alertname" not in alert["labels"] or "severity" in alert["labels"]:
        yield "labels"
    if not all(alert["labels"].values()):
        yield "an empty label is none"
    times = [datetime.fromisoformat(alert[name]) for name in ("startsAt", "endsAt") if name in alert]
    if any(time.tzinfo is None for time in times):
        yield "a time of RFC 3339 has an offset"
    if len(times) == 2 and times[0] > times[1]:
        yield "start time must be before end time"
