"""Payload values as JSON can hold them."""

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any


def to_json(value: Any) -> Any:
    """A value of a column as JSON: times as ISO text in UTC, what JSON has no type for as text, NaN as null.

    >>> to_json([date(2026, 1, 2), float("nan"), b"x"])
    ['2026-01-02', None, 'x']
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): to_json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(one) for one in value]
    return _as_text(value)


def _as_text(value: Any) -> str:
    if isinstance(value, datetime):
        return (value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", errors="replace")
    return str(value)
