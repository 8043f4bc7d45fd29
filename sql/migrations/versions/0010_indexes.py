"""Indexes for what is looked up among years of rows; cycles say themselves when they ended and what was purged of them.

The purge counted the log of moves up to a mark. Ids of moves are not in the order of their commits, so it could pass a
cycle that was being cancelled: nothing counts as purged yet, and every cycle is looked at once more.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

INDEXES = (
    ("cycles", "window_start", "id"),
    ("cycles", "opened_at"),
    ("cycles", "undrawn_purged", "ended_at"),
    ("cycles", "payload_purged", "ended_at"),
    ("rounds", "planned_at"),
    ("label_events", "received_at"),
    ("label_inbox", "received_at"),
    ("revisions", "at"),
    ("incidents", "dedup_key"),
    ("incidents", "panel", "opened_at"),
    ("notifications", "dedup_key"),
    ("notifications", "created_at"),
    ("transitions", "at"),
    ("quarantine", "seen_at"),
)
ENDED = """
    UPDATE cycles SET ended_at = COALESCE(
        (
            SELECT MAX(t.at)
            FROM transitions AS t
            WHERE t.entity = 'cycle' AND t.entity_id = cycles.id AND t.new_state IN ('judged', 'cancelled')
        ),
        opened_at
    )
    WHERE state IN ('judged', 'cancelled')
"""


def upgrade() -> None:
    op.add_column("cycles", sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True))
    for name in ("undrawn_purged", "payload_purged"):
        op.add_column("cycles", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute(ENDED)
    for table, *columns in INDEXES:
        op.create_index(f"ix_{table}_{columns[0]}", table, columns)
