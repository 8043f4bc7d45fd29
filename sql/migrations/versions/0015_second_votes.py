"""Which vote on its items a batch asks for, and by which rule, where it is not the first."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("batches", sa.Column("vote", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("batches", sa.Column("rule", sa.Text(), nullable=False, server_default=sa.text("''")))
