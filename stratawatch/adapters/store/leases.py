"""Named leases with an end: one row a name, taken by one statement."""

from datetime import datetime

from sqlalchemy import Connection, delete, select

from stratawatch.adapters.store.tables import leases
from stratawatch.adapters.store.upserts import upsert


class SqlLeases:
    """The repository of leases."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def take(self, name: str, holder: str, now: datetime, until: datetime) -> bool:
        """Take or renew; False when another holder's lease is still good."""
        values = {"holder": holder, "until": until}
        free = (leases.c.until <= now) | (leases.c.holder == holder)
        statement = (
            upsert(self._sql, leases)
            .on_conflict_do_update(index_elements=["name"], set_=values, where=free)
            .returning(leases.c.name)
        )
        return self._sql.execute(statement, {"name": name, **values}).first() is not None

    def held(self, name: str) -> tuple[str, datetime] | None:
        """Who holds a lease, and until when; the past included."""
        row = self._sql.execute(select(leases.c.holder, leases.c.until).where(leases.c.name == name)).one_or_none()
        return (row.holder, row.until) if row else None

    def release(self, name: str, holder: str) -> None:
        """Give back, if held."""
        self._sql.execute(delete(leases).where(leases.c.name == name, leases.c.holder == holder))
