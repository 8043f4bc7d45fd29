"""People who answer through the web process: on the label page, or by a labelling service's signed deliveries.

The web process is killed too, at both sides of each of its writes; who got no answer from it tries the same again.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final

import httpx

from benchmarks.chaos.annotator import LATE, NOBODY_ASKED, Annotator
from benchmarks.chaos.children import PATIENCE, under_fuse
from benchmarks.chaos.fuse import Orders
from benchmarks.chaos.world import RECEIVE_KEY, Tick
from stratawatch.adapters.queues.label_message import GIVEN
from stratawatch.adapters.queues.page_book import PageBook
from stratawatch.adapters.queues.webhook_book import WebhookBook
from stratawatch.adapters.webhook_signatures import signed_headers, signing_key
from stratawatch.web.label_receiver import PATH, label_receiver

IN_ONE: Final = 40
"""Labels of a delivery."""
MOST_DEATHS: Final = 20


@dataclass
class WebAnnotator(Annotator):
    """Answers through a web process, which dies where it has crossed a point and nobody has died there."""

    crossed: set[str] = field(default_factory=set)
    deaths: Counter[str] = field(default_factory=Counter)

    def ask_the_web_process(self, work: Callable[[int], Any]) -> Any:
        """Do it until a process survives; `work` is given how many writes those before it had finished."""
        finished = 0
        for _ in range(MOST_DEATHS):
            orders = Orders(targets=frozenset(self.crossed - set(self.deaths)))
            outcome = under_fuse(self.inbox.parent.parent, orders, partial(work, finished), PATIENCE)
            self.crossed.update(outcome.crossed)
            if not outcome.killed_at:
                return outcome.value
            self.deaths[outcome.killed_at] += 1
            finished += sum(point.endswith("after keep") for point in outcome.crossed)
        raise RuntimeError("no web process survived")


@dataclass
class ServiceAnnotator(WebAnnotator):
    """A labelling service: what was said goes out in deliveries, each sent until it is taken."""

    _text: str = ""
    _deliveries: int = 0

    def act(self, tick: Tick) -> None:
        super().act(tick)
        whole, _, self._text = self._text.rpartition("\n")
        lines = [line for line in whole.split("\n") if line]
        labels = [json.loads(line) for line in lines if line.startswith("{")]
        for begin in range(0, len(labels), IN_ONE):
            self._deliver(tick, json.dumps({"type": GIVEN, "data": {"labels": labels[begin : begin + IN_ONE]}}), 200)
        for broken in {*lines, self._text} - {line for line in lines if line.startswith("{")} - {""}:
            self._deliver(tick, broken, 400)

    def _append(self, tick: Tick, text: str) -> None:
        del tick
        self._text += text

    def _deliver(self, tick: Tick, body: str, expected: int) -> None:
        self._deliveries += 1
        name, at = f"delivery-{self._deliveries}", tick.at

        async def post() -> int:
            key = signing_key(RECEIVE_KEY, "the service's key")
            app = label_receiver(WebhookBook(self.inbox.parent), (key,), now=lambda: at)
            headers = {**signed_headers((key,), name, at, body.encode()), "content-type": "application/json"}
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://receiver") as client:
                return (await client.post(PATH, content=body.encode(), headers=headers)).status_code

        status = self.ask_the_web_process(lambda _: asyncio.run(post()))
        if status != expected:
            raise RuntimeError(f"the receiver answered {status} to {body[:200]}")


@dataclass
class PageAnnotator(WebAnnotator):
    """Somebody at the label page. What she said last can be taken back; the page takes no other correction."""

    _newest: str = ""
    _actions: list[tuple[str, str, str, str, datetime, bool]] = field(default_factory=list)
    """Who does what to which item, with which value, when, and whether the page is to take it."""

    def act(self, tick: Tick) -> None:
        super().act(tick)
        actions, self._actions = [(self.name, "look", "", "", tick.at, True), *self._actions], []
        if len(actions) == 1:
            return

        def click(finished: int) -> list[str]:
            book = PageBook(self.inbox.parent)
            return [str(one) for one in actions[finished:] if _done(book, *one[:5]) != one[5]]

        if wrong := self.ask_the_web_process(click):
            raise RuntimeError(f"the page took what it should not, or refused what it should take: {wrong}")

    def _write(self, tick: Tick, line: dict[str, Any]) -> None:
        del tick
        at, who = datetime.fromisoformat(line["at"]), line["annotator"]
        if line["value"] == "retract":
            self._actions.append((who, "undo", line["key"], "", at, True))
        else:
            self._actions.append((who, "answer", line["key"], line["value"], at, True))
            self._newest = line["key"] if who == self.name else self._newest

    def _append(self, tick: Tick, text: str) -> None:
        """Nothing is torn in a form: it arrives or it does not."""

    def _tear(self, tick: Tick, waiting: list[str], tasks: dict[str, str]) -> None:
        """Nor does she begin an answer that she does not finish."""

    def _disturb(self, tick: Tick) -> None:
        """An item that nobody asked about, one that she has answered, and an answer taken back."""
        self._actions.append((self.name, "answer", NOBODY_ASKED, "yes", tick.at, False))
        self._actions.append((self.name, "answer", self._newest, "yes", tick.at, False))
        self._take_back(tick, "no")

    def _change_minds(self, tick: Tick) -> None:
        for number in range(LATE):
            self._take_back(tick, "yes" if number % 2 else "no")

    def _take_back(self, tick: Tick, value: str) -> None:
        key = self._newest
        self._write(tick, self._statement(tick, key, "retract"))
        self._write(tick, self._statement(tick, key, value))


def _done(book: PageBook, who: str, what: str, key: str, value: str, at: datetime) -> bool:
    name = f"{what} {key} {at.isoformat()}"
    if what == "undo":
        return book.undo(who, at, name)
    if what == "look":
        return book.next_question(who, 1, at) is not None or True
    return book.answer(who, key, value, 1, at, name)
