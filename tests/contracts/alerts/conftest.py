"""Every registered channel, and the people on its other side."""

import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pydantic import SecretStr

from stratawatch.adapters.alerts import REGISTRY
from stratawatch.adapters.alerts.console import ConsoleChannel
from stratawatch.adapters.alerts.sent_keys import SentKeys
from stratawatch.adapters.alerts.webhook import WebhookChannel
from stratawatch.engine.ports import AlertChannel
from tests.support.alert_services import MailBackend, PagerDutyBackend, SlackBackend, SlackBotBackend
from tests.support.alertmanager_api import AlertmanagerBackend
from tests.support.event_services import AppriseBackend, PrefectEventBackend


class ConsoleBackend:
    """A terminal."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.screen = io.StringIO()

    def channel(self) -> AlertChannel:
        return ConsoleChannel(stream=self.screen, sent=SentKeys.of_channel(self.folder, "console"))

    def received(self) -> list[str]:
        screens = self.screen.getvalue().split("=" * 60)
        return [screen for screen in screens if screen.strip()]

    def close(self):
        pass


class WebhookBackend:
    """A receiver on loopback that dedupes on the Idempotency-Key."""

    def __init__(self, folder: Path | None = None):
        backend = self
        self.requests: list[tuple[dict, dict]] = []
        self.bodies: list[bytes] = []
        self.status = 202
        self.answer_headers: dict[str, str] = {}
        self.answer = b""

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                content = self.rfile.read(int(self.headers["Content-Length"]))
                body = json.loads(content)
                known = {headers["Idempotency-Key"] for headers, _ in backend.requests}
                status = backend.status
                if status < 300 and self.headers["Idempotency-Key"] in known:
                    status = 409
                elif status < 300:
                    backend.requests.append((dict(self.headers), body))
                    backend.bodies.append(content)
                self.send_response(status)
                for name, value in backend.answer_headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(backend.answer)))
                self.end_headers()
                self.wfile.write(backend.answer)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/hooks/s3cr3t-path?token=s3cr3t-token"

    def channel(self, **settings) -> AlertChannel:
        return WebhookChannel(SecretStr(self.url), **settings)

    def received(self) -> list[str]:
        return [json.dumps(body) for _, body in self.requests]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


BACKENDS = {
    "alertmanager": AlertmanagerBackend,
    "apprise": AppriseBackend,
    "console": ConsoleBackend,
    "mail": MailBackend,
    "pagerduty": PagerDutyBackend,
    "prefect_event": PrefectEventBackend,
    "slack": SlackBackend,
    "webhook": WebhookBackend,
}
OTHER_WAYS = {"slack: bot": SlackBotBackend}
"""Other channels of a kind that has several."""


@pytest.fixture(params=sorted({*REGISTRY, *OTHER_WAYS}))
def backend(request, tmp_path):
    backend = (BACKENDS | OTHER_WAYS)[request.param](tmp_path)
    yield backend
    backend.close()


@pytest.fixture
def receiver():
    backend = WebhookBackend()
    yield backend
    backend.close()
