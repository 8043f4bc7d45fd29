"""Every registered channel, and the people on its other side."""

import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pydantic import SecretStr

from stratawatch.adapters.alerts import REGISTRY, load
from stratawatch.engine.ports import AlertChannel


class ConsoleWorld:
    """A terminal."""

    def __init__(self):
        self.screen = io.StringIO()

    def channel(self) -> AlertChannel:
        return load("console")(stream=self.screen)

    def told(self) -> list[str]:
        screens = self.screen.getvalue().split("=" * 60)
        return [screen for screen in screens if screen.strip()]

    def close(self):
        pass


class WebhookWorld:
    """A receiver on loopback that dedupes on the Idempotency-Key."""

    def __init__(self):
        world = self
        self.requests: list[tuple[dict, dict]] = []
        self.status = 202
        self.answer_headers: dict[str, str] = {}
        self.answer = b""

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                known = {headers["Idempotency-Key"] for headers, _ in world.requests}
                status = world.status
                if status < 300 and self.headers["Idempotency-Key"] in known:
                    status = 409
                elif status < 300:
                    world.requests.append((dict(self.headers), body))
                self.send_response(status)
                for name, value in world.answer_headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(world.answer)))
                self.end_headers()
                self.wfile.write(world.answer)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/hooks/s3cr3t-path?token=s3cr3t-token"

    def channel(self, **settings) -> AlertChannel:
        return load("webhook")(SecretStr(self.url), **settings)

    def told(self) -> list[str]:
        return [json.dumps(body) for _, body in self.requests]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


WORLDS = {"console": ConsoleWorld, "webhook": WebhookWorld}


@pytest.fixture(params=sorted(REGISTRY))
def world(request):
    world = WORLDS[request.param]()
    yield world
    world.close()


@pytest.fixture
def receiver():
    world = WebhookWorld()
    yield world
    world.close()
