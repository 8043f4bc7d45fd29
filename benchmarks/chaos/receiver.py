"""The other side of webhooks: a receiver of alerts, and labelling services; they keep each message once."""

import json
import sys
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

from benchmarks.chaos.places import SERVICE
from benchmarks.chaos.world import SEND_KEY
from stratawatch.adapters.webhook_signatures import ID, SIGNATURE, TIMESTAMP, is_signed, signing_key

DRIP_SECONDS: Final = 0.05
LABELS: Final = "/labels/"
"""Below this, batches are posted."""


def serve(log: Path) -> None:
    """Serve on a free port of loopback, printed first; each accepted post becomes a line of the log."""
    accepted: set[tuple[str, str]] = set()
    refused: list[tuple[str, str]] = []
    one_at_a_time = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            body = json.loads(raw)
            with one_at_a_time:
                status = self.take_tasks(raw) if self.path.startswith(LABELS) else self.accept(body)
            drips = not self.path.startswith(LABELS) and not self.path.endswith("/deputy")
            if status and drips and log.with_name("drip").exists():
                self.drip()
            elif status:
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

        def take_tasks(self, raw: bytes) -> int:
            """What a labelling service answers: it keeps each message once, if its signature is right."""
            message_id, seconds, signatures = (self.headers[name] for name in (ID, TIMESTAMP, SIGNATURE))
            if not is_signed((signing_key(SEND_KEY, "our key"),), message_id, seconds, signatures, raw):
                return 401
            if (self.path, message_id) in accepted:
                return 208
            accepted.add((self.path, message_id))
            with log.with_name(SERVICE).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"run": self.path.removeprefix(LABELS), "message": json.loads(raw)}) + "\n")
            return 201

        def accept(self, body: dict[str, object]) -> int:
            """The answer's status, or 0 for none."""
            known = (self.path, self.headers["Idempotency-Key"])
            fresh = known not in accepted
            if log.with_name("outage").exists() and not self.path.endswith("/deputy"):
                refused.append(known)
                if refused.count(known) > 1:  # the second time it does not even answer
                    self.close_connection = True
                    return 0
                fresh, status = False, 503
            else:
                status = 202 if fresh else 409
            if fresh:
                accepted.add(known)
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"run": self.path, "key": known[1], **body}) + "\n")
            return status

        def drip(self) -> None:
            """Answer a byte at a time until the client has had enough."""
            with suppress(OSError):
                while log.with_name("drip").exists():
                    self.wfile.write(b"H")
                    time.sleep(DRIP_SECONDS)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
