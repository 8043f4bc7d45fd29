"""A stretch of time as people read it."""

from datetime import datetime


def span_text(start: datetime, end: datetime) -> str:
    """Days where it begins and ends at midnight, else with times. Half-open, as everywhere.

    >>> span_text(datetime(2026, 1, 5), datetime(2026, 1, 12)), span_text(datetime(2026, 1, 5, 6), datetime(2026, 1, 6))
    ('2026-01-05 to 2026-01-12', '2026-01-05 06:00 to 2026-01-06 00:00')
    """
    midnight = (start.hour, start.minute, end.hour, end.minute) == (0, 0, 0, 0)
    pattern = "%Y-%m-%d" if midnight else "%Y-%m-%d %H:%M"
    return f"{start:{pattern}} to {end:{pattern}}"
