"""Truth that arrives by itself, and the warnings made of it: apart from labels, which estimates are made of."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def _text(name: str, *, nullable: bool = False) -> sa.Column:
    return sa.Column(name, sa.Text(), nullable=nullable)


def upgrade() -> None:
    op.create_table(
        "truth_statements",
        sa.Column("id", ID, nullable=False),
        *(_text(name) for name in ("statement_key", "panel", "item", "value", "source")),
        sa.Column("at", TIME, nullable=False),
        sa.Column("received_at", TIME, nullable=False),
        sa.Column("predicted_at", TIME, nullable=True),
        sa.Column("calls", sa.JSON(), nullable=False),
        sa.CheckConstraint("value IN ('yes', 'no', 'retract')", name="ck_truth_statements_value"),
        sa.PrimaryKeyConstraint("id", name="pk_truth_statements"),
        sa.UniqueConstraint("statement_key", name="uq_truth_statements_statement_key"),
    )
    op.create_index("ix_truth_statements_panel", "truth_statements", ["panel", "item"])
    op.create_index("ix_truth_statements_received_at", "truth_statements", ["received_at"])
    op.create_table(
        "truth_warnings",
        sa.Column("id", ID, nullable=False),
        _text("panel"),
        sa.Column("cycle_id", ID, nullable=False),
        _text("classifier"),
        _text("metric"),
        _text("segment", nullable=True),
        _text("segment_key"),
        _text("sentence"),
        sa.Column("at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["cycle_id"], ["cycles.id"], name="fk_truth_warnings_cycle_id"),
        sa.PrimaryKeyConstraint("id", name="pk_truth_warnings"),
    )
    stream = ["cycle_id", "classifier", "metric", "segment_key"]
    op.create_index("uq_truth_warnings_stream", "truth_warnings", stream, unique=True)
