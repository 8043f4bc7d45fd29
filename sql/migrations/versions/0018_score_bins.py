"""The own score bin of every candidate by classifier, for cut-offs; null for what was frozen before."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column("candidates", sa.Column("score_bins", sa.JSON(), nullable=True))
