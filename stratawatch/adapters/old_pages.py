"""Deletes reports with their pictures and pages of the input check, once they are older than their periods.

The dates in their names say how old they are. Nothing else in the folder is touched, and neither is `latest.html`.
"""

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from stratawatch.folder_names import PICTURES

_REPORT: Final = re.compile(r"\d{4}-\d\d-\d\d\.html")
_PICTURES: Final = re.compile(rf"\d{{4}}-\d\d-\d\d{re.escape(PICTURES)}")
_CHECKED_WINDOW: Final = re.compile(r"\d{8}T\d{6}Z")


def drop_old_pages(report_folder: Path, checks: str, reports_before: datetime, checks_before: datetime) -> int:
    """Delete what is older, below the folder of reports and its subfolder of checked windows; returns how many.

    The pictures of a page go with it and are not counted.
    """
    old = [*_dated(report_folder.glob("*/*.html"), _REPORT, "%Y-%m-%d.html", reports_before)]
    old += _dated((report_folder / checks).glob("*/*"), _CHECKED_WINDOW, "%Y%m%dT%H%M%SZ", checks_before)
    pictures = _dated(report_folder.glob(f"*/*{PICTURES}"), _PICTURES, f"%Y-%m-%d{PICTURES}", reports_before)
    for path in [*old, *pictures]:
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
