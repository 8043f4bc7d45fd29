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

    def is_held_by(self, name: str, holder: str) -> bool:
        """Whether nobody else has it, over or not; until this transaction ends nobody else can take it then.

        On PostgreSQL the row is locked for that, so that a takeover waits for the commit or is seen here.
        """
        row = select(leases.c.name).where(leases.c.name == name, leases.c.holder == holder)
        return self._sql.execute(row.with_for_update(read=True)).first() is not None

    def names(self) -> frozenset[str]:
        """The leases that were taken and not given back, those that are over included."""
        return frozenset(self._sql.scalars(select(leases.c.name)))

    def release(self, name: str, holder: str) -> None:
        """Give back, if held."""
        self._sql.execute(delete(leases).where(leases.c.name == name, leases.c.holder == holder))
