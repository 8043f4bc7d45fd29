"""Deletes reports and pages of the input check that are older than their periods, by the dates in their names.

Nothing else in the folder is touched, and neither is `latest.html`.
"""

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_REPORT: Final = re.compile(r"\d{4}-\d\d-\d\d\.html")
_CHECKED_WINDOW: Final = re.compile(r"\d{8}T\d{6}Z")


def drop_old_pages(report_folder: Path, checks: str, reports_before: datetime, checks_before: datetime) -> int:
    """Delete what is older, below the folder of reports and its subfolder of checked windows; returns how many."""
    old = [*_dated(report_folder.glob("*/*.html"), _REPORT, "%Y-%m-%d.html", reports_before)]
    old += _dated((report_folder / checks).glob("*/*"), _CHECKED_WINDOW, "%Y%m%dT%H%M%SZ", checks_before)
    for path in old:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return len(old)


def _dated(paths: Iterator[Path], name: re.Pattern[str], form: str, before: datetime) -> Iterator[Path]:
    for path in paths:
        if name.fullmatch(path.name):
            try:
                dated = datetime.strptime(path.name, form).replace(tzinfo=UTC)
            except ValueError:  # digits that are no date: not a name of ours
                continue
            if dated < before:
                yield path
