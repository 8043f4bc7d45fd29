"""Baselines: what metrics were, on what evidence, and when they are in force."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "baselines",
        sa.Column("id", ID, nullable=False),
        sa.Column("row_key", sa.Text(), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("classifier", sa.Text(), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("cut_off", sa.Double(), nullable=True),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("segment", sa.Text(), nullable=True),
        sa.Column("segment_key", sa.Text(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("low", sa.Double(), nullable=False),
        sa.Column("high", sa.Double(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("n", ID, nullable=False),
        sa.Column("n_eff", sa.Double(), nullable=False),
        sa.Column("seed", ID, nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("valid_from", TIME, nullable=False),
        sa.Column("valid_until", TIME, nullable=True),
        sa.Column("measured_at", TIME, nullable=False),
        sa.CheckConstraint("(segment IS NULL) = (segment_key = '')", name="ck_baselines_segment"),
        sa.CheckConstraint("low <= value AND value <= high", name="ck_baselines_interval"),
        sa.CheckConstraint("valid_until IS NULL OR valid_from < valid_until", name="ck_baselines_validity"),
        sa.PrimaryKeyConstraint("id", name="pk_baselines"),
        sa.UniqueConstraint("row_key", name="uq_baselines_row_key"),
    )
    op.create_index("ix_baselines_panel", "baselines", ["panel"])
