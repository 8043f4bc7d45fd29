"""Baselines: appended, each once, and found by the window that they are in force for."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, func, or_, select

from stratawatch.adapters.store.baseline_table import baselines
from stratawatch.adapters.store.columns import hashed, segment_key
from stratawatch.adapters.store.json_codec import as_document, dumps, from_document
from stratawatch.adapters.store.upserts import insert_new
from stratawatch.core.baselines.intervals import BaselineShare, TwoSidedBaseline
from stratawatch.engine.model.notification import StreamKey
from stratawatch.engine.model.stored_baseline import StoredBaseline
from stratawatch.errors import StratawatchError

EVIDENCE: Final[Mapping[str, type[BaselineShare | TwoSidedBaseline]]] = {
    "share": BaselineShare,
    "two_sides": TwoSidedBaseline,
}
"""What a baseline may rest on, by the word that stands in the store."""


class SqlBaselines:
    """The repository of baselines."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def add(self, baseline: StoredBaseline, after: StoredBaseline | None = None) -> bool:
        """Keep a baseline; False when the same was kept before: ever, or with `after` since that one was."""
        row = _row(baseline)
        if after is not None:
            row["row_key"] = hashed(row["row_key"], _row(after)["row_key"], after.measured_at.isoformat())
        return bool(insert_new(self._sql, baselines, [row], baselines.c.id))

    def of(self, panel: str) -> tuple[StoredBaseline, ...]:
        """All baselines of a panel, in the order in which they were measured."""
        query = select(baselines).where(baselines.c.panel == panel).order_by(baselines.c.measured_at, baselines.c.id)
        return tuple(_baseline(row) for row in self._sql.execute(query))

    def in_force(self, panel: str, at: datetime, measured_by: datetime | None = None) -> tuple[StoredBaseline, ...]:
        """For every stream and call, the newest measured baseline whose dates hold `at`, of those measured by then."""
        t = baselines.c
        age = func.row_number().over(
            partition_by=[t.classifier, t.call, t.metric, t.segment_key], order_by=[t.measured_at.desc(), t.id.desc()]
        )
        dated = (t.valid_from <= at) & or_(t.valid_until.is_(None), at < t.valid_until)
        if measured_by is not None:
            dated &= t.measured_at <= measured_by
        ranked = select(baselines, age.label("age")).where(t.panel == panel, dated).subquery()
        rows = self._sql.execute(select(ranked).where(ranked.c.age == 1).order_by(ranked.c.id))
        return tuple(_baseline(row) for row in rows)


def _row(baseline: StoredBaseline) -> dict[str, Any]:
    interval, key = baseline.estimate, baseline.key
    facts = {
        "panel": key.panel,
        "classifier": key.classifier,
        "call": baseline.call,
        "cut_off": baseline.cut_off,
        "metric": key.metric,
        "segment": key.segment,
        "evidence": _evidence_document(baseline.evidence),
        "method": baseline.method,
        "n": int(baseline.n),
        "seed": baseline.seed,
        "source": baseline.source,
        "valid_from": baseline.valid_from,
        "valid_until": baseline.valid_until,
    }
    return {
        **facts,
        "row_key": hashed(*(dumps(value) for value in facts.values())),
        "segment_key": segment_key(key.segment),
        "value": float(interval.value),
        "low": float(interval.low),
        "high": float(interval.high),
        "n_eff": float(interval.n_eff),
        "confidence": float(baseline.confidence),
        "measured_at": baseline.measured_at,
    }


def _baseline(row: Row[Any]) -> StoredBaseline:
    return StoredBaseline(
        key=StreamKey(row.panel, row.classifier, row.metric, row.segment),
        call=row.call,
        cut_off=row.cut_off,
        evidence=_evidence(row.evidence),
        method=row.method,
        n=row.n,
        seed=row.seed,
        source=row.source,
        confidence=row.confidence,
        valid_from=row.valid_from,
        valid_until=row.valid_until,
        measured_at=row.measured_at,
    )


def _evidence_document(evidence: BaselineShare | TwoSidedBaseline) -> dict[str, Any]:
    kind = next(word for word, kind_of in EVIDENCE.items() if isinstance(evidence, kind_of))
    return {"kind": kind, **as_document(evidence)}


def _evidence(document: Mapping[str, Any]) -> BaselineShare | TwoSidedBaseline:
    kind = document.get("kind", "")
    if kind not in EVIDENCE:
        raise StratawatchError(
            "a stored baseline does not fit this program",
            expected=f"evidence of kind {' or '.join(EVIDENCE)}",
            got=str(kind),
            hint="run the version of stratawatch that wrote it, or newer",
        )
    facts = {name: value for name, value in document.items() if name != "kind"}
    evidence: BaselineShare | TwoSidedBaseline = from_document(EVIDENCE[kind], facts)
    return evidence
