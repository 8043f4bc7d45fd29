"""An installation whose channels fail on purpose, and what their receivers heard of each incident."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from stratawatch.core.alarms.alarm_states import AlarmState, BlindCause, Judgement
from stratawatch.core.goals import Limit
from stratawatch.core.population import Segment
from stratawatch.engine.alarms.alarm_streams import record_judgements, watched_streams
from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.model.alarm_records import Incident, Notification, StandingAlert, StreamKey
from stratawatch.engine.model.evidence_records import Page
from stratawatch.engine.model.label_events import Receipt
from stratawatch.engine.ports import AlertChannel
from stratawatch.errors import NoAnswer, NoConnection, Unreachable
from tests.contracts.alerts.conftest import BACKENDS, OTHER_WAYS
from tests.support.fakes import MONDAY, spec
from tests.support.scenario import new_scenario, open_all

FAULTS: Final = ("down", "slow", "5xx", "accepted twice", "killed before it", "killed after it")
"""What may become of a send."""
OF_JUDGEMENTS, OF_LEVELS = "killed before the commit", "restarted empty"
"""What may become of the transaction that opens incidents, and of a receiver that keeps nothing."""
OFTEN: Final = 0.25
"""How often a send fails, while faults are left to be injected."""
LONGEST_OUTAGE: Final = 4
"""Sends in a row that one outage may take."""
LEVEL: Final = "alertmanager"
KEY: Final = re.compile(r"stratawatch:[^\"\s\\]*?(?:breach|blind:[a-z-]+):\d+\.\d+")
CAUSES: Final = (BlindCause.NO_LABELS, BlindCause.FEW_LABELS)
COUNTRIES: Final = (None, Segment("country", "DE"), Segment("country", "FR"))


class Killed(BaseException):
    """The process ends here: nothing of ours catches it."""


class Faults:
    """Draws what happens to each send, until enough has happened."""

    def __init__(self, number: int, rng: np.random.Generator) -> None:
        self.left, self.rng = number, rng
        self.injected: Counter[str] = Counter()
        self._outage: dict[str, int] = {}

    def draw(self, channel: str, kinds: Sequence[str]) -> str:
        """A fault, or nothing; an outage of a channel goes on for a few sends."""
        if self.left and self._outage.get(channel, 0):
            self._outage[channel] -= 1
            return self.inject("down")
        if not self.left or self.rng.random() >= OFTEN:
            return ""
        kind = kinds[int(self.rng.integers(len(kinds)))]
        if kind == "down":
            self._outage[channel] = int(self.rng.integers(LONGEST_OUTAGE))
        return self.inject(kind)

    def inject(self, kind: str) -> str:
        """Count a fault."""
        self.left -= 1
        self.injected[kind] += 1
        return kind


class FaultyChannel:
    """A channel between the engine and a receiver, on which sends fail as drawn."""

    def __init__(self, name: str, backend: Any, faults: Faults) -> None:
        self.name, self._backend, self._faults = name, backend, faults
        self._channel: Any = backend.channel()

    def send(self, notification: Notification) -> Receipt:
        """Send through the real adapter, or fail."""
        receipt: Receipt = self._failing(FAULTS, lambda: self._channel.send(notification))
        return receipt

    def _failing(self, kinds: Sequence[str], call: Callable[[], Any]) -> Any:
        kind = self._faults.draw(self.name, kinds)
        if kind == "down":
            raise NoConnection(f"{self.name} is down")
        if kind == "killed before it":
            raise Killed
        if kind == "5xx":
            with self._answering_503():
                return call()
        done = call()
        if kind == "accepted twice":  # by a process that knew nothing of the first
            self._forget()
            done = call()
        elif kind == "slow":
            raise NoAnswer(f"{self.name} did not answer in time")  # as the engine says after its time limit
        elif kind == "killed after it":
            # The adapter's own file may have been written or not.
            if self._faults.rng.random() < 0.5:
                self._forget()
            raise Killed
        return done

    def _forget(self) -> None:
        for path in (self._backend.folder / ".stratawatch").glob("sent-*"):
            path.unlink()
        self._channel = self._backend.channel()

    @contextmanager
    def _answering_503(self) -> Iterator[None]:
        service = getattr(self._backend, "service", None)
        if service is None:  # a mail server
            raise NoConnection(f"{self.name} says 451")
        service.broken = 503, "later"
        try:
            yield
        finally:
            service.broken = None


class FaultyLevelChannel(FaultyChannel):
    """A channel whose receiver is told at each advance of all that is open."""

    def assert_open(self, alerts: Sequence[StandingAlert], lasts: Any) -> None:
        """Assert through the real adapter, or fail."""
        self._failing(("down", "slow", "5xx", "killed before it"), lambda: self._channel.assert_open(alerts, lasts))


class CredulousChannel(FaultyChannel):
    """A control: it takes a refusal for a receipt."""

    def send(self, notification: Notification) -> Receipt:
        """Send, and believe that it arrived unless the process dies."""
        try:
            return super().send(notification)
        except Unreachable:
            return Receipt("believed")


class ForgetfulChannel(FaultyChannel):
    """A control: it sends under a new key each time, so that no receiver notices what it has."""

    def send(self, notification: Notification) -> Receipt:
        """Send under a key of its own."""
        name = self._faults.rng.bytes(8).hex()
        return super().send(replace(notification, key=name))


CONTROLS: Final[dict[str, type[FaultyChannel]]] = {"credulous": CredulousChannel, "forgetful": ForgetfulChannel}


@dataclass
class World:
    """An installation with a channel of each kind that has a receiver, and what was judged."""

    folder: Path
    faults: Faults
    stack: ExitStack
    control: str = ""
    backends: dict[str, Any] = field(default_factory=dict)
    revision: int = 0

    def __post_init__(self) -> None:
        limits = [Limit(metric, floor=0.5, segment=where) for metric in ("precision", "recall") for where in COUNTRIES]
        self.scenario = new_scenario(self.folder / "store.db", spec(limits=tuple(limits)))
        self.stack.callback(self.scenario.ports.store.dispose)  # type: ignore[attr-defined]
        for name, kind in (BACKENDS | OTHER_WAYS).items():
            if name != "console":  # which no network parts from us
                place = self.folder / name.replace(": ", "-")
                place.mkdir()
                self.backends[place.name] = kind(place)
                self.stack.callback(self.backends[place.name].close)
        (self.cycle_id,) = open_all(self.scenario)
        self.start()

    def start(self) -> None:
        """A new process: it knows only what is kept."""
        kind = CONTROLS.get(self.control, FaultyChannel)
        channels: dict[str, AlertChannel] = {
            name: (FaultyLevelChannel if name == LEVEL else kind)(name, backend, self.faults)
            for name, backend in self.backends.items()
        }
        self.scenario.ports = replace(self.scenario.ports, channels=channels)

    def judge(self, breached: Sequence[StreamKey], over: Sequence[StreamKey], blind: Sequence[StreamKey] = ()) -> None:
        """Judge the window once more: open incidents, end others. The process may die before it is committed."""
        self.revision += 1
        said = dict.fromkeys(over, Judgement(AlarmState.OK, "inside its limit"))
        cause = CAUSES[int(self.faults.rng.integers(len(CAUSES)))]
        said |= dict.fromkeys(blind, Judgement(AlarmState.BLIND, "nothing can be told", cause))
        said |= dict.fromkeys(breached, Judgement(AlarmState.BREACH, "proven below its floor"))
        pages = dict.fromkeys(breached, Page("window", "outside", MONDAY))
        killed = bool(self.faults.left) and self.faults.rng.random() < OFTEN / 2
        ports = self.scenario.ports
        for dies in (True, False) if killed else (False,):
            with ports.store.begin() as tx:
                record_judgements(tx, ports, tx.cycles.get(self.cycle_id), self.revision, said, pages=pages)
                if dies:
                    self.faults.inject(OF_JUDGEMENTS)
                else:
                    tx.commit()

    def advance(self) -> None:
        """Send what is due; a process that is killed is started anew at the next advance."""
        if self.faults.left and self.faults.rng.random() < OFTEN / 4:
            self.faults.inject(OF_LEVELS)
            self.backends[LEVEL].restart()
        self.scenario.clock.advance(minutes=5)
        try:
            send_notifications(self.scenario.ports)
        except Killed:
            self.start()

    def drain(self) -> None:
        """Advance without faults until nothing waits."""
        self.faults.left = 0
        for _ in range(200):
            self.scenario.clock.advance(minutes=30)
            self.advance()
            if not self.waiting():
                return
        raise AssertionError("notifications wait though nothing fails")

    def streams(self) -> list[StreamKey]:
        """Every stream that has a limit, in order."""
        return sorted(watched_streams(self.scenario.panel), key=str)

    def incidents(self) -> tuple[Incident, ...]:
        """All that were opened."""
        with self.scenario.ports.store.begin() as tx:
            return tx.alarms.incidents()

    def waiting(self) -> set[str]:
        """The keys of incidents that a channel has still to be told of, or the end of."""
        with self.scenario.ports.store.begin() as tx:
            return {one.dedup_key for one in tx.outbox.all() if one.state == "pending"}

    def heard(self, channel: str) -> dict[str, list[str]]:
        """What a receiver heard under each key, in order: beginnings, updates and ends."""
        found: dict[str, list[str]] = {}
        for notification in self.backends[channel].received():
            key = KEY.search(notification)
            if key is not None:
                found.setdefault(key[0], []).append(_kind(notification))
        return found


def _kind(told: str) -> str:
    return "end" if "RESOLVED" in told else "update" if "STILL BLIND" in told else "beginning"
