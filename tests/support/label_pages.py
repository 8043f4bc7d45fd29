"""A label page to look at: its queue, a clock, and people with their browsers."""

import re
from datetime import UTC, datetime

from starlette.testclient import TestClient

from stratawatch.adapters.queues.page import PageQueue
from stratawatch.adapters.queues.page_book import PageBook
from stratawatch.engine.model.label_events import Batch, LabelTask
from stratawatch.engine.model.states import BatchState
from stratawatch.web.app import guarded, label_page
from stratawatch.web.payload_view import AllowedHosts

NOW = datetime(2026, 1, 5, 10, tzinfo=UTC)


def batch(*items, key="spam-p00000-r1-b1", payload=None):
    tasks = tuple(LabelTask(item, payload or {"text": f"text of {item}"}) for item in items)
    return Batch(1, 1, key, BatchState.PLANNED, 0, "Is it spam?", "Read it twice.", tasks, "q1")


class Page:
    """A page with its queue, a clock, and people with their browsers."""

    def __init__(self, root, votes=1, hosts=AllowedHosts()):  # noqa: B008 - it is frozen
        self.queue, self.book = PageQueue(root), PageBook(root)
        self.queue.adopt("ours")
        self.now = NOW
        self.app = guarded(label_page(self.book, votes=votes, hosts=hosts, now=lambda: self.now), hosts.images)

    def stranger(self):
        return TestClient(self.app, base_url="https://label.example.org")

    def browser(self, name):
        client = self.stranger()
        assert client.get(f"/enter/{self.book.invite(name)}").status_code == 200
        return client

    def words(self):
        return [(event.item_key, event.annotator, event.value) for event in self.queue.poll({}).events]


def fields(shown):
    """What the page's forms hold, hidden."""
    return dict(re.findall(r'name="(form_key|key|batch)" value="([^"]*)"', shown.text))


def say(client, value, **more):
    return client.post("/answer", data={**fields(client.get("/")), "value": value, **more})


def left(client):
    return [int(n) for n in re.findall(r"<strong>(\d+)</strong>", client.get("/").text)]
