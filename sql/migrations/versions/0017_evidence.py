"""Evidence on the ends of limits, window by window, by which rule windows were judged, silences, acknowledgements.

Of what was drawn before it is known whether an earlier window had drawn it. Which labels bet was not fixed then: `bets`
stays null, and evidence begins with the windows to come.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
# By ranks, in one pass over all draws: each by itself would go through all earlier windows. Two cycles of a window have
# the same rank.
DRAWN_BEFORE = """
    UPDATE draws SET first_use = FALSE WHERE (cycle_id, item_key) IN (
        SELECT turns.cycle_id, turns.item_key
        FROM (
            SELECT
                d.cycle_id,
                d.item_key,
                RANK() OVER (PARTITION BY c.panel, d.item_key ORDER BY c.window_start) AS turn
            FROM draws AS d
            INNER JOIN cycles AS c ON c.id = d.cycle_id
        ) AS turns
        WHERE turns.turn > 1
    )
"""
# As one statement: SQLite adds a check with its column only.
RULE = """
    ALTER TABLE incidents ADD COLUMN rule TEXT DEFAULT '' NOT NULL
    CONSTRAINT ck_incidents_rule CHECK (rule IN ('', 'evidence', 'window'))
"""


NOTIFICATION = (
    "id, key_hash, key, dedup_key, channel, severity, subject, body, facts, created_at, state, attempts, next_at, "
    "claimed_by, claimed_until, reference, last_error, sent_at, unconfirmed"
)
SEVERITIES = "severity IN ('page', 'warning', 'update', 'resolved')"


def _text(name: str, *, nullable: bool = False) -> sa.Column:
    return sa.Column(name, sa.Text(), nullable=nullable)


def upgrade() -> None:
    draws_and_incidents()
    evidence()
    restarts_and_rules()
    updates()
    op.create_table(
        "silences",
        sa.Column("id", ID, nullable=False),
        _text("panel"),
        *(_text(name, nullable=True) for name in ("classifier", "metric", "segment")),
        sa.Column("until", TIME, nullable=False),
        _text("reason"),
        _text("by"),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("ended_at", TIME, nullable=True),
        sa.CheckConstraint("created_at < until", name="ck_silences_until"),
        sa.PrimaryKeyConstraint("id", name="pk_silences"),
    )
    op.create_index("ix_silences_until", "silences", ["until"])


def draws_and_incidents() -> None:
    for name in ("first_use", "bets"):
        op.add_column("draws", sa.Column(name, sa.Boolean(), nullable=True))
    op.execute("UPDATE draws SET first_use = TRUE")
    op.execute(DRAWN_BEFORE)
    op.execute(RULE)
    op.add_column("incidents", sa.Column("since", TIME, nullable=True))
    op.add_column("incidents", sa.Column("evidence", sa.Double(), nullable=True))
    op.add_column("incidents", sa.Column("acknowledged_at", TIME, nullable=True))
    for name in ("acknowledged_by", "acknowledged_why"):
        op.add_column("incidents", sa.Column(name, sa.Text(), nullable=False, server_default=sa.text("''")))
    op.add_column("baselines", sa.Column("log_b", sa.JSON(), nullable=True))
    op.add_column("cycles", sa.Column("focus", sa.JSON(), nullable=True))


def updates() -> None:
    """Notifications may be updates. SQLite cannot change a CHECK, so there the rows move into a new table."""
    if op.get_bind().dialect.name != "sqlite":
        op.drop_constraint("ck_notifications_severity", "notifications", type_="check")
        op.create_check_constraint("ck_notifications_severity", "notifications", SEVERITIES)
        return
    for name in ("state", "dedup_key", "created_at"):
        op.drop_index(f"ix_notifications_{name}", "notifications")
    op.rename_table("notifications", "notifications_before")
    op.create_table(
        "notifications",
        sa.Column("id", ID, nullable=False),
        *(_text(name) for name in ("key_hash", "key", "dedup_key", "channel", "severity", "subject", "body")),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("state", sa.Text(), server_default="pending", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("next_at", TIME, nullable=True),
        _text("claimed_by", nullable=True),
        sa.Column("claimed_until", TIME, nullable=True),
        sa.Column("reference", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("last_error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("sent_at", TIME, nullable=True),
        sa.Column("unconfirmed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.CheckConstraint(SEVERITIES, name="ck_notifications_severity"),
        sa.CheckConstraint("state IN ('pending', 'sent', 'failed', 'superseded')", name="ck_notifications_state"),
        sa.PrimaryKeyConstraint("id", name="pk_notifications"),
        sa.UniqueConstraint("key_hash", name="uq_notifications_key_hash"),
    )
    op.execute(f"INSERT INTO notifications ({NOTIFICATION}) SELECT {NOTIFICATION} FROM notifications_before")
    op.drop_table("notifications_before")
    for name in ("state", "dedup_key", "created_at"):
        op.create_index(f"ix_notifications_{name}", "notifications", [name])


def evidence() -> None:
    op.create_table(
        "evidence",
        sa.Column("id", ID, nullable=False),
        sa.Column("cycle_id", ID, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        *(_text(name) for name in ("panel", "classifier", "metric")),
        _text("segment", nullable=True),
        *(_text(name) for name in ("segment_key", "limit_end")),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("loss", sa.Double(), nullable=False),
        sa.Column("sign", sa.Integer(), nullable=False),
        sa.Column("point", sa.Integer(), nullable=False),
        sa.Column("limit_value", sa.Double(), nullable=False),
        sa.Column("stake", sa.Double(), nullable=False),
        sa.Column("log_e", sa.Double(), nullable=False),
        sa.Column("labels", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_evidence"),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycles.id"], name="fk_evidence_cycle_id"),
        sa.CheckConstraint("limit_end IN ('floor', 'ceiling', 'max_drop')", name="ck_evidence_limit_end"),
        sa.CheckConstraint("sign IN (1, -1)", name="ck_evidence_sign"),
        sa.CheckConstraint("(segment IS NULL) = (segment_key = '')", name="ck_evidence_segment"),
    )
    bet = ["cycle_id", "revision", "classifier", "metric", "segment_key", "limit_end", "ordinal", "loss"]
    op.create_index("uq_evidence_bet", "evidence", [*bet, "sign", "point"], unique=True)


def restarts_and_rules() -> None:
    op.create_table(
        "evidence_restarts",
        sa.Column("id", ID, nullable=False),
        _text("row_key"),
        _text("panel"),
        *(_text(name, nullable=True) for name in ("classifier", "metric", "segment")),
        _text("segment_key"),
        sa.Column("cycle_id", ID, nullable=False),
        _text("why"),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_evidence_restarts"),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycles.id"], name="fk_evidence_restarts_cycle_id"),
        sa.UniqueConstraint("row_key", name="uq_evidence_restarts_row_key"),
        sa.CheckConstraint("(segment IS NULL) = (segment_key = '')", name="ck_evidence_restarts_segment"),
        sa.CheckConstraint("(classifier IS NULL) = (metric IS NULL)", name="ck_evidence_restarts_stream"),
    )
    op.create_index("ix_evidence_restarts_panel", "evidence_restarts", ["panel"])
    op.create_table(
        "judgement_rules",
        sa.Column("cycle_id", ID, nullable=False),
        _text("rule"),
        sa.Column("persisting", sa.Double(), nullable=False),
        _text("why"),
        sa.PrimaryKeyConstraint("cycle_id", name="pk_judgement_rules"),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycles.id"], name="fk_judgement_rules_cycle_id"),
        sa.CheckConstraint("rule IN ('evidence', 'window')", name="ck_judgement_rules_rule"),
    )
