"""A transaction of the store: its repositories, leases and the commit."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from stratawatch.engine.model.audit_entry import AuditEntry
from stratawatch.engine.model.erasure import Erased
from stratawatch.engine.model.last_run import LastRun
from stratawatch.engine.model.states import Entity
from stratawatch.engine.ports.alarm_repositories import AlarmRepository, NotificationOutbox, SilenceRepository
from stratawatch.engine.ports.cycle_repositories import CycleRepository, PanelRepository, RoundRepository
from stratawatch.engine.ports.evidence_repository import EvidenceRepository
from stratawatch.engine.ports.gold_repository import GoldRepository
from stratawatch.engine.ports.label_repositories import BaselineRepository, EstimateRepository, LabelRepository
from stratawatch.engine.ports.truth_repository import TruthRepository


class LeaseRepository(Protocol):
    """Named leases with an end."""

    def take(self, name: str, holder: str, now: datetime, until: datetime) -> bool:
        """Take or renew; False when another holder's lease is still good."""
        ...

    def held(self, name: str) -> tuple[str, datetime] | None:
        """Who holds a lease, and until when; the past included."""
        ...

    def is_held_by(self, name: str, holder: str) -> bool:
        """Whether nobody else has it, over or not; until this transaction ends nobody else can take it then."""
        ...

    def names(self) -> frozenset[str]:
        """The leases that were taken and not given back, those that are over included."""
        ...

    def release(self, name: str, holder: str) -> None:
        """Give back, if held."""
        ...


class LastRunRepository(Protocol):
    """How the last run of each kind ended, by the machine's clock."""

    def record(self, name: str, at: datetime, troubles: Sequence[str], *, good: bool) -> None:
        """Keep that a run ended at a moment; a good one is remembered until the next good one."""
        ...

    def get(self, name: str) -> LastRun | None:
        """The last run of a kind; None before the first."""
        ...

    def troubled(self) -> Mapping[str, tuple[str, ...]]:
        """The troubles of the last runs that had any, by kind."""
        ...


class AuditRepository(Protocol):
    """What people did by hand. Appended, never changed."""

    def add(self, entry: AuditEntry) -> None:
        """Append what somebody did."""
        ...

    def entries(self, since: datetime | None = None) -> tuple[AuditEntry, ...]:
        """What was done, from a moment on, oldest first."""
        ...


class RetentionRepository(Protocol):
    """Takes out what has a period, and nothing that estimates or plans need."""

    def cycles_with_undrawn_payload(self, most: int) -> tuple[int, ...]:
        """The first cycles that ended and still hold what was read of items that were not drawn."""
        ...

    def cycles_with_payload(self, ended_by: datetime, most: int) -> tuple[int, ...]:
        """The first cycles that ended by a moment and still hold what labellers were shown."""
        ...

    def cycles_without_payload(self) -> tuple[int, ...]:
        """The cycles of which nothing is held any more that labellers were shown."""
        ...

    def drop_undrawn_payload(self, cycle_id: int) -> None:
        """Forget what was read of items that nobody was asked about."""
        ...

    def drop_payload(self, cycle_id: int) -> None:
        """Forget what labellers were shown of a cycle's items; their keys stay in the batches."""
        ...

    def drop_bad_rows(self, before: datetime) -> int:
        """Forget rows that were last set aside before a moment; returns how many."""
        ...

    def drop_waiting_labels(self, before: datetime) -> int:
        """Forget labels in the inbox that were received before a moment; returns how many."""
        ...

    def drop_truth(self, before: datetime) -> int:
        """Forget statements of truth that were received before a moment; returns how many."""
        ...

    def drop_transitions(self, before: datetime) -> int:
        """Forget moves of rounds and batches before a moment, but of cycles under way; returns how many."""
        ...

    def drop_replaced_revisions(self, before: datetime) -> int:
        """Forget estimates that a later revision of their cycle replaced before a moment; returns how many."""
        ...


class ErasureRepository(Protocol):
    """What is kept about one item, and its erasure. `keys` are the item's names towards the queue."""

    def items(self, panel: str, before: datetime) -> frozenset[str]:
        """The ids that are kept of a panel, of cycles that were opened by a moment."""
        ...

    def keys_drawn(self, panel: str, item: str) -> frozenset[str]:
        """The keys under which an item was drawn, erased or not."""
        ...

    def about(self, panel: str, item: str, keys: Collection[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Everything that is kept about an item, erased or not, as rows by what they are."""
        ...

    def erase(self, panel: str, item: str, keys: Collection[str], before: datetime) -> Erased:
        """Erase an item from what came by a moment. Its random number, weight and answers stay; once more: nothing."""
        ...


class Transaction(Protocol):
    """One unit of work over all repositories. Rolls back unless `commit` was called."""

    panels: PanelRepository
    cycles: CycleRepository
    rounds: RoundRepository
    labels: LabelRepository
    gold: GoldRepository
    truth: TruthRepository
    estimates: EstimateRepository
    alarms: AlarmRepository
    evidence: EvidenceRepository
    silences: SilenceRepository
    baselines: BaselineRepository
    outbox: NotificationOutbox
    leases: LeaseRepository
    last_runs: LastRunRepository
    audit: AuditRepository
    retention: RetentionRepository
    erasures: ErasureRepository

    def move(self, entity: Entity, entity_id: int, old: str, new: str, *, at: datetime, why: str) -> None:
        """UPDATE ... WHERE id = :id AND state = :old: one row, logged, or StaleState.

        A move that TRANSITIONS does not list raises StratawatchError.
        """
        ...

    def fence(self, lease: str, holder: str) -> None:
        """Let `commit` raise LeaseHeld, and nothing be written, once the lease is not this holder's any more."""
        ...

    def newest_commit(self) -> datetime | None:
        """When the newest of what is stored was written, by the writer's clock; None in an empty store."""
        ...

    def commit(self) -> None:
        """Commit everything that was written."""
        ...
