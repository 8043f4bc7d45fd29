"""What a Label Studio queue says when the server refuses, or is none. What it does is in tests/live/label_studio."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from pydantic import SecretStr

from stratawatch.adapters.adapter_settings import BuildContext
from stratawatch.adapters.queues import label_studio_api
from stratawatch.adapters.queues.label_studio import LabelStudioQueue, LabelStudioSettings
from stratawatch.adapters.queues.label_studio_api import LabelStudioApi
from stratawatch.errors import ConfigError, StratawatchError, Unreachable
from tests.support.batches import batch

TOKEN = "hunter2hunter2"


@pytest.fixture
def answers():
    """What the server answers: a status and a body."""
    return {"status": 200, "body": b"{}"}


@pytest.fixture
def queue(tmp_path, answers):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(answers["status"])
            self.send_header("Content-Length", str(len(answers["body"])))
            self.end_headers()
            self.wfile.write(answers["body"])

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        api = LabelStudioApi(f"http://127.0.0.1:{server.server_address[1]}", SecretStr(TOKEN), 5)
        queue = LabelStudioQueue(tmp_path / "queue", api)
        queue.adopt("ours")
        yield queue
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, b'{"detail": "Invalid token."}', "HTTP 401: Invalid token.*token is right"),
        (403, b"{}", "HTTP 403.*allowed to create projects"),
        (404, b"<html>", "HTTP 404.*project was deleted"),
        (413, b"", "HTTP 413.*payload be smaller"),
        (200, b"<html>welcome</html>", "did not answer GET /api/projects/ with JSON.*release 1.23"),
        (502, b"", "HTTP 502"),
        (302, b"", "redirects are not followed"),
    ],
)
def test_a_refusal_is_one_sentence_that_says_what_to_do(queue, answers, status, body, words):
    answers.update(status=status, body=body)
    with pytest.raises(StratawatchError, match=f"(?s){words}") as caught:
        queue.publish(batch())
    assert TOKEN not in str(caught.value)


def test_an_answer_without_end_is_not_read(queue, answers, monkeypatch):
    monkeypatch.setattr(label_studio_api, "MOST_BYTES", 1000)
    answers["body"] = b" " * 1001
    with pytest.raises(Unreachable, match="more than 1,000 bytes"):
        queue.describe()


def test_an_address_without_encryption_is_refused(monkeypatch):
    monkeypatch.setenv("LS_TOKEN", TOKEN)
    settings = LabelStudioSettings(kind="label_studio", url="http://labels.example.org", token="${env:LS_TOKEN}")
    with pytest.raises(ConfigError, match="unencrypted"):
        settings.build(BuildContext(Path()))


def test_a_token_in_the_configuration_itself_is_refused():
    with pytest.raises(ValueError, match="token"):
        LabelStudioSettings(kind="label_studio", url="https://labels.example.org", token=TOKEN)
