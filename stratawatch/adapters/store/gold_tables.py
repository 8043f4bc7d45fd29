"""The tables of gold items."""

from typing import get_args

from sqlalchemy import Column, Index, Table, Text

from stratawatch.adapters.store.columns import AnyText, Document, UtcTime, one_of, reference, text_column
from stratawatch.adapters.store.tables import METADATA
from stratawatch.engine.model.gold import GoldTruth

gold_items = Table(
    "gold_items",
    METADATA,
    Column("panel", AnyText, primary_key=True),
    Column("question_key", Text, primary_key=True),
    Column("item", AnyText, primary_key=True),
    Column("truth", Text, nullable=False),
    Column("payload", Document, nullable=False),
    Column("kept_at", UtcTime, nullable=False),
    one_of("truth", get_args(GoldTruth)),
)

gold_asks = Table(
    "gold_asks",
    METADATA,
    Column("item_key", AnyText, primary_key=True),
    reference("rounds.id"),
    text_column("panel"),
    Column("question_key", Text, nullable=False),
    text_column("item"),
    Index("ix_gold_asks_round_id", "round_id"),
    Index("ix_gold_asks_panel", "panel", "item"),
)
