"""The tables of alarms: states of each stream, incidents, and the notifications that tell of them."""

from typing import Any, Final, get_args

from sqlalchemy import Boolean, Column, Index, Integer, Table, Text, false, text

from stratawatch.adapters.store.columns import (
    Document,
    UtcTime,
    id_column,
    one_of,
    reference,
    segment_matches_its_key,
    text_column,
    text_or_empty,
)
from stratawatch.adapters.store.tables import METADATA
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.model.alarm_records import DeliveryState, Severity

STREAM_KEY: Final = ("panel", "classifier", "metric", "segment_key")
"""The columns that tell streams apart: unlike a segment, its key is never null."""


def _stream() -> list[Column[Any]]:
    """The columns that name a stream."""
    columns = [text_column(name) for name in STREAM_KEY]
    return [*columns[:3], text_column("segment", nullable=True), columns[3]]


alarm_states = Table(
    "alarm_states",
    METADATA,
    id_column(),
    reference("cycles.id"),
    Column("revision", Integer, nullable=False),  # 0 where nothing was estimated, as for a refused window
    *_stream(),
    Column("state", Text, nullable=False),
    text_column("reason"),
    Column("at", UtcTime, nullable=False),
    one_of("state", AlarmState),
    segment_matches_its_key(),
    Index("uq_alarm_states_stream", "cycle_id", "revision", *STREAM_KEY, unique=True),
    Index("ix_alarm_states_panel", "panel"),
)

incidents = Table(
    "incidents",
    METADATA,
    id_column(),
    *_stream(),
    Column("kind", Text, nullable=False),
    text_column("dedup_key"),
    reference("cycles.id"),
    Column("opened_at", UtcTime, nullable=False),
    Column("resolved_at", UtcTime, nullable=True),
    one_of("kind", AlarmState),
    segment_matches_its_key(),
    Index("ix_incidents_dedup_key", "dedup_key"),
    Index("ix_incidents_panel", "panel", "opened_at"),
    Index(
        "uq_incidents_open",
        *STREAM_KEY,
        "kind",
        unique=True,
        sqlite_where=text("resolved_at IS NULL"),
        postgresql_where=text("resolved_at IS NULL"),
    ),
)

notifications = Table(
    "notifications",
    METADATA,
    id_column(),
    Column("key_hash", Text, nullable=False, unique=True),  # keys hold segment values, which have any length
    text_column("key"),
    text_column("dedup_key"),
    text_column("channel"),
    Column("severity", Text, nullable=False),
    text_column("subject"),
    text_column("body"),
    Column("facts", Document, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("state", Text, nullable=False, server_default="pending"),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("next_at", UtcTime, nullable=True),
    Column("claimed_by", Text, nullable=True),
    Column("claimed_until", UtcTime, nullable=True),
    text_or_empty("reference"),
    text_or_empty("last_error"),
    Column("sent_at", UtcTime, nullable=True),
    Column("unconfirmed", Boolean, nullable=False, server_default=false()),
    one_of("severity", get_args(Severity)),
    one_of("state", get_args(DeliveryState)),
    Index("ix_notifications_state", "state"),
    Index("ix_notifications_dedup_key", "dedup_key"),
    Index("ix_notifications_created_at", "created_at"),
)
