"""A week of the demo, labelled on the page by clicks in chromium, beside one that is labelled in the folder."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

import flows  # noqa: F401 - sets Prefect's environment before Prefect is imported
from flows.demo_page import served
from stratawatch.adapters.queues.page_book import PageBook
from stratawatch.demo.annotator import Annotator
from stratawatch.web.app import guarded, label_page
from tests.live.page.conftest import chromium, wait_for_other
from tests.support.played_demo import demo_world, play_demo_week

LABELS = 200


@dataclass(frozen=True)
class InBrowser:
    """Clicks what the annotator would say of what the tab shows."""

    root: Path
    annotator: Annotator

    def answer(self, now):
        book = PageBook(self.root)
        answered = 0
        with (
            served(guarded(label_page(book, now=lambda: now))) as address,
            sync_playwright() as driver,
        ):
            tab = chromium(driver).new_page()
            tab.goto(f"{address}/enter/{book.invite(self.annotator.name)}")
            while shown := tab.query_selector("input[name=key]"):
                key = shown.get_attribute("value")
                value = self.annotator.value(key, tab.inner_text("section.item dd").strip())
                tab.click(f"button[value={value}]")
                wait_for_other(tab, key)
                answered += 1
        return answered


@pytest.fixture(scope="module")
def prefect_server():
    from prefect.testing.utilities import prefect_test_harness

    from flows.local_runs import without_heartbeats

    with prefect_test_harness(server_startup_timeout=120), without_heartbeats():
        yield


@pytest.fixture(scope="module")
def played(prefect_server, tmp_path_factory):
    """What the store holds after a week: verdicts by item, and estimates."""
    world = demo_world(tmp_path_factory.mktemp("world"))

    def play(how):
        folder = tmp_path_factory.mktemp(how)

        def in_browser(by_forms):
            return InBrowser(folder / "queue", by_forms.annotator)

        with pytest.MonkeyPatch.context() as patch:
            queue = "folder" if how == "folder" else "page"
            return play_demo_week(world, folder, queue, LABELS, patch, in_browser if how == "browser" else None)

    return {how: play(how) for how in ("folder", "page", "browser")}


@pytest.mark.parametrize("how", ["page", "browser"])
def test_the_page_gives_the_same_verdicts_and_estimates_as_the_folder(played, how):
    assert len(played["folder"][0]) == LABELS
    assert played[how] == played["folder"]
