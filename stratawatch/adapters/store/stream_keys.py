"""Streams as columns: what names them, and what tells them apart."""

from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Table

from stratawatch.adapters.store.columns import segment_key, text_column
from stratawatch.engine.model.alarm_records import StreamKey

STREAM_KEY: Final = ("panel", "classifier", "metric", "segment_key")
"""The columns that tell streams apart: unlike a segment, its key is never null."""


def stream_columns() -> list[Column[Any]]:
    """The columns that name a stream."""
    columns = [text_column(name) for name in STREAM_KEY]
    return [*columns[:3], text_column("segment", nullable=True), columns[3]]


def stream_values(key: StreamKey) -> dict[str, Any]:
    """The values of a stream's key in these columns."""
    return {**asdict(key), "segment_key": segment_key(key.segment)}


def is_stream(table: Table, key: StreamKey) -> list[ColumnElement[bool]]:
    """Conditions on the rows of one stream."""
    values = stream_values(key)
    return [table.c[name] == values[name] for name in STREAM_KEY]
