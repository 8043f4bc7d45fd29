"""The table of baselines: rows are added and never changed."""

from typing import Final

from sqlalchemy import JSON, CheckConstraint, Column, Double, Index, Table, Text

from stratawatch.adapters.store.columns import AnyText, Document, UtcTime, row_id_type
from stratawatch.adapters.store.tables import METADATA

baselines: Final = Table(
    "baselines",
    METADATA,
    Column("id", row_id_type(), primary_key=True),
    Column("row_key", Text, nullable=False, unique=True),  # hash of all that was measured, and of its dates
    Column("panel", AnyText, nullable=False),
    Column("classifier", AnyText, nullable=False),
    Column("call", AnyText, nullable=False),
    Column("cut_off", Double, nullable=True),
    Column("metric", AnyText, nullable=False),
    Column("segment", AnyText, nullable=True),
    Column("segment_key", AnyText, nullable=False),
    Column("evidence", Document, nullable=False),  # the interval below is of one confidence; this makes any other
    Column("value", Double, nullable=False),
    Column("low", Double, nullable=False),
    Column("high", Double, nullable=False),
    Column("confidence", Double, nullable=False),
    Column("method", AnyText, nullable=False),
    Column("n", row_id_type(), nullable=False),
    Column("n_eff", Double, nullable=False),
    Column("seed", row_id_type(), nullable=True),
    Column("source", AnyText, nullable=False),
    Column("valid_from", UtcTime, nullable=False),
    Column("valid_until", UtcTime, nullable=True),
    Column("measured_at", UtcTime, nullable=False),
    Column("log_b", JSON(none_as_null=True), nullable=True),
    CheckConstraint("(segment IS NULL) = (segment_key = '')", name="segment"),
    CheckConstraint("low <= value AND value <= high", name="interval"),
    CheckConstraint("valid_until IS NULL OR valid_from < valid_until", name="validity"),
    Index("ix_baselines_panel", "panel"),
)
