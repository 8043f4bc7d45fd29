"""The tables, once for both databases; the migrations say the same in literal text, and tests compare the two."""

from collections.abc import Iterable
from typing import Any, Final, get_args

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

from stratawatch.adapters.store.columns import AnyText, Document, UtcTime, row_id_type
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.model.alarm_records import DeliveryState, Severity
from stratawatch.engine.model.label_events import LabelValue
from stratawatch.engine.model.states import BatchState, CycleState, Entity, RoundState

METADATA: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

BAD_ROW_KINDS: Final = ("prediction", "label")
STREAM_KEY: Final = ("panel", "classifier", "metric", "segment_key")
"""The columns that tell streams apart: unlike a segment, its key is never null."""


def _one_of(column: str, values: Iterable[str]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(repr(str(value)) for value in values)})", name=column)


def _segment_pair() -> CheckConstraint:
    return CheckConstraint("(segment IS NULL) = (segment_key = '')", name="segment")


def _stream() -> list[Column[Any]]:
    """The columns that name a stream."""
    columns = [_words(name) for name in STREAM_KEY]
    return [*columns[:3], _words("segment", nullable=True), columns[3]]


def _id() -> Column[Any]:
    return Column("id", row_id_type(), primary_key=True)


def _to(target: str, *, primary_key: bool = False) -> Column[Any]:
    name = {"cycles.id": "cycle_id", "rounds.id": "round_id", "revisions.id": "revision_id"}.get(target, "version_id")
    return Column(name, row_id_type(), ForeignKey(target), primary_key=primary_key, nullable=False, autoincrement=False)


def _words(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, AnyText, nullable=nullable)


def _question_key() -> Column[Any]:
    return Column("question_key", Text, nullable=False, server_default=text("''"))


def _words_or_none_yet(name: str) -> Column[Any]:
    return Column(name, AnyText, nullable=False, server_default=text("''"))


def _label_event() -> list[Column[Any] | CheckConstraint]:
    """A label event as it was received."""
    return [
        _id(),
        Column("event_key", Text, nullable=False, unique=True),  # hash of source and event id, which have any length
        _words("source"),
        _words("event_id"),
        _words("item_key"),
        _words("annotator"),
        Column("value", Text, nullable=False),
        Column("at", UtcTime, nullable=False),
        Column("received_at", UtcTime, nullable=False),
        _one_of("value", get_args(LabelValue)),
    ]


panel_versions = Table(
    "panel_versions",
    METADATA,
    _id(),
    _words("panel"),
    Column("fingerprint", Text, nullable=False),
    Column("spec", Document, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint("panel", "fingerprint"),
)

questions = Table(
    "questions",
    METADATA,
    Column("panel", AnyText, primary_key=True),
    Column("wording", Text, primary_key=True),  # hash of the question with its guideline or the guideline's version
    Column("question_key", Text, nullable=False),
)

panels = Table(
    "panels",
    METADATA,
    Column("name", AnyText, primary_key=True),
    _to("panel_versions.id"),
    Column("saved_at", UtcTime, nullable=False),
)

classifiers = Table(
    "classifiers",
    METADATA,
    _to("panel_versions.id", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    _words("name"),
    _words("score", nullable=True),
    _words("score_kind"),
    _words("positive", nullable=True),
    Column("cut_off", Double, nullable=True),
)

cycles = Table(
    "cycles",
    METADATA,
    _id(),
    _words("panel"),
    _to("panel_versions.id"),
    Column("period", Integer, nullable=False),
    Column("window_start", UtcTime, nullable=False),
    Column("window_end", UtcTime, nullable=False),
    Column("state", Text, nullable=False),
    Column("opened_at", UtcTime, nullable=False),
    Column("deadline_at", UtcTime, nullable=True),
    Column("failures", Integer, nullable=False, server_default="0"),
    _words_or_none_yet("last_error"),
    _words_or_none_yet("reason"),
    _words("docs", nullable=True),
    Column("profile", Document, nullable=False),
    Column("source_version", Document, nullable=False),
    _one_of("state", CycleState),
    CheckConstraint("window_start < window_end", name="window"),
    UniqueConstraint("panel", "period"),
    Index("uq_cycles_panel_window", "panel", "window_start", unique=True),
    Index("ix_cycles_state", "state"),
)

atoms = Table(
    "atoms",
    METADATA,
    _to("cycles.id", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("pattern", Text, nullable=False),
    Column("first_bin", Integer, nullable=False),
    Column("last_bin", Integer, nullable=False),
    Column("size", row_id_type(), nullable=False),
    Column("mean_score", Double, nullable=True),
    Column("stratum", Integer, nullable=False, server_default="0"),
    Column("foretold", Double, nullable=True),
)

atom_segments = Table(
    "atom_segments",
    METADATA,
    Column("cycle_id", row_id_type(), primary_key=True, autoincrement=False),
    Column("atom", Integer, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    _words("segment_column"),
    _words("segment_value"),
    Column("size", row_id_type(), nullable=False),
    ForeignKeyConstraint(["cycle_id", "atom"], ["atoms.cycle_id", "atoms.position"]),
)

candidates = Table(
    "candidates",
    METADATA,
    Column("cycle_id", row_id_type(), primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("atom", Integer, nullable=False),
    Column("digest", Text, nullable=False),
    _words("item"),
    Column("pattern", Text, nullable=False),
    Column("score_bin", Integer, nullable=False),
    Column("time", UtcTime, nullable=False),
    Column("copies", row_id_type(), nullable=False),
    Column("payload", Document, nullable=False),
    Column("segments", Document, nullable=False),
    _words("cluster", nullable=True),
    ForeignKeyConstraint(["cycle_id", "atom"], ["atoms.cycle_id", "atoms.position"]),
    Index("ix_candidates_digest", "cycle_id", "digest"),
)

rounds = Table(
    "rounds",
    METADATA,
    _id(),
    _to("cycles.id"),
    Column("ordinal", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("plan", Document, nullable=False),
    Column("planned_at", UtcTime, nullable=False),
    _one_of("state", RoundState),
    UniqueConstraint("cycle_id", "ordinal"),
    Index("ix_rounds_state", "state"),
)

draws = Table(
    "draws",
    METADATA,
    Column("cycle_id", row_id_type(), primary_key=True, autoincrement=False),
    Column("item_key", AnyText, primary_key=True),
    _to("rounds.id"),
    _words("item"),
    Column("atom", Integer, nullable=False),
    Column("digest", Text, nullable=False),
    Column("inclusion", Double, nullable=False),
    Column("reused", Boolean, nullable=False),
    _question_key(),
    ForeignKeyConstraint(["cycle_id", "atom"], ["atoms.cycle_id", "atoms.position"]),
    Index("ix_draws_item_key", "item_key"),
    Index("ix_draws_round_id", "round_id"),
)

batches = Table(
    "batches",
    METADATA,
    _id(),
    _to("rounds.id"),
    Column("key", AnyText, nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    _words("question"),
    _words("guideline"),
    Column("tasks", Document, nullable=False),
    Column("claimed_by", Text, nullable=True),
    Column("claimed_until", UtcTime, nullable=True),
    _words_or_none_yet("last_error"),
    _question_key(),
    _one_of("state", BatchState),
    Index("ix_batches_round_id", "round_id"),
    Index("ix_batches_state", "state"),
)

label_events = Table(
    "label_events",
    METADATA,
    *_label_event(),
    _question_key(),
    Index("ix_label_events_item_key", "item_key", "id"),
)

# Events on items that were not drawn (yet); they move into label_events with the draw, which says of what question.
label_inbox = Table("label_inbox", METADATA, *_label_event(), Index("ix_label_inbox_item_key", "item_key"))

cursors = Table(
    "cursors",
    METADATA,
    Column("queue", AnyText, primary_key=True),
    Column("position", Document, nullable=False),
    Column("at", UtcTime, nullable=False),
)

revisions = Table(
    "revisions",
    METADATA,
    _id(),
    _to("cycles.id"),
    Column("number", Integer, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("mark", row_id_type(), nullable=False),
    Column("at", UtcTime, nullable=False),
    UniqueConstraint("cycle_id", "number"),
)

estimates = Table(
    "estimates",
    METADATA,
    _to("revisions.id", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    _words("classifier"),
    _words("metric"),
    _words("segment_column", nullable=True),
    _words("segment_value", nullable=True),
    _words("segment", nullable=True),
    _words("segment_key"),
    Column("value", Double, nullable=True),
    Column("low", Double, nullable=True),
    Column("high", Double, nullable=True),
    Column("n_eff", Double, nullable=True),
    _words("undefined", nullable=True),
    Column("labels_used", Integer, nullable=False),
    _words("method"),
    Column("confidence", Double, nullable=False),
    Column("deff", Double, nullable=True),  # none: no clusters are known
    _segment_pair(),
    CheckConstraint(  # a value with its interval, or the reason why there is none: never half of it, never NaN
        "(undefined IS NOT NULL AND value IS NULL AND low IS NULL AND high IS NULL AND n_eff IS NULL) OR "
        "(undefined IS NULL AND value IS NOT NULL AND low IS NOT NULL AND high IS NOT NULL AND n_eff IS NOT NULL)",
        name="outcome",
    ),
    Index("uq_estimates_stream", "revision_id", "classifier", "metric", "segment_key", unique=True),
)

alarm_states = Table(
    "alarm_states",
    METADATA,
    _id(),
    _to("cycles.id"),
    Column("revision", Integer, nullable=False),  # 0 where nothing was estimated, as for a refused window
    *_stream(),
    Column("state", Text, nullable=False),
    _words("reason"),
    Column("at", UtcTime, nullable=False),
    _one_of("state", AlarmState),
    _segment_pair(),
    Index("uq_alarm_states_stream", "cycle_id", "revision", *STREAM_KEY, unique=True),
    Index("ix_alarm_states_panel", "panel"),
)

incidents = Table(
    "incidents",
    METADATA,
    _id(),
    *_stream(),
    Column("kind", Text, nullable=False),
    _words("dedup_key"),
    _to("cycles.id"),
    Column("opened_at", UtcTime, nullable=False),
    Column("resolved_at", UtcTime, nullable=True),
    _one_of("kind", AlarmState),
    _segment_pair(),
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
    _id(),
    Column("key_hash", Text, nullable=False, unique=True),  # keys hold segment values, which have any length
    _words("key"),
    _words("dedup_key"),
    _words("channel"),
    Column("severity", Text, nullable=False),
    _words("subject"),
    _words("body"),
    Column("facts", Document, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("state", Text, nullable=False, server_default="pending"),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("next_at", UtcTime, nullable=True),
    Column("claimed_by", Text, nullable=True),
    Column("claimed_until", UtcTime, nullable=True),
    _words_or_none_yet("reference"),
    _words_or_none_yet("last_error"),
    Column("sent_at", UtcTime, nullable=True),
    Column("unconfirmed", Boolean, nullable=False, server_default=false()),
    _one_of("severity", get_args(Severity)),
    _one_of("state", get_args(DeliveryState)),
    Index("ix_notifications_state", "state"),
)

leases = Table(
    "leases",
    METADATA,
    Column("name", AnyText, primary_key=True),
    _words("holder"),
    Column("until", UtcTime, nullable=False),
)

last_runs = Table(
    "last_runs",
    METADATA,
    Column("name", AnyText, primary_key=True),
    Column("finished_at", UtcTime, nullable=False),
    Column("good_at", UtcTime, nullable=True),
    _words("troubles"),
)

transitions = Table(
    "transitions",
    METADATA,
    _id(),
    Column("entity", Text, nullable=False),
    Column("entity_id", row_id_type(), nullable=False),
    Column("old_state", Text, nullable=False),
    Column("new_state", Text, nullable=False),
    _words("why"),
    Column("at", UtcTime, nullable=False),
    _one_of("entity", Entity),
    Index("ix_transitions_entity", "entity", "entity_id"),
)

quarantine = Table(
    "quarantine",
    METADATA,
    _id(),
    Column("row_key", Text, nullable=False, unique=True),  # hash of cycle, kind, key and reason
    Column("cycle_id", row_id_type(), ForeignKey("cycles.id"), nullable=True),
    Column("kind", Text, nullable=False),
    _words("key"),
    _words("reason"),
    Column("content", Document, nullable=False),
    Column("seen_at", UtcTime, nullable=False),  # the last time it was set aside
    _one_of("kind", BAD_ROW_KINDS),
    Index("ix_quarantine_cycle_id", "cycle_id"),
)
