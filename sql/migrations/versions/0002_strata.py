"""Atoms are drawn by stratum and foretold by history; before, each was a stratum of its own."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("atoms", sa.Column("stratum", sa.Integer(), server_default="0", nullable=False))
    op.add_column("atoms", sa.Column("foretold", sa.Double(), nullable=True))
    op.execute("UPDATE atoms SET stratum = position")
    op.create_index("ix_candidates_digest", "candidates", ["cycle_id", "digest"])
