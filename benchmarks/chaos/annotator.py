"""People who answer what is asked: late, twice, torn, wrong, changing their minds; the same way every time."""

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from benchmarks.chaos.places import FolderPlace, Place
from benchmarks.chaos.votes import NOBODY_AROUND, vote_of
from benchmarks.chaos.world import Tick

Statement = tuple[str, str, str, str]
"""Item key, annotator, value, time: unique by its time."""

NOBODY_ASKED: Final = "0" * 64
"""A key of the right form that no item has: its labels wait for ever."""
LATE: Final = 4
"""Verdicts that are changed after a window was judged."""


@dataclass
class Annotator:
    """Answers what is out, in files; `said` is what the store must hold in the end, each statement once."""

    place: Place
    inbox: Path
    name: str = "ann"
    said: Counter[Statement] = field(default_factory=Counter)
    answers: dict[str, str] = field(default_factory=dict)
    half_said: Counter[Statement] = field(default_factory=Counter)
    """What stands in a file without its line's end."""
    colleagues: tuple[str, ...] = ()
    """Who are there to give second and third votes."""
    _voted: set[tuple[str, str]] = field(default_factory=set)
    _torn: str = ""
    _lines: int = 0

    def act(self, tick: Tick) -> None:
        """Do what belongs to this moment."""
        tasks = self.place.asked()
        waiting = sorted(set(tasks) - set(self.answers))
        match tick.step:
            case "backfill" | "ask":
                self._answer(tick, [key for key in waiting if _luck(key) < 128], tasks)
                if tick.step == "ask":
                    self._tear(tick, waiting, tasks)
            case "half":
                self._answer(tick, waiting, tasks)
                self._disturb(tick)
            case "rest" | "rerun" | "votes":
                self._answer(tick, waiting, tasks)
            case "second" | "expire":
                self._change_minds(tick)
            case "silent":
                self._finish_torn(tick)
        if self.colleagues and tick.step not in NOBODY_AROUND:
            self._vote(tick, tasks)

    def _vote(self, tick: Tick, tasks: dict[str, str]) -> None:
        """Give the further votes that are asked for; one in four says otherwise than the text."""
        self._finish_torn(tick)
        for place, batch, key in sorted(self.place.lines()):
            if place != "out" or vote_of(batch) == 1 or (batch, key) in self._voted:
                continue
            self._voted.add((batch, key))
            name = next((one for one in self.colleagues if (one, key) not in self._voted), None)
            if name is not None:
                self._voted.add((name, key))
                value = "no" if _luck(f"{name} {key}") < 64 else _verdict(key, tasks[key])
                self._write(tick, self._statement(tick, key, value, name))

    def _answer(self, tick: Tick, keys: list[str], tasks: dict[str, str]) -> None:
        self._finish_torn(tick)
        for key in keys:
            self._write(tick, self._statement(tick, key, _verdict(key, tasks[key])))

    def _statement(self, tick: Tick, key: str, value: str, name: str = "") -> dict[str, Any]:
        """What is said, by a colleague if one is named; every second statement leaves its event id to the queue."""
        self._lines += 1
        at = (tick.at + timedelta(minutes=1, microseconds=self._lines)).isoformat()
        self.said[key, name or self.name, value, at] += 1
        if not name:
            self.answers[key] = value
        line = {"key": key, "value": value, "annotator": name or self.name, "at": at}
        return {**line, "event_id": f"e{self._lines}"} if self._lines % 2 else line

    def _write(self, tick: Tick, line: dict[str, Any]) -> None:
        self._append(tick, json.dumps(line) + "\n")

    def _tear(self, tick: Tick, waiting: list[str], tasks: dict[str, str]) -> None:
        """Write half of a line; its rest comes at the next moment."""
        left = [key for key in waiting if key not in self.answers]
        if left:
            before = self.said.copy()
            line = json.dumps(self._statement(tick, left[0], _verdict(left[0], tasks[left[0]]))) + "\n"
            self.half_said = self.said - before
            self._append(tick, line[:25])
            self._torn = line[25:]

    def _finish_torn(self, tick: Tick) -> None:
        self._append(tick, self._torn)
        self._torn = ""
        self.half_said.clear()

    def _disturb(self, tick: Tick) -> None:
        """What a queue must bear: rubbish, labels nobody asked for, the same event again, a word taken back."""
        self._append(tick, "rubbish\n\n")
        self._write(tick, {"key": NOBODY_ASKED, "value": "yes", "annotator": "ann", "event_id": f"x{tick.period}"})
        keys = sorted(self.answers)
        again = self._statement(tick, keys[0], "yes") | {"event_id": f"again-{tick.period}"}
        self._write(tick, again)
        self._write(tick, again)
        self._write(tick, self._statement(tick, keys[1], "retract"))
        self._write(tick, self._statement(tick, keys[1], "no"))

    def _change_minds(self, tick: Tick) -> None:
        for key in sorted(key for key in self.answers if _luck(key) < 128)[: LATE * (tick.period + 1)]:
            self._write(tick, self._statement(tick, key, "no" if self.answers[key] == "yes" else "yes"))

    def _append(self, tick: Tick, text: str) -> None:
        self.inbox.mkdir(parents=True, exist_ok=True)
        with (self.inbox / f"ann-{tick.period}.jsonl").open("a", encoding="utf-8") as file:
            file.write(text)


def in_folder(queue: Path) -> Annotator:
    """Who reads `out/` of a queue's folder and writes `in/`."""
    return Annotator(FolderPlace(queue), queue / "in")


def _luck(key: str) -> int:
    return sha256(key.encode()).digest()[0]


def _verdict(key: str, text: str) -> str:
    if _luck(key) % 29 == 0:
        return "skip"
    return "yes" if text.startswith("buy") else "no"
