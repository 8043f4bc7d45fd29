"""Gold items, whose truth is known, and the keys under which rounds asked for them."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def _text(name: str) -> sa.Column:
    return sa.Column(name, sa.Text(), nullable=False)


def upgrade() -> None:
    op.create_table(
        "gold_items",
        *(_text(name) for name in ("panel", "question_key", "item", "truth")),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("kept_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("panel", "question_key", "item", name="pk_gold_items"),
        sa.CheckConstraint("truth IN ('yes', 'no')", name="ck_gold_items_truth"),
    )
    op.create_table(
        "gold_asks",
        _text("item_key"),
        sa.Column("round_id", ID, nullable=False),
        *(_text(name) for name in ("panel", "question_key", "item")),
        sa.PrimaryKeyConstraint("item_key", name="pk_gold_asks"),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name="fk_gold_asks_round_id"),
    )
    op.create_index("ix_gold_asks_round_id", "gold_asks", ["round_id"])
    op.create_index("ix_gold_asks_panel", "gold_asks", ["panel", "item"])
