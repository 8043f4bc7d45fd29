"""The other side of the webhook: dedupes on the Idempotency-Key like any good receiver, and remembers every post."""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


def serve(log: Path) -> None:
    """Serve on a free port of loopback, printed first; each accepted post becomes a line of the log."""
    accepted: set[tuple[str, str]] = set()
    refused: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            known = (self.path, self.headers["Idempotency-Key"])
            fresh = known not in accepted
            if log.with_name("outage").exists() and not self.path.endswith("/deputy"):
                refused.append(known)
                if refused.count(known) > 1:  # the second time it does not even answer
                    self.close_connection = True
                    return
                fresh, status = False, 503
            else:
                status = 202 if fresh else 409
            if fresh:
                accepted.add(known)
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"run": self.path, **body}) + "\n")
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
