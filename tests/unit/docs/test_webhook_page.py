"""The page of the webhook queue: its programs work, and its OpenAPI document says what is really sent and answered."""

import json
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from threading import Thread

import pytest
import uvicorn
import yaml
from jsonschema import Draft202012Validator

from stratawatch.engine.model.label_events import Batch, LabelTask
from stratawatch.engine.model.states import BatchState
from stratawatch.web import label_receiver as receiver
from tests.support.label_services import RECEIVE, SEND, LabelService, WebhookBackend, given, served, written
from tests.support.programs import ROOT, environment

PAGE = (ROOT / "docs/webhook-queue.md").read_text(encoding="utf-8")
TAKE, GIVE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
DOCUMENT = yaml.safe_load((ROOT / "docs/webhook-queue.openapi.yaml").read_text(encoding="utf-8"))
POSTED = DOCUMENT["paths"][receiver.PATH]["post"]
BATCH = Batch(7, 3, "spam-p00000-r1-b1", BatchState.PLANNED, 0, "Is it?", "Read it.", (LabelTask("3f0c", {"x": 1}),))


def schema(name):
    """A part of the document, with what it refers to."""
    part = DOCUMENT["components"]["schemas"][name]
    return Draft202012Validator({**part, "components": DOCUMENT["components"]})


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def ended(process):
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(true, seconds=20):
    """Wait for something to be true; it may raise OSError until then."""
    over = time.monotonic() + seconds
    while True:
        with suppress(OSError):
            if true():
                return
        assert time.monotonic() < over
        time.sleep(0.02)


class TestPrograms:
    def test_the_receiver_keeps_each_batch_once_and_nothing_unsigned(self, tmp_path):
        port = free_port()
        backend = WebhookBackend(tmp_path / "queue", LabelService(url=f"http://127.0.0.1:{port}/"))
        inbox = tmp_path / "inbox"
        inbox.mkdir()
        changes = {"PORT": str(port), "LABELS_SEND_KEY": written(SEND)}
        with ended(subprocess.Popen([sys.executable, "-c", TAKE], cwd=inbox, env=environment(changes))):
            until(lambda: socket.create_connection(("127.0.0.1", port)).close() is None)
            backend.queue().publish(BATCH)
            backend.queue()._note_sent(BATCH.key, "", 0)  # as if the process had died before that was noted
            backend.queue().publish(BATCH)
            with pytest.raises(Exception, match="401"):
                backend.unmarked(RECEIVE).publish(Batch(8, 3, "b", BatchState.PLANNED, 0, "", "", BATCH.tasks))
        (file,) = inbox.iterdir()
        assert file.name == f"{BATCH.key}.json"
        assert json.loads(file.read_text())["data"]["tasks"] == [{"key": "3f0c", "payload": {"x": 1}}]

    def test_the_sender_gives_labels(self, tmp_path):
        backend = WebhookBackend(tmp_path / "queue", LabelService(url="https://labels.example.org"))
        backend.queue()
        port = free_port()
        config = uvicorn.Config(
            receiver.label_receiver(backend.book, [RECEIVE]), host="127.0.0.1", port=port, log_level="error"
        )
        server = uvicorn.Server(config)
        thread = Thread(target=server.run)
        thread.start()
        until(lambda: server.started)
        changes = {"ADDRESS": f"http://127.0.0.1:{port}{receiver.PATH}", "LABELS_RECEIVE_KEY": written(RECEIVE)}
        subprocess.run([sys.executable, "-c", GIVE], env=environment(changes), check=True, timeout=60)
        server.should_exit = True
        thread.join()
        (event,) = backend.queue().poll({}).events
        assert (event.item_key, event.value, event.annotator) == ("3f0c", "yes", "kim")


class TestOpenApi:
    @pytest.mark.parametrize("name", DOCUMENT["components"]["schemas"])
    def test_every_schema_is_one(self, name):
        Draft202012Validator.check_schema(DOCUMENT["components"]["schemas"][name])

    def test_every_reference_leads_somewhere_and_everything_is_referred_to(self):
        text = (ROOT / "docs/webhook-queue.openapi.yaml").read_text(encoding="utf-8")
        referred = set(re.findall(r'"#/components/(\w+)/(\w+)"', text))
        parts = {(kind, name) for kind, names in DOCUMENT["components"].items() for name in names}
        assert referred == parts

    def test_it_has_the_routes_that_there_are(self, tmp_path):
        backend = WebhookBackend(tmp_path, LabelService())
        routes = receiver.label_receiver(backend.book, [RECEIVE]).routes
        assert {(route.path, *sorted(route.methods)) for route in routes} == {
            (path, *(method.upper() for method in methods)) for path, methods in DOCUMENT["paths"].items()
        }

    def test_it_and_the_page_have_the_answers_that_there_are(self):
        source = Path(receiver.__file__).read_text(encoding="utf-8")
        given_there = {"200", *re.findall(r"_Refused\((\d{3}),", source), *re.findall(r"}, (\d{3})\)", source)}
        assert set(POSTED["responses"]) == given_there
        table = PAGE.split("| answer | means |")[1].split("## ")[0]
        assert set(re.findall(r"\b\d{3}\b", table)) == given_there
        assert all(HTTPStatus(int(status)) for status in given_there)

    def test_what_is_sent_has_its_schemas(self, tmp_path):
        with served(LabelService()) as service:
            queue = WebhookBackend(tmp_path / "queue", service).queue()
            queue.publish(BATCH)
            queue.cancel([BATCH.key])
        published, withdrawn = ((headers, json.loads(body)) for headers, body in service.requests)
        schema("batch_published").validate(published[1])
        schema("batch_ended").validate(withdrawn[1])
        for headers, _ in (published, withdrawn):
            for parameter in DOCUMENT["components"]["parameters"].values():
                Draft202012Validator(parameter["schema"]).validate(headers[parameter["name"]])

    def test_what_is_answered_has_its_schemas(self, tmp_path):
        backend = WebhookBackend(tmp_path / "queue", LabelService(url="https://labels.example.org"))
        backend.queue()
        schema("kept").validate(backend.post(given()).json())
        schema("reason").validate(backend.post(b"").json())

    @pytest.mark.parametrize("value", ["yes", "no", "skip", "retract", 1, 0, True, "false", "1"])
    def test_labels_that_have_the_schema_count(self, tmp_path, value):
        backend = WebhookBackend(tmp_path / "queue", LabelService(url="https://labels.example.org"))
        backend.queue()
        label = {"key": "k1", "value": value, "annotator": "kim", "at": "2026-01-05T10:00:00Z", "event_id": "e"}
        schema("labels_given").validate(json.loads(given(label)))
        backend.post(given(label))
        assert len(backend.queue().poll({}).events) == 1
