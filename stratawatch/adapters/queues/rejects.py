"""Files of lines that were set aside, with the reason; the same line is kept once."""

import json
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from stratawatch.atomic_files import replace_file
from stratawatch.engine.model.quarantined_row import QuarantinedRow


def keep_rejects(folder: Path, rows: Iterable[QuarantinedRow]) -> None:
    """Add each row once to the file of the same name in `folder`."""
    for name, group in groupby(rows, key=lambda row: str(row.content["file"])):
        path = folder / name
        # A planted link is replaced like any file, never read: it could show what lies outside.
        kept = [] if path.is_symlink() or not path.exists() else path.read_bytes().splitlines(keepends=True)
        present = set(kept)
        fresh = [line for line in map(_line, group) if line not in present]
        if fresh:
            replace_file(path, b"".join([*kept, *fresh]))


def _line(row: QuarantinedRow) -> bytes:
    return (json.dumps({"reason": row.reason, **row.content}) + "\n").encode()
