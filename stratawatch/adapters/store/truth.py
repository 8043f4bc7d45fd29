"""Truth that arrived by itself: statements, which only ever join candidates, and the warnings made of them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, ScalarSelect, case, func, select

from stratawatch.adapters.store.columns import hashed, segment_key
from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.tables import IN_POOL, candidates
from stratawatch.adapters.store.truth_tables import truth_statements, truth_warnings
from stratawatch.adapters.store.upserts import insert_new
from stratawatch.engine.model.panel_spec import Window
from stratawatch.engine.model.truth import KnownItem, TruthCount, TruthStatement, TruthWarning


class SqlTruth:
    """The repository of truth that arrived by itself."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def add(self, statements: Sequence[TruthStatement], at: datetime) -> int:
        """Append statements; returns how many were new. What is delivered again is kept once."""
        rows = {
            key: row_of(one, truth_statements, statement_key=key, received_at=at) for key, one in _keyed(statements)
        }
        return len(insert_new(self._sql, truth_statements, list(rows.values()), truth_statements.c.id))

    def newest(self, panel: str) -> int:
        """The number of the newest statement about a panel; 0 when there is none."""
        query = select(func.max(truth_statements.c.id)).where(truth_statements.c.panel == panel)
        return int(self._sql.scalar(query) or 0)

    def known_items(self, panel: str, cycle_ids: Sequence[int], received_by: datetime) -> tuple[KnownItem, ...]:
        """The candidates of these cycles of which the truth was known by a moment: by the newest statement of each."""
        c, t = candidates.c, truth_statements.c
        last = _last_word(panel, c.item, received_by)
        columns = (c.cycle_id, c.item, c.pattern, c.score_bin.label("bin"), c.segments, t.value, t.source)
        query = (
            select(*columns)
            .join_from(candidates, truth_statements, t.id == last)
            .where(c.cycle_id.in_(cycle_ids), IN_POOL, t.value != "retract")
            .order_by(c.cycle_id, c.position)
        )
        return tuple(record_of(KnownItem, row) for row in self._sql.execute(query))

    def candidate_counts(self, cycle_ids: Sequence[int]) -> Mapping[tuple[str, int], int]:
        """The candidates of these cycles by (pattern, bin)."""
        cell = (candidates.c.pattern, candidates.c.score_bin)
        query = select(*cell, func.count()).where(candidates.c.cycle_id.in_(cycle_ids), IN_POOL).group_by(*cell)
        return {(pattern, number): items for pattern, number, items in self._sql.execute(query)}

    def described(self, panel: str, window: Window) -> tuple[TruthStatement, ...]:
        """The newest statements on items that say themselves that they were predicted in this window, and how."""
        t = truth_statements.c
        inside = (t.panel == panel) & (t.predicted_at >= window.start) & (t.predicted_at < window.end)
        last = t.id == _last_word(panel, t.item)
        query = select(truth_statements).where(inside, last, t.value != "retract").order_by(t.id)
        return tuple(record_of(TruthStatement, row) for row in self._sql.execute(query))

    def counts(self) -> tuple[TruthCount, ...]:
        """How much came of every panel and source."""
        t = truth_statements.c
        yes: Any = func.sum(case((t.value == "yes", 1), else_=0)).label("yes")
        numbers = (func.count().label("statements"), yes, func.max(t.received_at).label("newest_at"))
        query = select(t.panel, t.source, *numbers).group_by(t.panel, t.source).order_by(t.panel, t.source)
        return tuple(record_of(TruthCount, row) for row in self._sql.execute(query))

    def add_warnings(self, warnings: Sequence[TruthWarning]) -> tuple[TruthWarning, ...]:
        """Keep warnings, one for each stream and cycle; returns those that are new."""
        return tuple(
            one
            for one in warnings
            for row in [row_of(one, truth_warnings, segment_key=segment_key(one.segment))]
            if insert_new(self._sql, truth_warnings, [row], truth_warnings.c.id)
        )

    def warnings(self, panel: str) -> tuple[TruthWarning, ...]:
        """The warnings of a panel, oldest first."""
        query = select(truth_warnings).where(truth_warnings.c.panel == panel).order_by(truth_warnings.c.id)
        return tuple(record_of(TruthWarning, row) for row in self._sql.execute(query))


def _last_word(panel: str, item: ColumnElement[str], received_by: datetime | None = None) -> ScalarSelect[Any]:
    """The number of the newest statement on an item, of those of one time the last to come; up to a moment, if any.

    Each item is looked up by the index, so that the work is that of the items asked for, not of all statements.
    """
    said = truth_statements.alias("said")
    of_item = select(said.c.id).where(said.c.panel == panel, said.c.item == item)
    if received_by is not None:
        of_item = of_item.where(said.c.received_at <= received_by)
    return of_item.order_by(said.c.at.desc(), said.c.id.desc()).limit(1).scalar_subquery()


def _keyed(statements: Sequence[TruthStatement]) -> list[tuple[str, TruthStatement]]:
    return [
        (hashed(one.panel, one.item, one.value, one.source, one.at.isoformat(), *_place(one)), one)
        for one in statements
    ]


def _place(one: TruthStatement) -> list[str]:
    """What a statement says of its prediction: the same statement with and without that are two."""
    when = one.predicted_at.isoformat() if one.predicted_at else ""
    return [when, *(f"{name}={said}" for name, said in sorted(one.calls.items()))]
