"""What earlier windows say of the variances of a cycle's metrics, as it was when the cycle was frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.add_column("cycles", sa.Column("variance_priors", sa.JSON(), nullable=True))
