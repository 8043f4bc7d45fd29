"""A window may have several cycles, of which all but the last were replaced and have a negative period."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

PRESENT = sa.text("period >= 0")


def upgrade() -> None:
    op.drop_index("uq_cycles_panel_window", "cycles")
    op.create_index(
        "uq_cycles_panel_window",
        "cycles",
        ["panel", "window_start"],
        unique=True,
        sqlite_where=PRESENT,
        postgresql_where=PRESENT,
    )
