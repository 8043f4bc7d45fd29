"""A labelling service on the other side of a webhook queue: it answers on loopback, and posts labels as its own tool would."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from pydantic import SecretStr
from starlette.testclient import TestClient

from stratawatch.adapters.queues.webhook import WebhookQueue
from stratawatch.adapters.queues.webhook_book import WebhookBook
from stratawatch.adapters.secret_address import SecretAddress
from stratawatch.adapters.webhook_signatures import ID, is_signed, signed_headers
from stratawatch.web.label_receiver import PATH, label_receiver
from tests.support.deaths import Steps
from tests.support.queue_backends import RootedBackend, asked_after, post_and_leave, torn

SEND, OTHER_SEND, RECEIVE, OTHER_RECEIVE = (bytes([number]) * 32 for number in range(1, 5))
A_DELIVERY = 1000
"""Labels that are posted together."""


def written(key: bytes) -> str:
    """A key as a configuration has it."""
    return f"whsec_{b64encode(key).decode()}"


@dataclass
class LabelService:
    """What it was told, by ids that count once; `status` is its answer, or what makes it from a request's body."""

    keys: tuple[bytes, ...] = (SEND,)
    status: int | Callable[[bytes], int] = 200
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    messages: dict[str, dict] = field(default_factory=dict)
    url: str = ""

    def take(self, headers: dict[str, str], body: bytes) -> int:
        """The status of the answer to a request."""
        self.requests.append((headers, body))
        signed = (headers.get(name, "") for name in (ID, "webhook-timestamp", "webhook-signature"))
        if not is_signed(self.keys, *signed, body):
            return 401
        status = self.status if isinstance(self.status, int) else self.status(body)
        if 200 <= status < 300:
            self.messages.setdefault(headers[ID], json.loads(body))
        return status

    def asked(self) -> list[dict]:
        """A line for each item that people are asked about now, with all that is said of it."""
        return asked_after(self.messages.values())


@contextmanager
def served(service: LabelService) -> Iterator[LabelService]:
    """The service, listening on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            status = service.take({name.lower(): value for name, value in self.headers.items()}, body)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        service.url = f"http://127.0.0.1:{server.server_address[1]}/hook?token=hunter2"
        yield service
        server.shutdown()


def given(*labels: dict[str, Any]) -> bytes:
    """A delivery of labels."""
    return json.dumps({"type": "labels.given", "data": {"labels": labels}}).encode()


@dataclass
class WebhookBackend(RootedBackend):
    """A queue, its receiver of labels, and the service."""

    service: LabelService
    now: datetime | None = None

    def steps(self) -> Steps:
        return ((SecretAddress, "post_bytes"),)

    def unmarked(self, *keys: bytes, timeout: float = 10) -> WebhookQueue:
        address = SecretAddress("the labelling service", SecretStr(self.service.url), timeout=timeout)
        return WebhookQueue(self.root, address, keys or (SEND,))

    @property
    def port(self) -> int:
        """Of the service."""
        return urlsplit(self.service.url).port

    def by_way_of(self, port: int) -> WebhookQueue:
        """The queue, which reaches the service by another port."""
        url = self.service.url.replace(f":{self.port}", f":{port}")
        return WebhookQueue(self.root, SecretAddress("the labelling service", SecretStr(url)), (SEND,))

    @property
    def book(self) -> WebhookBook:
        return WebhookBook(self.root)

    def client(self, *keys: bytes, **more: Any) -> TestClient:
        """Who talks to the receiver of labels."""
        now = self.now or datetime.now(UTC)
        return TestClient(label_receiver(self.book, keys or (RECEIVE,), now=lambda: now, **more))

    def post(self, body: bytes, *, delivery: str | None = None, key: bytes = RECEIVE, **headers: str) -> Any:
        """The receiver's answer to a delivery."""
        signed = signed_headers([key], delivery or uuid4().hex, self.now or datetime.now(UTC), body)
        return self.client().post(PATH, content=body, headers={"content-type": "application/json", **signed, **headers})

    def asked(self) -> list[dict]:
        return self.service.asked()

    def answer(self, **said: Any) -> None:
        self.give([said])

    def tear(self, share: float, **said: Any) -> Callable[[], object]:
        """Post a part of a delivery, and one that was cut on its way; returns what posts it whole."""
        body, delivery = given(said), uuid4().hex
        headers = {"content-type": "application/json", **signed_headers([RECEIVE], delivery, datetime.now(UTC), body)}
        receiver = label_receiver(self.book, (RECEIVE,))
        assert post_and_leave(receiver, PATH, headers, torn(body, share)) == 400
        assert TestClient(receiver).post(PATH, content=torn(body, share), headers=headers).status_code == 401
        return lambda: self.post(body, delivery=delivery)

    def give(self, answers: Sequence[dict[str, Any]]) -> None:
        """Answer much at once."""
        self.book.create()
        for begin in range(0, len(answers), A_DELIVERY):
            assert self.post(given(*answers[begin : begin + A_DELIVERY])).status_code == 200
