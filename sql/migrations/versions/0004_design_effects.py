"""Estimates keep the design effect of labels that come in clusters; before, none was known."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("estimates", sa.Column("deff", sa.Double(), nullable=True))
