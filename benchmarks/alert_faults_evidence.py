"""Weeks of a panel whose process dies while it judges and tells: what is kept in the end is as if it never had.

Windows gather evidence until they page together, go on, and end by better ones. In every week the process dies at each
point, and again when it is started anew: behind the evidence, behind the page, before both are committed, before a
send, and before its receipt is kept. A life without deaths is the measure.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from stratawatch.core.goals import Limit
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.judge_cycle import judge_cycle
from stratawatch.engine.lease import LEASE_LIFE
from stratawatch.engine.model.alarm_records import Notification
from stratawatch.engine.model.label_events import Receipt
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario, new_scenario, open_all

EVIDENCE, PAGE, COMMIT, SEND, RECEIPT = (
    "killed behind the evidence",
    "killed behind the page",
    "killed before both are committed",
    "killed before its send",
    "killed before its receipt",
)
POINTS: Final = (EVIDENCE, PAGE, COMMIT, SEND, RECEIPT)
TIMES: Final = 3
"""How often each point kills in a week; what is not reached, as a page without one, kills never."""
QUALITIES: Final = (0.85, 0.85, 0.85, 0.85, 2.0)
"""Of the classifier, by week: too low for its limit, which no week alone proves, and then high enough."""
NEARLY: Final = Limit("precision", floor=0.66, classifiers=("rf",))


class Killed(BaseException):
    """The process ends here: nothing of ours catches it."""


@dataclass
class Deaths:
    """Kills the process at each point, so many times in a week."""

    times: int
    injected: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)

    def begin_week(self) -> None:
        """Let every point kill again."""
        self.left = Counter(dict.fromkeys(POINTS, self.times))

    def at(self, point: str) -> None:
        """Die here, if it is time."""
        if self.left[point]:
            self.left[point] -= 1
            self.injected[point] += 1
            raise Killed


class MortalStore:
    """A store in whose transactions the process dies."""

    def __init__(self, store: Any, deaths: Deaths, *, commits_early: bool) -> None:
        self._store, self._deaths, self._commits_early = store, deaths, commits_early

    @contextmanager
    def begin(self) -> Iterator[Any]:
        """A transaction, which is rolled back when the process dies in it."""
        with self._store.begin() as tx:
            yield _MortalTransaction(tx, self._deaths, commits_early=self._commits_early)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class _MortalTransaction:
    def __init__(self, tx: Any, deaths: Deaths, *, commits_early: bool) -> None:
        self._tx, self._deaths, self._commits_early = tx, deaths, commits_early
        self._judges = False
        self.evidence = _Behind(tx.evidence, "add", self._evidence_was_added)
        self.outbox = _Behind(tx.outbox, "add", self._notification_was_added)

    def commit(self) -> None:
        if self._judges:
            self._deaths.at(COMMIT)
        self._tx.commit()

    def _evidence_was_added(self, *_: Any) -> None:
        self._judges = True
        if self._commits_early and self._deaths.left[EVIDENCE]:
            self._tx.commit()
        self._deaths.at(EVIDENCE)

    def _notification_was_added(self, notification: Notification) -> None:
        if self._judges and notification.severity == "page":
            self._deaths.at(PAGE)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)


class _Behind:
    """Something with a method behind which more happens."""

    def __init__(self, inner: Any, name: str, then: Callable[..., None]) -> None:
        self._inner, self._name, self._then = inner, name, then

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name != self._name:
            return found

        def call(*given: Any) -> Any:
            done = found(*given)
            self._then(*given)
            return done

        return call


class NoticingChannel:
    """A receiver that keeps a message once, however often it comes; its sender dies before a send or behind it."""

    def __init__(self, deaths: Deaths) -> None:
        self.name, self._deaths = "channel", deaths
        self.received: dict[str, tuple[str, str]] = {}

    def send(self, notification: Notification) -> Receipt:
        """Take a message."""
        self._deaths.at(SEND)
        is_new = notification.key not in self.received
        self.received.setdefault(notification.key, (notification.subject, notification.body))
        self._deaths.at(RECEIPT)
        return Receipt(notification.key, duplicate=not is_new)


@dataclass(frozen=True)
class Life:
    """What is kept after a panel's weeks and was told, and again after each window was judged ten times more."""

    kept: dict[str, Any]
    judged_again: dict[str, Any]
    injected: Counter[str]


def live(folder: Path, seed: str, *, times: int = TIMES, commits_early: bool = False) -> Life:
    """Play the weeks of a panel, in each of which each point kills so many `times`.

    `commits_early` is a control that keeps evidence before its page is decided.
    """
    deaths = Deaths(times)
    channel = NoticingChannel(deaths)
    scenario = new_scenario(folder / "store.db", spec(budget=150, limits=(NEARLY,), seed=seed))
    kept_store = scenario.ports.store
    store = MortalStore(kept_store, deaths, commits_early=commits_early)
    scenario.ports = replace(scenario.ports, store=store, channels={channel.name: channel})
    for period, quality in enumerate(QUALITIES):
        scenario.produce(period, quality=quality)
        opened = MONDAY + (period + 1) * WEEK
        scenario.clock.moment = opened
        open_all(scenario)
        deaths.begin_week()
        for turn in range(1, 5):
            scenario.clock.moment = opened + turn * timedelta(hours=2)
            _advance(scenario)
            scenario.clock.moment = opened + turn * timedelta(hours=2)
            scenario.queue.answer(scenario.clock.now())
    deaths.left.clear()
    kept = _kept(scenario, channel)
    for cycle in _cycles(scenario):
        for _ in range(10):
            judge_cycle(scenario.ports, cycle)
    _advance(scenario)
    again = _kept(scenario, channel)
    kept_store.dispose()  # type: ignore[attr-defined]
    return Life(kept, again, deaths.injected)


def differences(one: dict[str, Any], other: dict[str, Any]) -> int:
    """Of how many kinds two lives left behind something else."""
    return sum(one[kind] != other[kind] for kind in one)


def _advance(scenario: Scenario) -> None:
    """Advance until the process lives through it, each time once the lease of the dead one is over."""
    while True:
        try:
            advance(scenario.ports)
        except Killed:
            scenario.clock.advance(seconds=LEASE_LIFE.total_seconds() + 1)
        else:
            return


def _cycles(scenario: Scenario) -> list[int]:
    with scenario.ports.store.begin() as tx:
        return [cycle.id for cycle in tx.cycles.find()]


def _kept(scenario: Scenario, channel: NoticingChannel) -> dict[str, Any]:
    """What a life leaves behind, but for the moments at which it was written."""
    with scenario.ports.store.begin() as tx:
        cycles = [cycle.id for cycle in tx.cycles.find()]
        return {
            "evidence": [row for cycle in cycles for row in tx.evidence.of_cycle(cycle)],
            "restarts": [replace(one, at=MONDAY) for one in tx.evidence.restarts("spam")],
            "states": [replace(one, at=MONDAY) for cycle in cycles for one in tx.alarms.of_cycle(cycle)],
            "incidents": [
                (one.key, one.kind, one.dedup_key, one.rule, one.since, one.evidence, one.resolved_at is None)
                for one in tx.alarms.incidents()
            ],
            "told": sorted((key, subject) for key, (subject, _) in channel.received.items()),
        }
