"""Notifications that nobody took before they were over, sends whose end is not known, and the last run of a flow.

Rows that an earlier program gave up (failed) stay as they are here: the next advance makes those due again whose
incident is open.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
STATES = "state IN ('pending', 'sent', 'failed', 'superseded')"


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        rebuild()
    else:
        op.add_column(
            "notifications", sa.Column("unconfirmed", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
        op.drop_constraint("ck_notifications_state", "notifications", type_="check")
        op.create_check_constraint("ck_notifications_state", "notifications", STATES)
    op.create_table(
        "last_runs",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("finished_at", TIME, nullable=False),
        sa.Column("good_at", TIME, nullable=True),
        sa.Column("troubles", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_last_runs"),
    )


def rebuild() -> None:
    """SQLite cannot change a CHECK, so the rows move into a new table under the old name."""
    op.drop_index("ix_notifications_state", "notifications")
    op.rename_table("notifications", "notifications_before")
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
        sa.Column("unconfirmed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.CheckConstraint("severity IN ('page', 'warning', 'resolved')", name="ck_notifications_severity"),
        sa.CheckConstraint(STATES, name="ck_notifications_state"),
        sa.PrimaryKeyConstraint("id", name="pk_notifications"),
        sa.UniqueConstraint("key_hash", name="uq_notifications_key_hash"),
    )
    columns = (
        "id, key_hash, key, dedup_key, channel, severity, subject, body, facts, created_at, state, attempts, next_at, "
        "claimed_by, claimed_until, reference, last_error, sent_at"
    )
    op.execute(f"INSERT INTO notifications ({columns}) SELECT {columns} FROM notifications_before")
    op.drop_table("notifications_before")
    op.create_index("ix_notifications_state", "notifications", ["state"])
