"""Counts what was set aside by file and reason, so that a flood of junk is a few rows and not a million."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from stratawatch.engine.model.quarantined_row import QuarantinedRow

SHOWN: Final = 5
"""Lines of a file and reason that are kept to look at."""


def count_by_file(rows: Iterable[QuarantinedRow]) -> list[QuarantinedRow]:
    """One row for each file and reason, or, of labels that came in no file, for each source and reason.

    Its `count` says how many there are, its `lines` hold the first of them. The store adds up what comes later.
    """
    groups: dict[tuple[str, str], list[QuarantinedRow]] = {}
    for row in rows:
        groups.setdefault((_origin(row), row.reason), []).append(row)
    return [_counted(origin, reason, several) for (origin, reason), several in groups.items()]


def _origin(row: QuarantinedRow) -> str:
    return str(row.content.get("file") or row.content.get("source") or row.key)


def _counted(origin: str, reason: str, rows: Sequence[QuarantinedRow]) -> QuarantinedRow:
    lines = [{"key": row.key, **row.content} for row in islice(rows, SHOWN)]
    return QuarantinedRow("label", origin, reason, {"count": len(rows), "lines": lines})
