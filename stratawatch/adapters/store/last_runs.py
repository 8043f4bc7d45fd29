"""How the last run of each kind ended: one row a kind."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, select

from stratawatch.adapters.store.tables import last_runs
from stratawatch.adapters.store.upserts import upsert
from stratawatch.engine.model.last_run import LastRun


class SqlLastRuns:
    """The repository of last runs."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def record(self, name: str, at: datetime, troubles: Sequence[str], *, good: bool) -> None:
        """Keep that a run ended at a moment; a good one is remembered until the next good one."""
        values = {"finished_at": at, "troubles": "\n".join(" ".join(trouble.split()) for trouble in troubles)}
        if good:
            values["good_at"] = at
        statement = upsert(self._sql, last_runs).on_conflict_do_update(index_elements=["name"], set_=values)
        self._sql.execute(statement, {"name": name, **values})

    def get(self, name: str) -> LastRun | None:
        """The last run of a kind; None before the first."""
        row = self._sql.execute(select(last_runs).where(last_runs.c.name == name)).one_or_none()
        if row is None:
            return None
        return LastRun(row.finished_at, row.good_at, tuple(row.troubles.splitlines()))

    def troubled(self) -> dict[str, tuple[str, ...]]:
        """The troubles of the last runs that had any, by kind."""
        rows = self._sql.execute(select(last_runs.c.name, last_runs.c.troubles).where(last_runs.c.troubles != ""))
        return {row.name: tuple(row.troubles.splitlines()) for row in rows}
