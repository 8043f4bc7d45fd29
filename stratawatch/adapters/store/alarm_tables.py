"""The tables of alarms: states of each stream, incidents, silences, and the notifications that tell of them."""

from typing import get_args

from sqlalchemy import Boolean, CheckConstraint, Column, Double, Index, Integer, Table, Text, false, text

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
from stratawatch.adapters.store.stream_keys import STREAM_KEY, stream_columns
from stratawatch.adapters.store.tables import METADATA
from stratawatch.core.alarms.alarm_states import AlarmRule, AlarmState
from stratawatch.engine.model.alarm_records import DeliveryState, Severity

alarm_states = Table(
    "alarm_states",
    METADATA,
    id_column(),
    reference("cycles.id"),
    Column("revision", Integer, nullable=False),  # 0 where nothing was estimated, as for a refused window
    *stream_columns(),
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
    *stream_columns(),
    Column("kind", Text, nullable=False),
    text_column("dedup_key"),
    reference("cycles.id"),
    Column("opened_at", UtcTime, nullable=False),
    Column("resolved_at", UtcTime, nullable=True),
    text_or_empty("rule"),  # by which it was paged: empty for other kinds, and for those of before there were two
    Column("since", UtcTime, nullable=True),
    Column("evidence", Double, nullable=True),
    Column("acknowledged_at", UtcTime, nullable=True),
    text_or_empty("acknowledged_by"),
    text_or_empty("acknowledged_why"),
    one_of("kind", AlarmState),
    one_of("rule", ("", *get_args(AlarmRule))),
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

silences = Table(
    "silences",
    METADATA,
    id_column(),
    text_column("panel"),
    text_column("classifier", nullable=True),
    text_column("metric", nullable=True),
    text_column("segment", nullable=True),
    Column("until", UtcTime, nullable=False),
    text_column("reason"),
    text_column("by"),
    Column("created_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime, nullable=True),
    CheckConstraint("created_at < until", name="until"),
    Index("ix_silences_until", "until"),
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
