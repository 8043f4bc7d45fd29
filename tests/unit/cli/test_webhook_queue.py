"""The webhook queue by command: what `web` serves, and what it asks for."""

import pytest
import uvicorn
from starlette.testclient import TestClient

from tests.support.label_services import RECEIVE, SEND, LabelService, WebhookBackend, written

QUEUE = """
[queue]
kind = "webhook"
url = "${env:LABELS_URL}"
send_key = "${env:LABELS_SEND}"
receive_key = "${env:LABELS_RECEIVE}"
"""


@pytest.fixture
def hooked(fresh, monkeypatch):
    fresh.configure(more=QUEUE)
    for name, key in (("SEND", SEND), ("RECEIVE", RECEIVE)):
        monkeypatch.setenv(f"LABELS_{name}", written(key))
    monkeypatch.setenv("LABELS_URL", "https://labels.example.org/hook")
    return fresh


def test_web_needs_the_file_that_the_first_advance_makes(hooked):
    assert "`stratawatch advance` makes it" in hooked.run("web", code=2).stderr


def test_web_takes_labels_and_needs_no_key_of_ours(hooked, monkeypatch):
    WebhookBackend(hooked.folder / "queue", LabelService(url="https://labels.example.org")).queue()
    monkeypatch.delenv("LABELS_SEND")
    served = []
    monkeypatch.setattr(uvicorn, "run", lambda app, **_: served.append(TestClient(app)))
    address = hooked.json("web", "--port", "8643")["parts"]["receiver of labels"]
    assert address == "http://127.0.0.1:8643/labels/webhook"
    answer = served[0].post(address, content=b"{}", headers={"content-type": "application/json"})
    assert (answer.status_code, answer.headers["cache-control"]) == (401, "no-store")
