"""Evidence: appended and never changed; the newest revision of each window counts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, func, select

from stratawatch.adapters.store.columns import hashed
from stratawatch.adapters.store.evidence_tables import evidence, evidence_restarts, judgement_rules
from stratawatch.adapters.store.json_codec import dumps
from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.stream_keys import STREAM_KEY, stream_values
from stratawatch.adapters.store.tables import IS_PRESENT, cycles
from stratawatch.adapters.store.upserts import duplicate_as_stale, insert_all, insert_new
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.evidence_records import EvidenceRestart, EvidenceRow, JudgementRule

_ALL: Final = (None, None, "")
_NO_STREAM: Final = {"classifier": None, "metric": None, "segment": None, "segment_key": ""}


class SqlEvidence:
    """The repository of evidence."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def add(self, rows: Sequence[EvidenceRow]) -> None:
        """Append the evidence of one judgement."""
        values = [
            row_of(row, evidence, **stream_values(row.key), limit_end=row.end, limit_value=float(row.limit))
            for row in rows
        ]
        with duplicate_as_stale("this evidence was written by someone else meanwhile"):
            insert_all(self._sql, evidence, values)

    def of_panel(self, panel: str, after_period: int | None = None) -> tuple[EvidenceRow, ...]:
        """The newest revision of each window that has evidence, oldest window first; of those after a period."""
        query = _of_windows(panel)
        return self._rows(query if after_period is None else query.where(cycles.c.period > after_period))

    def since_restarts(self, panel: str) -> tuple[EvidenceRow, ...]:
        """The bets on broken limits in windows after the last restart of each stream: of its own, or of all."""
        # The start of all is a value and not a subquery: PostgreSQL would plan for all windows there ever were.
        starts = self._starts(panel)
        query = _of_windows(panel).add_columns(cycles.c.window_start).where(evidence.c.sign > 0)
        if _ALL in starts:
            query = query.where(cycles.c.window_start > starts[_ALL])
        rows = self._sql.execute(query)
        return tuple(_row(row) for row in rows if _stream(row) not in starts or row.window_start > starts[_stream(row)])

    def growth(self, panel: str, since: datetime) -> tuple[EvidenceRow, ...]:
        """The bets on baselines in windows that start at a moment or later, in the same order."""
        return self._rows(_of_windows(panel).where(evidence.c.sign < 0, cycles.c.window_start >= since))

    def of_cycle(self, cycle_id: int) -> tuple[EvidenceRow, ...]:
        """The evidence of a cycle's newest revision that has any."""
        newest = select(func.max(evidence.c.revision)).where(evidence.c.cycle_id == cycle_id).scalar_subquery()
        query = select(evidence).where(evidence.c.cycle_id == cycle_id, evidence.c.revision == newest)
        return self._rows(query.order_by(evidence.c.id))

    def restart(self, restart: EvidenceRestart) -> bool:
        """Keep that streams begin at 0 after a window; False when they do already, and then the first reason stays."""
        stream = _NO_STREAM if restart.key is None else stream_values(restart.key)
        named = {**stream, "panel": restart.panel}
        row_key = hashed(dumps([restart.cycle_id, *(named[name] for name in STREAM_KEY)]))
        row = row_of(restart, evidence_restarts, **named, row_key=row_key)
        return bool(insert_new(self._sql, evidence_restarts, [row], evidence_restarts.c.id))

    def restarts(self, panel: str) -> tuple[EvidenceRestart, ...]:
        """The restarts of a panel, oldest window first."""
        t = evidence_restarts
        query = select(t).join(cycles, cycles.c.id == t.c.cycle_id).where(t.c.panel == panel)
        return tuple(map(_restart, self._sql.execute(query.order_by(cycles.c.window_start, t.c.id))))

    def keep_rule(self, rule: JudgementRule) -> JudgementRule:
        """Keep by which rule a window was judged; returns the rule it keeps, which is that of its first judgement."""
        insert_new(self._sql, judgement_rules, [row_of(rule, judgement_rules)], judgement_rules.c.cycle_id)
        return self.rule_of(rule.cycle_id) or rule

    def rule_of(self, cycle_id: int) -> JudgementRule | None:
        """By which rule a cycle was judged, if it is known."""
        row = self._sql.execute(select(judgement_rules).where(judgement_rules.c.cycle_id == cycle_id)).one_or_none()
        return None if row is None else record_of(JudgementRule, row)

    def rules(self, panel: str) -> tuple[JudgementRule, ...]:
        """The rules of a panel's windows, oldest first."""
        query = select(judgement_rules).join(cycles).where(cycles.c.panel == panel, IS_PRESENT)
        return tuple(record_of(JudgementRule, row) for row in self._sql.execute(query.order_by(cycles.c.period)))

    def _starts(self, panel: str) -> dict[tuple[str | None, ...], datetime]:
        """By stream, or for all, when the window began after which it was last at 0."""
        stream = [evidence_restarts.c[name] for name in STREAM_KEY[1:]]
        query = (
            select(*stream, func.max(cycles.c.window_start).label("start"))
            .join(cycles, cycles.c.id == evidence_restarts.c.cycle_id)
            .where(evidence_restarts.c.panel == panel)
            .group_by(*stream)
        )
        return {_stream(row): row.start for row in self._sql.execute(query)}

    def _rows(self, query: Select[Any]) -> tuple[EvidenceRow, ...]:
        return tuple(map(_row, self._sql.execute(query)))


def _of_windows(panel: str) -> Select[Any]:
    """The evidence of a panel's windows as of its newest revision, by the windows' order."""
    other = evidence.alias("other")
    newest = select(func.max(other.c.revision)).where(other.c.cycle_id == cycles.c.id).correlate(cycles)
    is_newest = (evidence.c.cycle_id == cycles.c.id) & (evidence.c.revision == newest.scalar_subquery())
    query = select(evidence).join_from(cycles, evidence, is_newest).where(cycles.c.panel == panel, IS_PRESENT)
    return query.order_by(cycles.c.period, evidence.c.id)


def _stream(row: Row[Any]) -> tuple[str | None, ...]:
    return row.classifier, row.metric, row.segment_key


def _row(row: Row[Any]) -> EvidenceRow:
    return record_of(EvidenceRow, row, key=record_of(StreamKey, row), end=row.limit_end, limit=row.limit_value)


def _restart(row: Row[Any]) -> EvidenceRestart:
    key = None if row.classifier is None else record_of(StreamKey, row)
    return record_of(EvidenceRestart, row, key=key)
