"""The tables, once for both databases; the migrations say the same in literal text, and tests compare the two.

Those of alarms and baselines stand in modules of their own.
"""

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
    literal_column,
    text,
)

from stratawatch.adapters.store.columns import (
    AnyText,
    Document,
    UtcTime,
    id_column,
    one_of,
    reference,
    row_id_type,
    segment_matches_its_key,
    text_column,
    text_or_empty,
)
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


def _question_key() -> Column[Any]:
    return Column("question_key", Text, nullable=False, server_default=text("''"))


def _label_event() -> list[Column[Any] | CheckConstraint]:
    """A label event as it was received."""
    return [
        id_column(),
        Column("event_key", Text, nullable=False, unique=True),  # hash of source and event id, which have any length
        text_column("source"),
        text_column("event_id"),
        text_column("item_key"),
        text_column("annotator"),
        Column("value", Text, nullable=False),
        Column("at", UtcTime, nullable=False),
        Column("received_at", UtcTime, nullable=False),
        one_of("value", get_args(LabelValue)),
    ]


panel_versions = Table(
    "panel_versions",
    METADATA,
    id_column(),
    text_column("panel"),
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
    reference("panel_versions.id"),
    Column("saved_at", UtcTime, nullable=False),
)

classifiers = Table(
    "classifiers",
    METADATA,
    reference("panel_versions.id", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    text_column("name"),
    text_column("score", nullable=True),
    text_column("score_kind"),
    text_column("positive", nullable=True),
    Column("cut_off", Double, nullable=True),
)

cycles = Table(
    "cycles",
    METADATA,
    id_column(),
    text_column("panel"),
    reference("panel_versions.id"),
    Column("period", Integer, nullable=False),
    Column("window_start", UtcTime, nullable=False),
    Column("window_end", UtcTime, nullable=False),
    Column("state", Text, nullable=False),
    Column("opened_at", UtcTime, nullable=False),
    Column("deadline_at", UtcTime, nullable=True),
    Column("failures", Integer, nullable=False, server_default="0"),
    text_or_empty("last_error"),
    text_or_empty("reason"),
    text_column("docs", nullable=True),
    Column("profile", Document, nullable=False),
    Column("source_version", Document, nullable=False),
    Column("ended_at", UtcTime, nullable=True),  # when it was judged or cancelled, for which there is no way back
    Column("undrawn_purged", Boolean, nullable=False, server_default=false()),
    Column("payload_purged", Boolean, nullable=False, server_default=false()),
    Column("focus", Document, nullable=True),
    Column("variance_priors", Document, nullable=True),
    one_of("state", CycleState),
    CheckConstraint("window_start < window_end", name="window"),
    UniqueConstraint("panel", "period"),
    Index(
        "uq_cycles_panel_window",
        "panel",
        "window_start",
        unique=True,
        sqlite_where=text("period >= 0"),  # a replaced cycle has a negative one
        postgresql_where=text("period >= 0"),
    ),
    Index("ix_cycles_state", "state"),
    Index("ix_cycles_window_start", "window_start", "id"),
    Index("ix_cycles_opened_at", "opened_at"),
    Index("ix_cycles_undrawn_purged", "undrawn_purged", "ended_at"),
    Index("ix_cycles_payload_purged", "payload_purged", "ended_at"),
)
IS_PRESENT: Final = cycles.c.period >= literal_column("0")
"""Whether a cycle was not replaced; with the constant of its index, which no parameter could stand for."""

atoms = Table(
    "atoms",
    METADATA,
    reference("cycles.id", primary_key=True),
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
    text_column("segment_column"),
    text_column("segment_value"),
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
    text_column("item"),
    Column("pattern", Text, nullable=False),
    Column("score_bin", Integer, nullable=False),
    Column("time", UtcTime, nullable=False),
    Column("copies", row_id_type(), nullable=False),
    Column("payload", Document, nullable=False),
    Column("segments", Document, nullable=False),
    text_column("cluster", nullable=True),
    Column("score_bins", Document(none_as_null=True), nullable=True),  # null: frozen before they were kept
    ForeignKeyConstraint(["cycle_id", "atom"], ["atoms.cycle_id", "atoms.position"]),
    Index("ix_candidates_digest", "cycle_id", "digest"),
)

IN_POOL: Final = candidates.c.position >= literal_column("0")
"""Whether a row is a candidate; one of an item that was labelled before its window has a negative position."""

IS_CANDIDATE: Final = candidates.c.position + literal_column("0") >= literal_column("0")
"""The same for a row found by its digest: with the other, SQLite reads the whole pool by the index of positions."""

rounds = Table(
    "rounds",
    METADATA,
    id_column(),
    reference("cycles.id"),
    Column("ordinal", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("plan", Document, nullable=False),
    Column("planned_at", UtcTime, nullable=False),
    one_of("state", RoundState),
    UniqueConstraint("cycle_id", "ordinal"),
    Index("ix_rounds_state", "state"),
    Index("ix_rounds_planned_at", "planned_at"),
)

draws = Table(
    "draws",
    METADATA,
    Column("cycle_id", row_id_type(), primary_key=True, autoincrement=False),
    Column("item_key", AnyText, primary_key=True),
    reference("rounds.id"),
    text_column("item"),
    Column("atom", Integer, nullable=False),
    Column("digest", Text, nullable=False),
    Column("inclusion", Double, nullable=False),
    Column("reused", Boolean, nullable=False),
    _question_key(),
    Column("first_use", Boolean, nullable=True),  # both are null until the window is judged
    Column("bets", Boolean, nullable=True),
    ForeignKeyConstraint(["cycle_id", "atom"], ["atoms.cycle_id", "atoms.position"]),
    Index("ix_draws_item_key", "item_key"),
    Index("ix_draws_round_id", "round_id"),
)

batches = Table(
    "batches",
    METADATA,
    id_column(),
    reference("rounds.id"),
    Column("key", AnyText, nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    text_column("question"),
    text_column("guideline"),
    Column("tasks", Document, nullable=False),
    Column("claimed_by", Text, nullable=True),
    Column("claimed_until", UtcTime, nullable=True),
    text_or_empty("last_error"),
    _question_key(),
    Column("vote", Integer, nullable=False, server_default="1"),
    text_or_empty("rule"),
    one_of("state", BatchState),
    Index("ix_batches_round_id", "round_id"),
    Index("ix_batches_state", "state"),
)

label_events = Table(
    "label_events",
    METADATA,
    *_label_event(),
    _question_key(),
    Index("ix_label_events_item_key", "item_key", "id"),
    Index("ix_label_events_received_at", "received_at"),
)

# Events on items that were not drawn (yet); they move into label_events with the draw, which says of what question.
label_inbox = Table(
    "label_inbox",
    METADATA,
    *_label_event(),
    Index("ix_label_inbox_item_key", "item_key"),
    Index("ix_label_inbox_received_at", "received_at"),
)

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
    id_column(),
    reference("cycles.id"),
    Column("number", Integer, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("mark", row_id_type(), nullable=False),
    Column("at", UtcTime, nullable=False),
    UniqueConstraint("cycle_id", "number"),
    Index("ix_revisions_at", "at"),
)

estimates = Table(
    "estimates",
    METADATA,
    reference("revisions.id", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    text_column("classifier"),
    text_column("metric"),
    text_column("segment_column", nullable=True),
    text_column("segment_value", nullable=True),
    text_column("segment", nullable=True),
    text_column("segment_key"),
    Column("value", Double, nullable=True),
    Column("low", Double, nullable=True),
    Column("high", Double, nullable=True),
    Column("n_eff", Double, nullable=True),
    text_column("undefined", nullable=True),
    Column("labels_used", Integer, nullable=False),
    text_column("method"),
    Column("confidence", Double, nullable=False),
    Column("deff", Double, nullable=True),  # none: no clusters are known
    segment_matches_its_key(),
    CheckConstraint(  # a value with its interval, or the reason why there is none: never half of it, never NaN
        "(undefined IS NOT NULL AND value IS NULL AND low IS NULL AND high IS NULL AND n_eff IS NULL) OR "
        "(undefined IS NULL AND value IS NOT NULL AND low IS NOT NULL AND high IS NOT NULL AND n_eff IS NOT NULL)",
        name="outcome",
    ),
    Index("uq_estimates_stream", "revision_id", "classifier", "metric", "segment_key", unique=True),
)

leases = Table(
    "leases",
    METADATA,
    Column("name", AnyText, primary_key=True),
    text_column("holder"),
    Column("until", UtcTime, nullable=False),
)

last_runs = Table(
    "last_runs",
    METADATA,
    Column("name", AnyText, primary_key=True),
    Column("finished_at", UtcTime, nullable=False),
    Column("good_at", UtcTime, nullable=True),
    text_column("troubles"),
)

transitions = Table(
    "transitions",
    METADATA,
    id_column(),
    Column("entity", Text, nullable=False),
    Column("entity_id", row_id_type(), nullable=False),
    Column("old_state", Text, nullable=False),
    Column("new_state", Text, nullable=False),
    text_column("why"),
    Column("at", UtcTime, nullable=False),
    one_of("entity", Entity),
    Index("ix_transitions_entity", "entity", "entity_id"),
    Index("ix_transitions_at", "at"),
)

audit = Table(
    "audit",
    METADATA,
    id_column(),
    Column("at", UtcTime, nullable=False),
    text_column("by"),
    text_column("action"),
    text_column("subject"),
    text_column("why"),
    Index("ix_audit_at", "at"),
)

quarantine = Table(
    "quarantine",
    METADATA,
    id_column(),
    Column("row_key", Text, nullable=False, unique=True),  # hash of cycle, kind, key and reason
    Column("cycle_id", row_id_type(), ForeignKey("cycles.id"), nullable=True),
    Column("kind", Text, nullable=False),
    text_column("key"),
    text_column("reason"),
    Column("content", Document, nullable=False),
    Column("seen_at", UtcTime, nullable=False),  # the last time it was set aside
    one_of("kind", BAD_ROW_KINDS),
    Index("ix_quarantine_cycle_id", "cycle_id"),
    Index("ix_quarantine_seen_at", "seen_at"),
)
