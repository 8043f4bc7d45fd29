"""Every registered queue, and the backend on its other side."""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from stratawatch.adapters.queues import REGISTRY, sqs_broker
from stratawatch.adapters.queues.folder import FolderQueue
from stratawatch.adapters.queues.page import PageQueue
from stratawatch.adapters.queues.page_book import PageBook, add_answer
from stratawatch.engine.ports import LabelQueue
from stratawatch.web.app import COOKIE, _form_key, label_page
from tests.support.brokers import SHORTLY, FifoBackend, RabbitBackend, RedisBackend
from tests.support.buckets import bucket_backend
from tests.support.deaths import Steps
from tests.support.label_services import LabelService, WebhookBackend, served
from tests.support.label_studio import LabelStudioBackend
from tests.support.queue_backends import RootedBackend, post_and_leave, torn


@dataclass
class FolderBackend(RootedBackend):
    """An annotator who reads out/ and writes in/."""

    def steps(self) -> Steps:
        return [(os, name) for name in ("open", "mkdir", "fsync", "link", "replace", "unlink")]

    def unmarked(self) -> LabelQueue:
        return FolderQueue(self.root)

    def asked(self) -> list[dict]:
        lines = [
            json.loads(line)
            for file in sorted((self.root / "out").glob("*.jsonl"))
            for line in file.read_text().splitlines()
        ]
        return [line for line in lines if "key" in line]

    def answer(self, **said) -> None:
        self.give([said])

    def tear(self, share: float, **said) -> Callable[[], object]:
        """Write a part of a line; returns what writes the whole file."""
        line = json.dumps(said).encode()
        file = self.root / "in" / "torn.jsonl"
        file.write_bytes(torn(line, share))
        return lambda: file.write_bytes(line + b"\n")

    def give(self, answers: Sequence[dict]) -> None:
        """Answer much at once."""
        file = self.root / "in" / "ann.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as handle:
            handle.writelines(json.dumps(said) + "\n" for said in answers)


class PageBackend(FolderBackend):
    """People at the label page, whose words lie in its file."""

    def steps(self) -> Steps:
        return ()

    def unmarked(self) -> LabelQueue:
        return PageQueue(self.root)

    def asked(self) -> list[dict]:
        with PageBook(self.root).reading() as sql:
            rows = sql.execute(
                "SELECT key, item_key, question, payload FROM tasks JOIN batches ON batches.number = batch "
                "WHERE state = 'out' ORDER BY batch, position"
            ).fetchall()
        names = ("batch", "key", "question")
        return [{**dict(zip(names, row, strict=False)), "payload": json.loads(row[-1])} for row in rows]

    def tear(self, share: float, **said) -> Callable[[], object]:
        """Send a part of the page's form; returns what sends all of it."""
        book = PageBook(self.root)
        token, app = book.invite(said["annotator"]), label_page(book)
        with book.reading() as sql:
            (number,) = sql.execute("SELECT batch FROM tasks WHERE item_key = ?", (said["key"],)).fetchone()
        form = {"form_key": _form_key(token), "batch": number, "key": said["key"], "value": said["value"]}
        body = urlencode(form).encode()
        headers = {"content-type": "application/x-www-form-urlencoded", "cookie": f"{COOKIE}={token}"}
        assert post_and_leave(app, "/answer", headers, torn(body, share)) == 400
        return lambda: TestClient(app).post("/answer", content=body, headers=headers, follow_redirects=False)

    def give(self, answers: Sequence[dict]) -> None:
        PageBook(self.root).create()
        with PageBook(self.root).writing() as sql:
            for said in answers:
                add_answer(sql, json.dumps(said))


BACKENDS = {
    "broker": RedisBackend,
    "broker: RabbitMQ": RabbitBackend,
    "broker: SQS": FifoBackend,
    "bucket": bucket_backend,
    "folder": FolderBackend,
    "label_studio": LabelStudioBackend,
    "page": PageBackend,
    "webhook": WebhookBackend,
}
SERVED = {"broker", "broker: RabbitMQ", "broker: SQS", "label_studio"}
"""What is there under `make test-live` only: nothing stands in for it."""
HERE = [kind for kind in sorted({*REGISTRY, *BACKENDS}) if os.environ.get("TEST_LIVE") or kind not in SERVED]
REACHED = [
    kind for kind in HERE if kind == "webhook" or kind in SERVED or (kind == "bucket" and "TEST_LIVE" in os.environ)
]
"""Where a server is on the other side, to which the way can be cut."""
WORD_FOR_WORD = [kind for kind in HERE if kind != "label_studio"]
"""Where every statement stays as it was made; Label Studio keeps what people say now, with ids and times of its own."""


@pytest.fixture(params=HERE)
def backend(request, another_place):
    return another_place(request.param)


@pytest.fixture
def another_place(tmp_path, label_service):
    """Makes the backend of a queue of this kind at a place of its own, which does not exist yet."""
    numbers = count()

    def make(kind):
        more = [label_service()] if kind == "webhook" else []
        return BACKENDS[kind](tmp_path / str(next(numbers)) / "queue", *more)

    return make


@pytest.fixture
def impatient(monkeypatch):
    """What somebody read of SQS and did not keep is given again soon, and an empty queue is not looked at for long."""
    monkeypatch.setattr(sqs_broker, "HIDDEN_SECONDS", SHORTLY)
    monkeypatch.setattr(sqs_broker, "WAIT_SECONDS", 0)


@pytest.fixture
def label_service():
    """Starts the labelling service where it is asked for."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(served(LabelService()))
