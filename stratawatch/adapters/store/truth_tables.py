"""The tables of truth that arrived by itself. No other table refers to them, and they refer to no label."""

from typing import get_args

from sqlalchemy import Column, Index, Table, Text

from stratawatch.adapters.store.columns import Document, UtcTime, id_column, one_of, reference, text_column
from stratawatch.adapters.store.tables import METADATA
from stratawatch.engine.model.truth import TruthValue

truth_statements = Table(
    "truth_statements",
    METADATA,
    id_column(),
    Column("statement_key", Text, nullable=False, unique=True),  # hash of all that it says
    text_column("panel"),
    text_column("item"),
    Column("value", Text, nullable=False),
    text_column("source"),
    Column("at", UtcTime, nullable=False),
    Column("received_at", UtcTime, nullable=False),
    Column("predicted_at", UtcTime, nullable=True),
    Column("calls", Document, nullable=False),
    one_of("value", get_args(TruthValue)),
    Index("ix_truth_statements_panel", "panel", "item"),
    Index("ix_truth_statements_received_at", "received_at"),
)

truth_warnings = Table(
    "truth_warnings",
    METADATA,
    id_column(),
    text_column("panel"),
    reference("cycles.id"),
    text_column("classifier"),
    text_column("metric"),
    text_column("segment", nullable=True),
    text_column("segment_key"),
    text_column("sentence"),
    Column("at", UtcTime, nullable=False),
    Index("uq_truth_warnings_stream", "cycle_id", "classifier", "metric", "segment_key", unique=True),
)
