"""Baselines: appended, each once, and found by the window that they are in force for."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, func, or_, select

from stratawatch.adapters.store.baseline_table import baselines
from stratawatch.adapters.store.columns import hashed, segment_key
from stratawatch.adapters.store.json_codec import as_document, dumps, from_document
from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.upserts import insert_new
from stratawatch.core.baselines.baseline_evidence import BaselineShare, TwoSampleBaseline
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.evidence_records import BaselineGrid
from stratawatch.engine.model.stored_baseline import StoredBaseline
from stratawatch.errors import StratawatchError

EVIDENCE: Final[Mapping[str, type[BaselineShare | TwoSampleBaseline]]] = {
    "share": BaselineShare,
    "two_sides": TwoSampleBaseline,
}
"""What a baseline may rest on, by the word that stands in the store."""
# The columns whose hash is the row's key, in the order in which they are hashed.
_MEASURED: Final = (
    *("panel", "classifier", "call", "cut_off", "metric", "segment", "evidence", "method", "n", "seed", "source"),
    *("valid_from", "valid_until"),
)


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
    evidence = _evidence_document(baseline.evidence)
    grid = None if baseline.grid is None else as_document(baseline.grid)
    row = row_of(baseline, baselines, **asdict(baseline.key), evidence=evidence, n=int(baseline.n))
    return {
        **row,
        **row_of(baseline.estimate, baselines),
        "log_b": grid,
        # Without a grid the key is that of rows of before there were any.
        "row_key": hashed(*(dumps(row[name]) for name in _MEASURED), *([] if grid is None else [dumps(grid)])),
        "segment_key": segment_key(baseline.key.segment),
    }


def _baseline(row: Row[Any]) -> StoredBaseline:
    return record_of(
        StoredBaseline,
        row,
        key=record_of(StreamKey, row),
        evidence=_evidence(row.evidence),
        grid=from_document(BaselineGrid | None, row.log_b),
    )


def _evidence_document(evidence: BaselineShare | TwoSampleBaseline) -> dict[str, Any]:
    kind = next(word for word, kind_of in EVIDENCE.items() if isinstance(evidence, kind_of))
    return {"kind": kind, **as_document(evidence)}


def _evidence(document: Mapping[str, Any]) -> BaselineShare | TwoSampleBaseline:
    kind = document.get("kind", "")
    if kind not in EVIDENCE:
        raise StratawatchError(
            "a stored baseline does not fit this program",
            expected=f"evidence of kind {' or '.join(EVIDENCE)}",
            got=str(kind),
            hint="run the version of stratawatch that wrote it, or newer",
        )
    facts = {name: value for name, value in document.items() if name != "kind"}
    evidence: BaselineShare | TwoSampleBaseline = from_document(EVIDENCE[kind], facts)
    return evidence
