"""Files of lines that were set aside, with the reason; the same line is kept once, and only so many of a file."""

import json
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Final

from stratawatch.atomic_files import replace_file
from stratawatch.engine.model.quarantined_row import QuarantinedRow

MOST_KEPT: Final = 1000
"""Lines that are kept of one label file: somebody who looks for the fault needs some of them, not a million."""
NO_MORE: Final = b'{"reason": "further lines of this file were set aside and are not kept here"}\n'


def keep_rejects(folder: Path, rows: Iterable[QuarantinedRow], mode: int | None = None) -> None:
    """Add each row once to the file of the same name in `folder`, as long as there is room in it."""
    for name, group in by_file(rows):
        path = folder / name
        # A planted link is replaced like any file, never read: it could show what lies outside.
        content = with_rejects(b"" if path.is_symlink() or not path.exists() else path.read_bytes(), group)
        if content is not None:
            replace_file(path, content, mode=mode)


def by_file(rows: Iterable[QuarantinedRow]) -> Iterator[tuple[str, Iterator[QuarantinedRow]]]:
    """The rows of each label file, which stand together, with its name."""
    return groupby(rows, key=lambda row: str(row.content["file"]))


def with_rejects(content: bytes, rows: Iterable[QuarantinedRow]) -> bytes | None:
    """What a file of set aside lines holds with these rows; None when that is what it holds already."""
    kept = content.splitlines(keepends=True)
    if len(kept) > MOST_KEPT:
        return None
    present = set(kept)
    fresh = list(islice((line for line in map(_line, rows) if line not in present), MOST_KEPT - len(kept) + 1))
    if not fresh:
        return None
    lines = [*kept, *fresh]
    return b"".join(lines if len(lines) <= MOST_KEPT else [*lines[:MOST_KEPT], NO_MORE])


def _line(row: QuarantinedRow) -> bytes:
    return (json.dumps({"reason": row.reason, **row.content}) + "\n").encode()
