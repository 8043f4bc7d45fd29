"""What Apprise and Prefect send to: a receiver of Apprise's json://, and Prefect's API of events as it is documented."""

import json
from datetime import datetime
from pathlib import Path
from uuid import UUID

from pydantic import SecretStr

from stratawatch.adapters.alerts.apprise import AppriseChannel
from stratawatch.adapters.alerts.prefect_event import PrefectEventChannel
from stratawatch.adapters.alerts.sent_keys import SentKeys
from tests.support.alert_services import Answer, HttpService

JSON_FIELDS = {"version", "title", "message", "attachments", "type"}


class AppriseBackend:
    """A receiver of Apprise's own JSON, behind a path that is a secret."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.messages: list[dict] = []
        self.service = HttpService(self._judged)

    def _judged(self, path, headers, message) -> Answer:
        if not path.startswith("/s3cr3t-path") or message.keys() != JSON_FIELDS:
            return 400, "no message of Apprise"
        if message["type"] not in ("info", "success", "warning", "failure") or not message["message"]:
            return 400, "type or message"
        self.messages.append(message)
        return 200, "ok"

    @property
    def url(self) -> str:
        return f"{self.service.url.replace('http', 'json')}/s3cr3t-path"

    def channel(self, **settings) -> AppriseChannel:
        return AppriseChannel(SecretStr(self.url), sent=SentKeys.of_channel(self.folder, "apprise"), **settings)

    def received(self) -> list[str]:
        return [json.dumps(message) for message in self.messages]

    def close(self):
        self.service.close()


class PrefectEventBackend:
    """POST /events, which keeps each event once by its id."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.events: dict[str, dict] = {}
        self.service = HttpService(self._judged)

    def _judged(self, path, headers, events) -> Answer:
        if path != "/api/events" or not isinstance(events, list):
            return 404, {"detail": "Not Found"}
        faults = [fault for event in events for fault in event_faults(event)]
        if faults:
            return 422, {"exception_message": "Invalid request received.", "exception_detail": faults}
        for event in events:
            self.events.setdefault(event["id"], event)
        return 204, ""

    def channel(self, **settings) -> PrefectEventChannel:
        sent = SentKeys.of_channel(self.folder, "prefect")
        return PrefectEventChannel(f"{self.service.url}/api", sent=sent, **settings)

    def received(self) -> list[str]:
        return [json.dumps(event) for event in self.events.values()]

    def close(self):
        self.service.close()


def event_faults(event: dict):
    if event.keys() - {"occurred", "event", "resource", "related", "payload", "id", "follows"}:
        yield "unknown fields"
    if not isinstance(event["event"], str) or str(UUID(event["id"])) != event["id"]:
        yield "event or id"
    if datetime.fromisoformat(event["occurred"]).tzinfo is None:
        yield "occurred"
    labels = event["resource"]
    if not labels.get("prefect.resource.id") or len(labels) > 500:
        yield "resource"
    if not all(isinstance(value, str) for value in labels.values()):
        yield "labels are texts"
    if len(json.dumps(event)) > 1_500_000:
        yield "size"
