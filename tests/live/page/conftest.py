"""The label page behind a real server, and Debian's chromium to look at it."""

import os
import shutil
import site
import sys
from collections import Counter
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import pytest
import uvicorn

from stratawatch.adapters.queues.page import PageQueue
from stratawatch.adapters.queues.page_book import PageBook
from stratawatch.engine.model.label_events import Batch, LabelTask
from stratawatch.engine.model.states import BatchState
from stratawatch.web.app import guarded, label_page
from stratawatch.web.payload_view import AllowedHosts
from tests.support.moto_server import PYTHON

# Playwright is in the environment that `make test-live` makes, of the same Python as this one.
site.addsitedir(str(PYTHON.parents[1] / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"))

from playwright.sync_api import sync_playwright

SHOTS = Path(__file__).parents[3] / "live-out" / "page"
"""Where screenshots are kept for people to look at; git ignores it."""
REST = 120
"""Milliseconds after which a key is meant for the item that is shown."""


class ServedPage:
    """A page with its queue, served at an address of its own until `end`."""

    def __init__(self, root, votes=1, hosts=AllowedHosts()):  # noqa: B008 - it is frozen
        self.queue, self.book = PageQueue(root), PageBook(root)
        self.queue.adopt("ours")
        app = guarded(label_page(self.book, votes=votes, hosts=hosts), hosts.images)
        config = uvicorn.Config(app, port=0, log_level="warning", access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = Thread(target=self._server.run, daemon=True)
        self._thread.start()
        deadline = monotonic() + 30
        while not self._server.started:
            assert monotonic() < deadline
            sleep(0.02)
        self.address = f"http://127.0.0.1:{self._server.servers[0].sockets[0].getsockname()[1]}"

    def end(self):
        self._server.should_exit = True
        self._thread.join()

    def ask(self, payloads, question="Is it spam?", guideline="Spam is what nobody asked for.", key="b1"):
        tasks = tuple(LabelTask(f"{key}-{number}", payload) for number, payload in enumerate(payloads))
        self.queue.publish(Batch(1, 1, key, BatchState.PLANNED, 0, question, guideline, tasks, "q1"))

    def link(self, name):
        return f"{self.address}/enter/{self.book.invite(name)}"

    def said(self):
        """What was answered so far, as advance will read it."""
        found, cursor = [], {}
        while (part := self.queue.poll(cursor)).events:
            assert not part.rejected
            found += [(event.item_key, event.annotator, event.value) for event in part.events]
            cursor = part.cursor
        return found

    def values(self):
        return [value for _, _, value in self.said()]


def chromium(driver):
    """Debian's, without its sandbox where a test runs as root, as in a container."""
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    return driver.chromium.launch(executable_path=shutil.which("chromium"), args=options)


@pytest.fixture
def serve(tmp_path):
    """Start pages that end with the test."""
    pages = []

    def start(**options):
        pages.append(ServedPage(tmp_path / f"queue-{len(pages)}", **options))
        return pages[-1]

    yield start
    for page in pages:
        page.end()


@pytest.fixture
def page(serve):
    return serve()


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as driver:
        yield chromium(driver)


class Watched:
    """A tab, and whatever it did that it should not: dialogs, windows, errors, requests to elsewhere."""

    def __init__(self, browser, page, **options):
        self.context = browser.new_context(viewport={"width": 1440, "height": 900}, **options)
        self.tab = self.context.new_page()
        self.wrong = []
        self.statuses = Counter()
        self.tab.on("dialog", lambda dialog: (self.wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
        self.tab.on("console", lambda line: self.wrong.append(line.text) if line.type == "error" else None)
        self.tab.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.context.on("page", lambda other: self.wrong.append(f"window {other.url}"))
        self.context.on(
            "request",
            lambda request: None if request.url.startswith(page.address) else self.wrong.append(request.url),
        )
        self.context.on("response", lambda response: self.statuses.update([response.status]))

    def item(self):
        """The item that is shown; None where there is none."""
        shown = self.tab.query_selector("input[name=key]")
        return shown.get_attribute("value") if shown else None

    def press(self, key):
        """Press a key, and wait for what it brings."""
        before = self.item()
        self.tab.wait_for_timeout(REST)
        self.tab.keyboard.press(key)
        wait_for_other(self.tab, before)

    def screenshot(self, name):
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.tab.screenshot(path=SHOTS / f"{name}.png", full_page=True)


def wait_for_other(tab, before):
    """Wait until another item than `before` is there, or none."""
    tab.wait_for_function(
        "before => { const shown = document.querySelector('input[name=key]');"
        " return document.readyState === 'complete' && (shown ? shown.value : null) !== before }",
        arg=before,
    )


@pytest.fixture
def visit(browser):
    """Open a page as an annotator, in a browser of his own."""
    contexts = []

    def open_page(page, name="ann", **options):
        watched = Watched(browser, page, **options)
        contexts.append(watched.context)
        watched.tab.goto(page.link(name))
        return watched

    yield open_page
    for context in contexts:
        context.close()
