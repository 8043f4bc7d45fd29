"""Fakes, written once: a source, a check, a queue and a channel that a test can look into and break."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from types import SimpleNamespace

import numpy as np

from stratawatch.core.goals import Goal, Limit
from stratawatch.core.population import Atom, Census, Segment
from stratawatch.core.random_numbers import digest
from stratawatch.core.score_bins import bins_of, own_bins_of
from stratawatch.engine.model.alarm_records import Notification, StandingAlert
from stratawatch.engine.model.cycle_facts import CandidateItem, CensusResult, CheckReport
from stratawatch.engine.model.input_profile import InputProfile
from stratawatch.engine.model.label_events import Batch, LabelEvent, PollResult, Receipt
from stratawatch.engine.model.panel_spec import ClassifierSpec, Columns, PanelSpec, Window, WindowRule
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.ports import SourceDescription
from stratawatch.errors import InputRefused, StratawatchError, Unreachable

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
WEEK = timedelta(days=7)


SCORES = ("score_lr", "score_rf")


def spec(**changes) -> PanelSpec:
    """A panel of two classifiers, weekly, small enough to read."""
    facts = {
        "name": "spam",
        "question": "Is it spam?",
        "guideline": "Spam is what nobody asked for.",
        "seed": "s1",
        "classifiers": (ClassifierSpec("lr", "score_lr", cut_off=0.5), ClassifierSpec("rf", "score_rf", cut_off=0.6)),
        "columns": Columns("id", "at", payload=("text",), segments=("country",)),
        "windows": WindowRule(MONDAY, WEEK),
        "goals": (Goal("precision", 0.05), Goal("recall", 0.1)),
        "limits": (Limit("precision", floor=0.5, classifiers=("lr",)),),
        "budget": 120,
        "deadline": timedelta(days=3),
        "batch_size": 50,
        "blind_margin_factor": 8.0,
    }
    return PanelSpec(**(facts | changes))


@dataclass
class ManualClock:
    """A clock that a test moves."""

    moment: datetime = MONDAY + WEEK

    def now(self) -> datetime:
        return self.moment

    def advance(self, **delta: float) -> None:
        self.moment += timedelta(**delta)


@dataclass(frozen=True)
class Row:
    """One production prediction."""

    item: str
    scores: tuple[float, float]
    country: str
    truth: bool


@cache
def production(seed: int, size: int = 3000, quality: float = 0.85) -> tuple[Row, ...]:
    """Rows whose truth follows the mean score, a share `1 - quality` of the high ones being wrong."""
    rng = np.random.default_rng(seed)
    z = rng.beta(0.4, 2.0, size)
    noise = rng.normal(0, 0.08, (size, 2))
    scores = np.clip(z[:, None] + noise, 0, 1)
    truth = rng.random(size) < np.clip(scores.mean(1), 0, 1) ** 1.2 * quality
    countries = rng.choice(["DE", "FR"], size)
    return tuple(
        Row(f"w{seed}-{i:05d}", (float(scores[i, 0]), float(scores[i, 1])), str(countries[i]), bool(truth[i]))
        for i in range(size)
    )


@dataclass
class FakeSource:
    """Windows of rows by the window's start."""

    windows: dict[datetime, list[Row]] = field(default_factory=dict)
    troubles: list[Exception] = field(default_factory=list)
    reads: int = 0
    seen: dict[str, object] = field(default_factory=dict)  # what the next profiles say besides
    calls: list[tuple[str, datetime]] = field(default_factory=list)  # (query, window's start)

    def _rows(self, window: Window) -> Sequence[Row]:
        self.reads += 1
        if self.troubles:
            raise self.troubles.pop(0)
        return self.windows.get(window.start, [])

    @staticmethod
    def _cells(rows: Sequence[Row], panel: PanelSpec) -> list[tuple[str, int]]:
        """Pattern and bin of every row, by columns: a window has thousands."""
        columns = [SCORES.index(one.score) if one.score in SCORES else i for i, one in enumerate(panel.classifiers)]
        scores = np.array([row.scores for row in rows]).reshape(len(rows), len(SCORES))[:, columns]
        letters = np.where(scores >= [classifier.cut_off for classifier in panel.classifiers], "1", "0")
        return list(
            zip(map("".join, letters.tolist()), bins_of(scores.sum(axis=1) / len(columns)).tolist(), strict=True)
        )

    @contextmanager
    def reading(self, panel: PanelSpec, window: Window) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(
            census=partial(self.census, panel, window),
            candidates=partial(self.candidates, panel, window),
            items_by_id=partial(self.items_by_id, panel, window),
            rows=partial(self.rows, panel),
        )

    def census(self, panel: PanelSpec, window: Window) -> CensusResult:
        self.calls.append(("census", window.start))
        rows = self._rows(window)
        cell_of = self._cells(rows, panel)
        cells = Counter(cell_of)
        by_country = Counter((cell, row.country) for cell, row in zip(cell_of, rows, strict=True))
        order = sorted(cells)
        census = Census(
            classifiers=tuple(c.name for c in panel.classifiers),
            patterns=tuple(pattern for pattern, _ in order),
            bins=np.array([b for _, b in order], dtype=np.int64),
            counts=np.array([cells[cell] for cell in order], dtype=np.int64),
            segments={
                Segment("country", name): np.array([by_country[cell, name] for cell in order], dtype=np.int64)
                for name in sorted({row.country for row in rows})
            },
        )
        columns = {
            c.name: dict.fromkeys(("nulls", "invalid", "score_nulls", "score_invalid"), 0)
            | {"positives": sum(pattern[place] == "1" for pattern, _ in cell_of)}
            for place, c in enumerate(panel.classifiers)
        }
        profile = InputProfile(len(rows), 0, 0, window.start, window.end, columns, null_times=0, **self.seen)
        return CensusResult(census, profile, (), {"rows": len(rows)})

    def candidates(
        self, panel: PanelSpec, window: Window, atoms: Sequence[Atom], quotas: Sequence[int]
    ) -> tuple[CandidateItem, ...]:
        self.calls.append(("candidates", window.start))
        home, rows, seed = _homes(atoms), self._rows(window), panel.seed_of(window)
        found: list[list[tuple[str, int, tuple[str, int], Row]]] = [[] for _ in quotas]
        for cell, row in zip(self._cells(rows, panel), rows, strict=True):
            if cell in home:
                number = home[cell]
                found[atoms[number].stratum].append((digest(seed, row.item), number, cell, row))
        return tuple(
            CandidateItem(
                row.item,
                number,
                hashed,
                *cell,
                window.start,
                payload={"text": f"text of {row.item}", "score_lr": row.scores[0]},
                segments={"country": row.country},
                score_bins={
                    one.name: int(own_bins_of([row.scores[SCORES.index(one.score)]])[0])
                    for one in panel.classifiers
                    if one.score in SCORES
                },
            )
            for pool, most in zip(found, quotas, strict=True)
            for hashed, number, cell, row in sorted(pool, key=lambda one: one[0])[:most]
        )

    def items_by_id(
        self, panel: PanelSpec, window: Window, atoms: Sequence[Atom], ids: Collection[str], *, with_payload=False
    ) -> tuple[CandidateItem, ...]:
        self.calls.append(("items_by_id", window.start))
        home, rows, seed = _homes(atoms), self._rows(window), panel.seed_of(window)
        return tuple(
            CandidateItem(
                row.item,
                home[cell],
                digest(seed, row.item),
                *cell,
                window.start,
                payload={"text": f"text of {row.item}", "score_lr": row.scores[0]} if with_payload else {},
                segments={"country": row.country},
            )
            for cell, row in zip(self._cells(rows, panel), rows, strict=True)
            if row.item in ids and cell in home
        )

    def rows(self, panel: PanelSpec, window: Window) -> int:
        self.calls.append(("rows", window.start))
        return len(self.windows.get(window.start, []))

    def describe(self, panel: PanelSpec) -> SourceDescription:
        return SourceDescription({"kind": "fake"})


def _homes(atoms: Sequence[Atom]) -> dict[tuple[str, int], int]:
    """The number of the atom that every cell belongs to."""
    return {(a.pattern, b): number for number, a in enumerate(atoms) for b in range(a.first_bin, a.last_bin + 1)}


@dataclass
class FakeCheck:
    """Lets everything pass but what a test says, and an empty window."""

    refusal: str = ""
    bad: tuple[QuarantinedRow, ...] = ()

    def profile(self, panel: PanelSpec, window: Window, profile: InputProfile) -> CheckReport:
        refusal = self.refusal or ("" if profile.rows else f"the window {window} has no rows")
        return CheckReport((), refusal, self.bad, docs="checks/profile.html")

    def candidates(self, panel: PanelSpec, window: Window, items: Sequence[CandidateItem]) -> CheckReport:
        return CheckReport(failures=(), refusal="")


@dataclass
class FakeQueue:
    """People who answer from the truth, when a test lets them."""

    truth: dict[str, bool]
    name: str = "fake"
    where: str = "in the fake"
    mark: str = ""
    published: dict[str, Batch] = field(default_factory=dict)
    sends: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    said: list[LabelEvent] = field(default_factory=list)
    rejected: list[QuarantinedRow] = field(default_factory=list)
    troubles: list[Exception] = field(default_factory=list)

    def identity(self) -> str:
        return self.mark

    def adopt(self, identity: str) -> None:
        self.mark = identity

    def batch_keys(self) -> frozenset[str]:
        return frozenset([*self.published, *self.cancelled])

    def withdrawn_keys(self) -> frozenset[str]:
        return frozenset(self.cancelled)

    def ask_again(self, keys: Sequence[str]) -> None:
        self.cancelled = [key for key in self.cancelled if key not in keys]

    def asked_keys(self) -> frozenset[str]:
        return frozenset(self.published) - {*self.cancelled, *self.closed}

    def close(self, keys: Sequence[str]) -> None:
        self.closed += keys

    def publish(self, batch: Batch) -> Receipt:
        if self.troubles:
            raise self.troubles.pop(0)
        self.sends.append(batch.key)
        known = batch.key in self.published
        if known and self.published[batch.key].tasks != batch.tasks:
            raise StratawatchError(f"{batch.key} holds another batch of the same key")  # as the folder queue does
        self.published.setdefault(batch.key, batch)
        return Receipt(f"fake:{batch.key}", duplicate=known)

    def poll(self, cursor: Mapping[str, object]) -> PollResult:
        start = int(str(cursor.get("at", 0)))
        rejected = tuple(self.rejected)
        self.rejected.clear()
        return PollResult(tuple(self.said[start:]), rejected, {"at": len(self.said)})

    def cancel(self, keys: Sequence[str]) -> None:
        self.cancelled += keys

    def describe(self) -> Mapping[str, str]:
        return {"batches": str(len(self.published))}

    def asked(self) -> list[str]:
        return [task.item_key for batch in self.published.values() for task in batch.tasks]

    def answer(self, at: datetime, *, only: Callable[[str], bool] = lambda _: True, value: str | None = None) -> int:
        """Answer everything asked and not yet answered."""
        done = {event.item_key for event in self.said}
        keys = [key for key in self.asked() if key not in done and only(key)]
        for key in keys:
            word = value or ("yes" if self.truth[key] else "no")
            self.said.append(LabelEvent("fake", f"e{len(self.said)}", key, "ann", word, at))
        return len(keys)


@dataclass
class FakeChannel:
    """Keeps what it received."""

    name: str = "channel"
    received: list[Notification] = field(default_factory=list)
    sends: list[str] = field(default_factory=list)
    troubles: list[Exception] = field(default_factory=list)

    def send(self, notification: Notification) -> Receipt:
        if self.troubles:
            raise self.troubles.pop(0)
        self.sends.append(notification.key)
        known = any(one.key == notification.key for one in self.received)
        if not known:
            self.received.append(notification)
        return Receipt(f"channel:{len(self.received)}", duplicate=known)


@dataclass
class FakeLevelChannel(FakeChannel):
    """Remembers what it was told is open, each time; troubles of an assertion are apart from those of sends."""

    asserted: list[tuple[StandingAlert, ...]] = field(default_factory=list)
    assert_troubles: list[Exception] = field(default_factory=list)
    spans: list[timedelta] = field(default_factory=list)

    def assert_open(self, alerts: Sequence[StandingAlert], lasts: timedelta) -> None:
        if self.assert_troubles:
            raise self.assert_troubles.pop(0)
        self.asserted.append(tuple(alerts))
        self.spans.append(lasts)


def unreachable() -> Unreachable:
    return Unreachable("the table did not answer", hint="try again")


def unusable() -> InputRefused:
    return InputRefused("column 'score_lr' is missing")
