"""A labelling service in an environment of its own, which signs and verifies by the package standardwebhooks.

`take FOLDER PORT KEY...` keeps each message once, under its id. `give ADDRESS KEY FIRST LAST` posts deliveries of a
thousand labels each until every one was taken.
"""

import json
import sys
import time
from datetime import datetime, timezone
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

IN_ONE = 1000


def take(folder: str, port: str, *keys: str) -> None:
    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            body = self.rfile.read(length)
            if len(body) < length:  # whoever sent it was killed meanwhile, and hears no answer
                self.close_connection = True
                return
            name = self.headers["webhook-id"].replace(":", "_")
            if not any(verified(key, body, dict(self.headers)) for key in keys):
                status = 401
            elif (path := Path(folder, name)).exists():
                status = 208
            else:
                draft = Path(folder, f".{name}")
                draft.write_bytes(body)
                draft.rename(path)
                status = 201
            with Path(folder, ".answers").open("a") as log:
                log.write(f"{name} {status}\n")
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    HTTPServer(("127.0.0.1", int(port)), Service).serve_forever()


def verified(key: str, body: bytes, headers: dict[str, str]) -> bool:
    try:
        Webhook(key).verify(body, headers)
    except WebhookVerificationError:
        return False
    return True


def give(address: str, key: str, first: str, last: str) -> None:
    for number in range(int(first), int(last)):
        begun = number * IN_ONE
        labels = [{"key": f"k{item}", "value": "yes"} for item in range(begun, begun + IN_ONE)]
        body = json.dumps({"type": "labels.given", "data": {"labels": labels}})
        while not taken(address, Webhook(key), f"delivery-{number}", body):
            time.sleep(0.05)
        print(number, flush=True)


def taken(address: str, webhook: Webhook, name: str, body: str) -> bool:
    """Whether a delivery was taken; False where nobody answered, and it may have been."""
    now = datetime.now(tz=timezone.utc)  # noqa: UP017 - the package's own way
    headers = {"webhook-id": name, "webhook-timestamp": str(int(now.timestamp())), "content-type": "application/json"}
    headers["webhook-signature"] = webhook.sign(name, now, body)
    try:
        with urlopen(Request(address, body.encode(), headers), timeout=20) as answer:  # noqa: S310 - loopback
            return answer.status == 200
    except HTTPError as refusal:
        if refusal.code != 503:
            raise
        return False
    except (URLError, HTTPException, OSError):
        return False


if __name__ == "__main__":
    {"take": take, "give": give}[sys.argv[1]](*sys.argv[2:])
