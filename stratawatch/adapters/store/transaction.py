"""One unit of work over all repositories."""

from datetime import datetime

from sqlalchemy import Connection

from stratawatch.adapters.store.alarms import SqlAlarms
from stratawatch.adapters.store.audit import SqlAudit
from stratawatch.adapters.store.baselines import SqlBaselines
from stratawatch.adapters.store.cycles import SqlCycles
from stratawatch.adapters.store.erasures import SqlErasures
from stratawatch.adapters.store.estimates import SqlEstimates
from stratawatch.adapters.store.evidence import SqlEvidence
from stratawatch.adapters.store.gold import SqlGold
from stratawatch.adapters.store.labels import SqlLabels
from stratawatch.adapters.store.last_runs import SqlLastRuns
from stratawatch.adapters.store.leases import SqlLeases
from stratawatch.adapters.store.newest_commit import newest_commit
from stratawatch.adapters.store.outbox import SqlOutbox
from stratawatch.adapters.store.panels import SqlPanels
from stratawatch.adapters.store.retention import SqlRetention
from stratawatch.adapters.store.rounds import SqlRounds
from stratawatch.adapters.store.silences import SqlSilences
from stratawatch.adapters.store.transitions import move
from stratawatch.adapters.store.truth import SqlTruth
from stratawatch.engine.model.states import Entity
from stratawatch.engine.ports.alarm_repositories import AlarmRepository, NotificationOutbox, SilenceRepository
from stratawatch.engine.ports.cycle_repositories import CycleRepository, PanelRepository, RoundRepository
from stratawatch.engine.ports.evidence_repository import EvidenceRepository
from stratawatch.engine.ports.gold_repository import GoldRepository
from stratawatch.engine.ports.label_repositories import BaselineRepository, EstimateRepository, LabelRepository
from stratawatch.engine.ports.transaction import (
    AuditRepository,
    ErasureRepository,
    LastRunRepository,
    LeaseRepository,
    RetentionRepository,
)
from stratawatch.engine.ports.truth_repository import TruthRepository
from stratawatch.errors import LeaseHeld


class SqlTransaction:
    """All repositories on one connection. Rolls back unless `commit` was called."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection
        self._fences: list[tuple[str, str]] = []
        self.panels: PanelRepository = SqlPanels(connection)
        self.cycles: CycleRepository = SqlCycles(connection)
        self.rounds: RoundRepository = SqlRounds(connection)
        self.labels: LabelRepository = SqlLabels(connection)
        self.gold: GoldRepository = SqlGold(connection)
        self.truth: TruthRepository = SqlTruth(connection)
        self.estimates: EstimateRepository = SqlEstimates(connection)
        self.alarms: AlarmRepository = SqlAlarms(connection)
        self.evidence: EvidenceRepository = SqlEvidence(connection)
        self.silences: SilenceRepository = SqlSilences(connection)
        self.baselines: BaselineRepository = SqlBaselines(connection)
        self.outbox: NotificationOutbox = SqlOutbox(connection)
        self.leases: LeaseRepository = SqlLeases(connection)
        self.last_runs: LastRunRepository = SqlLastRuns(connection)
        self.audit: AuditRepository = SqlAudit(connection)
        self.retention: RetentionRepository = SqlRetention(connection)
        self.erasures: ErasureRepository = SqlErasures(connection)

    def move(self, entity: Entity, entity_id: int, old: str, new: str, *, at: datetime, why: str) -> None:
        """UPDATE ... WHERE id = :id AND state = :old: one row, logged, or StaleState."""
        move(self._sql, entity, entity_id, old, new, at=at, why=why)

    def newest_commit(self) -> datetime | None:
        """When the newest of what is stored was written, by the writer's clock; None in an empty store."""
        return newest_commit(self._sql)

    def fence(self, lease: str, holder: str) -> None:
        """Let `commit` raise LeaseHeld, and nothing be written, once the lease is not this holder's any more."""
        self._fences.append((lease, holder))

    def commit(self) -> None:
        """Commit everything that was written."""
        for lease, holder in self._fences:
            if not self.leases.is_held_by(lease, holder):
                raise LeaseHeld(f"another process took over the lease '{lease}'", hint="nothing was written here")
        self._sql.commit()
