"""What people did by hand: appended, never changed."""

from datetime import datetime

from sqlalchemy import Connection, select

from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.tables import audit
from stratawatch.engine.model.audit_entry import AuditEntry


class SqlAudit:
    """The repository of the audit log."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def add(self, entry: AuditEntry) -> None:
        """Append what somebody did."""
        self._sql.execute(audit.insert(), row_of(entry, audit))

    def entries(self, since: datetime | None = None) -> tuple[AuditEntry, ...]:
        """What was done, from a moment on, oldest first."""
        query = select(audit).order_by(audit.c.id)
        if since is not None:
            query = query.where(audit.c.at >= since)
        return tuple(record_of(AuditEntry, row) for row in self._sql.execute(query))
