import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest

from stratawatch.adapters.sources.json_values import to_json


class TestPlain:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (None, None),
            (True, True),
            (3, 3),
            ("é\n", "é\n"),
            (0.5, 0.5),
            (float("nan"), None),
            (float("inf"), None),
            (Decimal("1.10"), "1.10"),
            (datetime(2026, 1, 5, 12), "2026-01-05T12:00:00+00:00"),  # noqa: DTZ001 - naive times are UTC
            (datetime(2026, 1, 5, 12, tzinfo=timezone(timedelta(hours=2))), "2026-01-05T10:00:00+00:00"),
            (date(2026, 1, 5), "2026-01-05"),
            (b"caf\xc3\xa9\xff", "café�"),
            (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
            ([1, [float("nan")]], [1, [None]]),
            ({"a": {1: datetime(2026, 1, 5, tzinfo=UTC)}}, {"a": {"1": "2026-01-05T00:00:00+00:00"}}),
        ],
    )
    def test_every_value_becomes_json(self, value, expected):
        assert to_json(value) == expected
        json.dumps(to_json(value), allow_nan=False)
