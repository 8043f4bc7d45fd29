"""The tables of evidence: its rows, where streams began anew, and by which rule windows were judged."""

from typing import Final, get_args

from sqlalchemy import CheckConstraint, Column, Double, Index, Integer, Table, Text

from stratawatch.adapters.store.columns import (
    UtcTime,
    id_column,
    one_of,
    reference,
    segment_matches_its_key,
    text_column,
)
from stratawatch.adapters.store.stream_keys import STREAM_KEY, stream_columns
from stratawatch.adapters.store.tables import METADATA
from stratawatch.core.alarms.alarm_states import AlarmRule
from stratawatch.core.goals import LimitEnd

evidence: Final = Table(
    "evidence",
    METADATA,
    id_column(),
    reference("cycles.id"),
    Column("revision", Integer, nullable=False),
    *stream_columns(),
    Column("limit_end", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("loss", Double, nullable=False),
    Column("sign", Integer, nullable=False),
    Column("point", Integer, nullable=False),
    Column("limit_value", Double, nullable=False),
    Column("stake", Double, nullable=False),
    Column("log_e", Double, nullable=False),
    Column("labels", Integer, nullable=False),
    one_of("limit_end", get_args(LimitEnd)),
    CheckConstraint("sign IN (1, -1)", name="sign"),
    segment_matches_its_key(),
    Index(  # also finds a window's newest revision; windows of a panel are found by their cycles
        "uq_evidence_bet",
        *("cycle_id", "revision", *STREAM_KEY[1:], "limit_end", "ordinal", "loss", "sign", "point"),
        unique=True,
    ),
)

evidence_restarts: Final = Table(
    "evidence_restarts",
    METADATA,
    id_column(),
    Column("row_key", Text, nullable=False, unique=True),  # hash of the window with the stream, or none of them
    text_column("panel"),
    text_column("classifier", nullable=True),
    text_column("metric", nullable=True),
    text_column("segment", nullable=True),
    text_column("segment_key"),
    reference("cycles.id"),
    text_column("why"),
    Column("at", UtcTime, nullable=False),
    segment_matches_its_key(),
    CheckConstraint("(classifier IS NULL) = (metric IS NULL)", name="stream"),
    Index("ix_evidence_restarts_panel", "panel"),
)

judgement_rules: Final = Table(
    "judgement_rules",
    METADATA,
    reference("cycles.id", primary_key=True),
    Column("rule", Text, nullable=False),
    Column("persisting", Double, nullable=False),
    text_column("why"),
    one_of("rule", get_args(AlarmRule)),
)
