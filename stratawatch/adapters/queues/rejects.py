"""Files of lines that were set aside, with the reason; the same line is kept once, and only so many of a file."""

import json
from collections.abc import Iterable
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
    for name, group in groupby(rows, key=lambda row: str(row.content["file"])):
        path = folder / name
        # A planted link is replaced like any file, never read: it could show what lies outside.
        kept = [] if path.is_symlink() or not path.exists() else path.read_bytes().splitlines(keepends=True)
        if len(kept) > MOST_KEPT:
            continue
        present = set(kept)
        fresh = list(islice((line for line in map(_line, group) if line not in present), MOST_KEPT - len(kept) + 1))
        if fresh:
            lines = [*kept, *fresh]
            replace_file(path, b"".join(lines if len(lines) <= MOST_KEPT else [*lines[:MOST_KEPT], NO_MORE]), mode=mode)


def _line(row: QuarantinedRow) -> bytes:
    return (json.dumps({"reason": row.reason, **row.content}) + "\n").encode()
