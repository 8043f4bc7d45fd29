"""The store's rooms as the engine sees them: one small protocol a room, all inside one transaction."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom
from stratawatch.engine.baseline_record import KeptBaseline
from stratawatch.engine.records import (
    BadRow,
    Batch,
    CandidateItem,
    Cycle,
    Draw,
    Frozen,
    Incident,
    Json,
    LabelEvent,
    Move,
    NewBatch,
    Notification,
    PanelSpec,
    PastDraw,
    Profile,
    Revision,
    Round,
    StreamKey,
    StreamState,
    Window,
)
from stratawatch.engine.states import BatchState, CycleState, Entity


class Panels(Protocol):
    """Panels and their versions. A changed specification is a new version; old cycles keep theirs."""

    def save(self, spec: PanelSpec, at: datetime) -> int:
        """Keep this specification, return its version's id; the same specification keeps the same id."""
        ...

    def get(self, version: int) -> PanelSpec:
        """The specification of a version."""
        ...

    def latest(self) -> Mapping[str, PanelSpec]:
        """The newest specification of every panel, by name."""
        ...


class Cycles(Protocol):
    """Cycles, their frozen facts and the log of every move."""

    def open(self, panel: str, version: int, period: int, window: Window, at: datetime) -> int | None:
        """Open a window once; None when (panel, period) is there already."""
        ...

    def get(self, cycle_id: int) -> Cycle:
        """One cycle. Raises StratawatchError when there is none."""
        ...

    def find(
        self,
        *,
        panel: str | None = None,
        states: Sequence[CycleState] | None = None,
        before: int | None = None,
        newest: int | None = None,
    ) -> tuple[Cycle, ...]:
        """Cycles, oldest window first; `before` a period, and with `newest`, only the last so many."""
        ...

    def freeze(self, cycle_id: int, frozen: Frozen, deadline_at: datetime) -> None:
        """Keep the frozen facts: atoms, segments, candidates, profile, bad rows. Does not move the state."""
        ...

    def explain(self, cycle_id: int, *, reason: str, docs: str | None = None, profile: Profile | None = None) -> None:
        """Keep why a cycle was refused, expired or cancelled, and the profile where a refused window was counted."""
        ...

    def unfreeze(self, cycle_id: int, version: int | None = None) -> None:
        """Forget what a refused cycle kept (reason, profile, quarantine, failures), before it is reopened.

        With a version, the panel's specification of that version holds for it from now on: nothing was drawn yet.
        """
        ...

    def failed(self, cycle_id: int, message: str) -> int:
        """Count a failed attempt and keep its message; returns the number of attempts in a row."""
        ...

    def atoms(self, cycle_id: int) -> tuple[Atom, ...]:
        """Atoms in their order."""
        ...

    def candidates(self, cycle_id: int) -> tuple[CandidateItem, ...]:
        """The pools, by atom and digest."""
        ...

    def quarantine(self, cycle_id: int | None, rows: Sequence[BadRow], at: datetime) -> None:
        """Keep rows that were set aside. The same (kind, key, reason, cycle) is kept once."""
        ...

    def quarantined(self, cycle_id: int | None = None, newest: int = 100) -> tuple[BadRow, ...]:
        """Rows that were set aside: of one cycle, or the newest of all."""
        ...

    def moves(self, entity: Entity | None = None, entity_id: int | None = None) -> tuple[Move, ...]:
        """The transition log, oldest first."""
        ...


class Rounds(Protocol):
    """Rounds, draws and batches."""

    def add(self, cycle_id: int, plan: Plan, draws: Sequence[Draw], batches: Sequence[NewBatch], at: datetime) -> int:
        """Keep a planned round with its draws and its outbox rows; its ordinal is the next of its cycle, from 1.

        Raises StaleState when another process added that round meanwhile.
        """
        ...

    def get(self, round_id: int) -> Round:
        """One round."""
        ...

    def batch(self, batch_id: int) -> Batch:
        """One batch."""
        ...

    def of(self, cycle_id: int) -> tuple[Round, ...]:
        """A cycle's rounds, in order."""
        ...

    def draws(self, cycle_id: int, round_id: int | None = None) -> tuple[Draw, ...]:
        """What was drawn, in the whole cycle or in one round, by atom and digest."""
        ...

    def batches(
        self,
        *,
        cycle_id: int | None = None,
        round_id: int | None = None,
        states: Sequence[BatchState] | None = None,
    ) -> tuple[Batch, ...]:
        """Batches, oldest first."""
        ...

    def claim(self, batch_id: int, holder: str, now: datetime, until: datetime) -> bool:
        """Take a planned batch for a short while; False when another holder's claim is still good, or it was sent."""
        ...

    def released(self, batch_id: int, message: str) -> int:
        """Give a claim back after a failed send; returns the number of attempts."""
        ...

    def ever_drawn(self, panel: str) -> tuple[tuple[str, datetime], ...]:
        """Every item ever drawn for a panel with the first time it was, by item id."""
        ...


class Labels(Protocol):
    """The ledger of label events, and how far each queue was read."""

    def add(self, events: Sequence[LabelEvent], at: datetime) -> tuple[int, tuple[LabelEvent, ...]]:
        """Append events; returns how many were new, and those whose item_key was never drawn (not kept here)."""
        ...

    def of_items(self, item_keys: Sequence[str]) -> tuple[LabelEvent, ...]:
        """All events on these items, by time and arrival. Any number of keys."""
        ...

    def all(self, panel: str) -> tuple[tuple[str, LabelEvent], ...]:
        """(item id, event) of a panel, in order of arrival."""
        ...

    def past(self, cycle_ids: Sequence[int], known_by: datetime) -> tuple[PastDraw, ...]:
        """What these cycles had drawn by a moment, with the events on it that had arrived by then, if any had."""
        ...

    def mark(self) -> int:
        """The id of the newest label event, 0 when there is none."""
        ...

    def cursor(self, queue: str) -> Json:
        """How far a queue was read; {} at first."""
        ...

    def save_cursor(self, queue: str, cursor: Json, at: datetime) -> None:
        """Keep how far a queue was read; in the transaction that adds its events."""
        ...


class Estimates(Protocol):
    """Estimates with their revisions."""

    def add(self, revision: Revision) -> None:
        """Append a revision; (cycle, number) must be new."""
        ...

    def seen(self, cycle_id: int, number: int, mark: int) -> None:
        """Events up to `mark` changed nothing in this revision's verdicts: it is up to date with them."""
        ...

    def latest(self, cycle_id: int, by: datetime | None = None) -> Revision | None:
        """The newest revision of a cycle, or the newest that had been made by a moment."""
        ...

    def outdated(self, after: int = 0) -> tuple[int, ...]:
        """Cycles with an event on one of their drawn items that is newer than the mark of their newest revision.

        Events up to `after` are known to have outdated nothing and are not looked at.
        """
        ...

    def history(self, panel: str) -> tuple[tuple[Cycle, Revision], ...]:
        """The newest revision of every cycle of a panel that has one, oldest window first."""
        ...


class Alarms(Protocol):
    """Alarm states and incidents."""

    def add_states(self, states: Sequence[StreamState]) -> None:
        """Append the states of one judgement."""
        ...

    def current(self, panel: str | None = None) -> tuple[StreamState, ...]:
        """The newest state of every stream (newest window, then revision)."""
        ...

    def of_cycle(self, cycle_id: int) -> tuple[StreamState, ...]:
        """States of a cycle's newest revision."""
        ...

    def open_incident(self, incident: Incident) -> int:
        """Open an incident (its id is ignored); returns the open one's id if the stream has one of this kind."""
        ...

    def resolve_incident(self, incident_id: int, at: datetime) -> None:
        """End an incident."""
        ...

    def incidents(self, *, panel: str | None = None, only_open: bool = False) -> tuple[Incident, ...]:
        """Incidents, oldest first."""
        ...

    def open_of(self, key: StreamKey) -> tuple[Incident, ...]:
        """Open incidents of one stream."""
        ...


class Baselines(Protocol):
    """What metrics were. Appended, never changed."""

    def add(self, baseline: KeptBaseline, after: KeptBaseline | None = None) -> bool:
        """Keep a baseline; False when the same was kept before: ever, or with `after` since that one was."""
        ...

    def of(self, panel: str) -> tuple[KeptBaseline, ...]:
        """All baselines of a panel, in the order in which they were measured."""
        ...

    def in_force(self, panel: str, at: datetime, measured_by: datetime | None = None) -> tuple[KeptBaseline, ...]:
        """For every stream and call, the newest measured baseline whose dates hold `at`.

        With `measured_by`, of those that had been measured by that moment.
        """
        ...


class Outbox(Protocol):
    """Notifications on their way out."""

    def add(self, notification: Notification) -> bool:
        """Write an outbox row; False when its key is there already."""
        ...

    def claim(self, holder: str, now: datetime, until: datetime, limit: int) -> tuple[Notification, ...]:
        """Take pending notifications that are due and not claimed, oldest first."""
        ...

    def sent(self, notification_id: int, reference: str, at: datetime) -> None:
        """The channel has it."""
        ...

    def put_back(self, notification_id: int, message: str, next_at: datetime | None) -> None:
        """A failed attempt: due again at `next_at`, or failed for good when None."""
        ...

    def all(self, *, newest: int | None = None) -> tuple[Notification, ...]:
        """Notifications, oldest first; with `newest`, only the last so many."""
        ...


class Leases(Protocol):
    """Named leases with an end."""

    def take(self, name: str, holder: str, now: datetime, until: datetime) -> bool:
        """Take or renew; False when another holder's lease is still good."""
        ...

    def held(self, name: str) -> tuple[str, datetime] | None:
        """Who holds a lease, and until when; the past included."""
        ...

    def release(self, name: str, holder: str) -> None:
        """Give back, if held."""
        ...


class Transaction(Protocol):
    """One unit of work over all rooms. Rolls back unless `commit` was called."""

    panels: Panels
    cycles: Cycles
    rounds: Rounds
    labels: Labels
    estimates: Estimates
    alarms: Alarms
    baselines: Baselines
    outbox: Outbox
    leases: Leases

    def move(self, entity: Entity, entity_id: int, old: str, new: str, *, at: datetime, why: str) -> None:
        """UPDATE ... WHERE id = :id AND state = :old: one row, logged, or StaleState.

        A move that TRANSITIONS does not list raises StratawatchError.
        """
        ...

    def commit(self) -> None:
        """Make it so."""
        ...
