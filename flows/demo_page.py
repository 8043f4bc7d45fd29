"""The demo's annotator at the label page: the page is served, and its forms are filled in and sent."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from html import unescape
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from stratawatch.adapters.queues.page_book import PageBook
from stratawatch.demo.annotator import Annotator
from stratawatch.errors import StratawatchError
from stratawatch.web.app import guarded, label_page

if TYPE_CHECKING:
    from starlette.types import ASGIApp

LONGEST_START: Final = 30.0
_FIELD: Final = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
_SHOWN: Final = re.compile(r"<dd><bdi>(.*?)</bdi></dd>", re.DOTALL)


@contextmanager
def served(app: "ASGIApp") -> Iterator[str]:
    """Serve an app on loopback, at the address that this yields, until the block ends."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", access_log=False))
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    end = monotonic() + LONGEST_START
    while not server.started:
        if monotonic() > end or not thread.is_alive():
            raise StratawatchError("the label page did not start")
        sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@dataclass(frozen=True)
class PageAnnotator:
    """Labels all that the page shows, as the annotator would who reads a folder."""

    root: Path
    annotator: Annotator

    def answer(self, now: datetime) -> int:
        """Answer until nothing is left, at that time; returns the number of answers."""
        import httpx

        book = PageBook(self.root)
        link = f"/enter/{book.invite(self.annotator.name)}"
        answered = 0
        with (
            served(guarded(label_page(book, now=lambda: now))) as address,
            httpx.Client(base_url=address, follow_redirects=True, trust_env=False) as browser,
        ):
            page = browser.get(link).raise_for_status().text
            while "key" in (fields := {name: unescape(value) for name, value in _FIELD.findall(page)}):
                value = self.annotator.value(fields["key"], shown_text(page))
                page = browser.post("/answer", data={**fields, "value": value}).raise_for_status().text
                answered += 1
        return answered


def shown_text(page: str) -> str:
    """The text of the item that a page shows."""
    found = _SHOWN.search(page)
    if found is None:
        raise StratawatchError("the label page shows nothing of an item")
    return unescape(found[1]).strip()
