"""Notifications as the engine writes them."""

from datetime import UTC, datetime

from stratawatch.engine.model.alarm_records import Notification


def notice(key="n1", severity="page", **changes) -> Notification:
    fields = {
        "key": key,
        "dedup_key": "stratawatch:spam:lr:precision:all:breach:6",
        "channel": "any",
        "severity": severity,
        "subject": "BREACH: precision of lr (spam)",
        "body": "71.2% (66.0 to 76.0) is proven below the floor of 80.0%\nLook: stratawatch report",
        "facts": {"panel": "spam", "value": 0.712},
        "created_at": datetime(2026, 2, 23, 3, 0, tzinfo=UTC),
    }
    return Notification(**{**fields, **changes})
