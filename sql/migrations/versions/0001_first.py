"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "cursors",
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("position", sa.JSON(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("queue", name="pk_cursors"),
    )
    op.create_table(
        "label_events",
        sa.Column("id", ID, nullable=False),
        sa.Column("event_key", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("item_key", sa.Text(), nullable=False),
        sa.Column("annotator", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("received_at", TIME, nullable=False),
        sa.CheckConstraint("value IN ('yes', 'no', 'skip', 'retract')", name="ck_label_events_value"),
        sa.PrimaryKeyConstraint("id", name="pk_label_events"),
        sa.UniqueConstraint("event_key", name="uq_label_events_event_key"),
    )
    op.create_index("ix_label_events_item_key", "label_events", ["item_key", "id"])
    op.create_table(
        "leases",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("until", TIME, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_leases"),
    )
    op.create_table(
        "notifications",
        sa.Column("id", ID, nullable=False),
        sa.Column("key_hash", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("dedup_key", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("state", sa.Text(), server_default="pending", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("next_at", TIME, nullable=True),
        sa.Column("claimed_by", sa.Text(), nullable=True),
        sa.Column("claimed_until", TIME, nullable=True),
        sa.Column("reference", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("last_error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("sent_at", TIME, nullable=True),
        sa.CheckConstraint("severity IN ('page', 'warning', 'resolved')", name="ck_notifications_severity"),
        sa.CheckConstraint("state IN ('pending', 'sent', 'failed')", name="ck_notifications_state"),
        sa.PrimaryKeyConstraint("id", name="pk_notifications"),
        sa.UniqueConstraint("key_hash", name="uq_notifications_key_hash"),
    )
    op.create_index("ix_notifications_state", "notifications", ["state"])
    op.create_table(
        "panel_versions",
        sa.Column("id", ID, nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_panel_versions"),
        sa.UniqueConstraint("panel", "fingerprint", name="uq_panel_versions_panel"),
    )
    op.create_table(
        "transitions",
        sa.Column("id", ID, nullable=False),
        sa.Column("entity", sa.Text(), nullable=False),
        sa.Column("entity_id", ID, nullable=False),
        sa.Column("old_state", sa.Text(), nullable=False),
        sa.Column("new_state", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.CheckConstraint("entity IN ('cycle', 'round', 'batch')", name="ck_transitions_entity"),
        sa.PrimaryKeyConstraint("id", name="pk_transitions"),
    )
    op.create_index("ix_transitions_entity", "transitions", ["entity", "entity_id"])
    op.create_table(
        "classifiers",
        sa.Column("version_id", ID, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("score", sa.Text(), nullable=True),
        sa.Column("score_kind", sa.Text(), nullable=False),
        sa.Column("positive", sa.Text(), nullable=True),
        sa.Column("cut_off", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["version_id"], ["panel_versions.id"], name="fk_classifiers_version_id"),
        sa.PrimaryKeyConstraint("version_id", "position", name="pk_classifiers"),
    )
    op.create_table(
        "cycles",
        sa.Column("id", ID, nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("version_id", ID, autoincrement=False, nullable=False),
        sa.Column("period", sa.Integer(), nullable=False),
        sa.Column("window_start", TIME, nullable=False),
        sa.Column("window_end", TIME, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("opened_at", TIME, nullable=False),
        sa.Column("deadline_at", TIME, nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("reason", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("docs", sa.Text(), nullable=True),
        sa.Column("profile", sa.JSON(), nullable=False),
        sa.Column("source_version", sa.JSON(), nullable=False),
        sa.CheckConstraint(
            "state IN ('open', 'frozen', 'labelling', 'settled', 'judged', 'refused', 'expired', 'cancelled')",
            name="ck_cycles_state",
        ),
        sa.CheckConstraint("window_start < window_end", name="ck_cycles_window"),
        sa.ForeignKeyConstraint(["version_id"], ["panel_versions.id"], name="fk_cycles_version_id"),
        sa.PrimaryKeyConstraint("id", name="pk_cycles"),
        sa.UniqueConstraint("panel", "period", name="uq_cycles_panel"),
    )
    op.create_index("ix_cycles_state", "cycles", ["state"])
    op.create_index("uq_cycles_panel_window", "cycles", ["panel", "window_start"], unique=True)
    op.create_table(
        "panels",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version_id", ID, autoincrement=False, nullable=False),
        sa.Column("saved_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["panel_versions.id"], name="fk_panels_version_id"),
        sa.PrimaryKeyConstraint("name", name="pk_panels"),
    )
    op.create_table(
        "alarm_states",
        sa.Column("id", ID, nullable=False),
        sa.Column("cycle_id", ID, autoincrement=False, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("classifier", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("segment", sa.Text(), nullable=True),
        sa.Column("segment_key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.CheckConstraint("(segment IS NULL) = (segment_key = '')", name="ck_alarm_states_segment"),
        sa.CheckConstraint("state IN ('OK', 'UNPROVEN', 'AT RISK', 'BREACH', 'BLIND')", name="ck_alarm_states_state"),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycles.id"], name="fk_alarm_states_cycle_id"),
        sa.PrimaryKeyConstraint("id", name="pk_alarm_states"),
    )
    op.create_index("ix_alarm_states_panel", "alarm_states", ["panel"])
    op.create_index(
        "uq_alarm_states_stream",
        "alarm_states",
        ["cycle_id", "revision", "panel", "classifier", "metric", "segment_key"],
        unique=True,
    )
    op.create_table(
        "atoms",
        sa.Column("cycle_id", ID, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("pattern", sa.Text(), nullable=False),
        sa.Column("first_bin", sa.Integer(), nullable=False),
        sa.Column("last_bin", sa.Integer(), nullable=False),
        sa.Column("size", ID, nullable=False),
        sa.Column("mean_score", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycles.id"], name="fk_atoms_cycle_id"),
        sa.PrimaryKeyConstraint("cycle_id", "position", name="pk_atoms"),
    )
    op.create_table(
        "incidents",
        sa.Column("id", ID, nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("classifier", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("segment", sa.Text(), nullable=True),
        sa.Column("segment_key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("dedup_key", sa.Text(), nullable=False),
        sa.Column("cycle_id", ID, autoincrement=False, nullable=False),
        sa.Column("opened_at", TIME, nullable=False),
        sa.Column("resolved_at", TIME, nullable=True),
        sa.CheckConstraint("(segment IS NULL) = (segment_key = '')", name="ck_incidents_segment"),
        sa.CheckConstraint("kind IN ('OK', 'UNPROVEN', 'AT RISK', 'BREACH', 'BLIND')", name="ck_incidents_kind"),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycles.id"], name="fk_incidents_cycle_id"),
        sa.PrimaryKeyConstraint("id", name="pk_incidents"),
    )
    op.create_index(
        "uq_incidents_open",
        "incidents",
        ["panel", "classifier", "metric", "segment_key", "kind"],
        unique=True,
        sqlite_where=sa.text("resolved_at IS NULL"),
        postgresql_where=sa.text("resolved_at IS NULL"),
    )
    op.create_table(
        "quarantine",
        sa.Column("id", ID, nullable=False),
        sa.Column("row_key", sa.Text(), nullable=False),
        sa.Column("cycle_id", ID, nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.CheckConstraint("kind IN ('prediction', 'label')", name="ck_quarantine_kind"),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycles.id"], name="fk_quarantine_cycle_id"),
        sa.PrimaryKeyConstraint("id", name="pk_quarantine"),
        sa.UniqueConstraint("row_key", name="uq_quarantine_row_key"),
    )
    op.create_index("ix_quarantine_cycle_id", "quarantine", ["cycle_id"])
    op.create_table(
        "revisions",
        sa.Column("id", ID, nullable=False),
        sa.Column("cycle_id", ID, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("mark", ID, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycles.id"], name="fk_revisions_cycle_id"),
        sa.PrimaryKeyConstraint("id", name="pk_revisions"),
        sa.UniqueConstraint("cycle_id", "number", name="uq_revisions_cycle_id"),
    )
    op.create_table(
        "rounds",
        sa.Column("id", ID, nullable=False),
        sa.Column("cycle_id", ID, autoincrement=False, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("planned_at", TIME, nullable=False),
        sa.CheckConstraint(
            "state IN ('planned', 'dispatched', 'labelling', 'settled', 'expired', 'cancelled')", name="ck_rounds_state"
        ),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycles.id"], name="fk_rounds_cycle_id"),
        sa.PrimaryKeyConstraint("id", name="pk_rounds"),
        sa.UniqueConstraint("cycle_id", "ordinal", name="uq_rounds_cycle_id"),
    )
    op.create_index("ix_rounds_state", "rounds", ["state"])
    op.create_table(
        "atom_segments",
        sa.Column("cycle_id", ID, autoincrement=False, nullable=False),
        sa.Column("atom", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("segment_column", sa.Text(), nullable=False),
        sa.Column("segment_value", sa.Text(), nullable=False),
        sa.Column("size", ID, nullable=False),
        sa.ForeignKeyConstraint(
            ["cycle_id", "atom"], ["atoms.cycle_id", "atoms.position"], name="fk_atom_segments_cycle_id"
        ),
        sa.PrimaryKeyConstraint("cycle_id", "atom", "position", name="pk_atom_segments"),
    )
    op.create_table(
        "batches",
        sa.Column("id", ID, nullable=False),
        sa.Column("round_id", ID, autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("guideline", sa.Text(), nullable=False),
        sa.Column("tasks", sa.JSON(), nullable=False),
        sa.Column("claimed_by", sa.Text(), nullable=True),
        sa.Column("claimed_until", TIME, nullable=True),
        sa.Column("last_error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.CheckConstraint(
            "state IN ('planned', 'sent', 'closed', 'failed', 'cancelled', 'withdrawn')", name="ck_batches_state"
        ),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name="fk_batches_round_id"),
        sa.PrimaryKeyConstraint("id", name="pk_batches"),
        sa.UniqueConstraint("key", name="uq_batches_key"),
    )
    op.create_index("ix_batches_round_id", "batches", ["round_id"])
    op.create_index("ix_batches_state", "batches", ["state"])
    op.create_table(
        "candidates",
        sa.Column("cycle_id", ID, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("atom", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("item", sa.Text(), nullable=False),
        sa.Column("pattern", sa.Text(), nullable=False),
        sa.Column("score_bin", sa.Integer(), nullable=False),
        sa.Column("time", TIME, nullable=False),
        sa.Column("copies", ID, nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("segments", sa.JSON(), nullable=False),
        sa.Column("cluster", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["cycle_id", "atom"], ["atoms.cycle_id", "atoms.position"], name="fk_candidates_cycle_id"
        ),
        sa.PrimaryKeyConstraint("cycle_id", "position", name="pk_candidates"),
    )
    op.create_table(
        "draws",
        sa.Column("cycle_id", ID, autoincrement=False, nullable=False),
        sa.Column("item_key", sa.Text(), nullable=False),
        sa.Column("round_id", ID, autoincrement=False, nullable=False),
        sa.Column("item", sa.Text(), nullable=False),
        sa.Column("atom", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("inclusion", sa.Double(), nullable=False),
        sa.Column("reused", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["cycle_id", "atom"], ["atoms.cycle_id", "atoms.position"], name="fk_draws_cycle_id"),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name="fk_draws_round_id"),
        sa.PrimaryKeyConstraint("cycle_id", "item_key", name="pk_draws"),
    )
    op.create_index("ix_draws_item_key", "draws", ["item_key"])
    op.create_index("ix_draws_round_id", "draws", ["round_id"])
    op.create_table(
        "estimates",
        sa.Column("revision_id", ID, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("classifier", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("segment_column", sa.Text(), nullable=True),
        sa.Column("segment_value", sa.Text(), nullable=True),
        sa.Column("segment", sa.Text(), nullable=True),
        sa.Column("segment_key", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.Column("n_eff", sa.Double(), nullable=True),
        sa.Column("undefined", sa.Text(), nullable=True),
        sa.Column("labels_used", sa.Integer(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.CheckConstraint("(segment IS NULL) = (segment_key = '')", name="ck_estimates_segment"),
        sa.CheckConstraint(
            "(undefined IS NOT NULL AND value IS NULL AND low IS NULL AND high IS NULL AND n_eff IS NULL) OR "
            "(undefined IS NULL AND value IS NOT NULL AND low IS NOT NULL AND high IS NOT NULL AND n_eff IS NOT NULL)",
            name="ck_estimates_outcome",
        ),
        sa.ForeignKeyConstraint(["revision_id"], ["revisions.id"], name="fk_estimates_revision_id"),
        sa.PrimaryKeyConstraint("revision_id", "position", name="pk_estimates"),
    )
    op.create_index(
        "uq_estimates_stream", "estimates", ["revision_id", "classifier", "metric", "segment_key"], unique=True
    )
