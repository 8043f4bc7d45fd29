"""One unit of work over all rooms."""

from datetime import datetime

from sqlalchemy import Connection

from stratawatch.adapters.store.alarms import SqlAlarms
from stratawatch.adapters.store.baselines import SqlBaselines
from stratawatch.adapters.store.cycles import SqlCycles
from stratawatch.adapters.store.estimates import SqlEstimates
from stratawatch.adapters.store.labels import SqlLabels
from stratawatch.adapters.store.leases import SqlLeases
from stratawatch.adapters.store.moves import move
from stratawatch.adapters.store.outbox import SqlOutbox
from stratawatch.adapters.store.panels import SqlPanels
from stratawatch.adapters.store.rounds import SqlRounds
from stratawatch.engine.model.states import Entity
from stratawatch.engine.ports.alarm_repositories import Alarms, Outbox
from stratawatch.engine.ports.cycle_repositories import Cycles, Panels, Rounds
from stratawatch.engine.ports.label_repositories import Baselines, Estimates, Labels
from stratawatch.engine.ports.transaction import Leases


class SqlTransaction:
    """All rooms on one connection. Rolls back unless `commit` was called."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection
        self.panels: Panels = SqlPanels(connection)
        self.cycles: Cycles = SqlCycles(connection)
        self.rounds: Rounds = SqlRounds(connection)
        self.labels: Labels = SqlLabels(connection)
        self.estimates: Estimates = SqlEstimates(connection)
        self.alarms: Alarms = SqlAlarms(connection)
        self.baselines: Baselines = SqlBaselines(connection)
        self.outbox: Outbox = SqlOutbox(connection)
        self.leases: Leases = SqlLeases(connection)

    def move(self, entity: Entity, entity_id: int, old: str, new: str, *, at: datetime, why: str) -> None:
        """UPDATE ... WHERE id = :id AND state = :old: one row, logged, or StaleState."""
        move(self._sql, entity, entity_id, old, new, at=at, why=why)

    def commit(self) -> None:
        """Make it so."""
        self._sql.commit()
