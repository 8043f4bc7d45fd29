"""The page of a report as a file, for channels that attach it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stratawatch.adapters.alerts.alert_text import one_line
from stratawatch.engine.alarms.report_notices import PAGE
from stratawatch.engine.model.alarm_records import Notification

LARGEST_PAGE: Final = 7_000_000
"""Bytes of a page that is attached: mail servers often take no more than 10 MB, and an attachment grows by a third."""
LONGEST_PATH: Final = 1000


@dataclass(frozen=True)
class ReportPage:
    """A file with its name, or a line that says why there is none; all empty where none was written."""

    name: str = ""
    content: bytes = b""
    why_not: str = ""


def page_of(notification: Notification, folder: Path | None) -> ReportPage:
    """The page that a notification is about, below the configuration's folder."""
    page = one_line(str(notification.facts.get(PAGE, "")), LONGEST_PATH)
    if not (notification.is_report and page) or folder is None:
        return ReportPage()
    place = (folder / page).resolve()
    if not place.is_relative_to(folder.resolve()):
        return ReportPage(why_not=f"The page is not below the folder of the configuration and not attached: {page}")
    try:
        if place.stat().st_size > LARGEST_PAGE:
            return ReportPage(why_not=f"The page is too large to attach: {page}")
        return ReportPage(f"{place.parent.name}-{place.name}", place.read_bytes())
    except FileNotFoundError:  # old pages are deleted after some time
        return ReportPage(why_not=f"The page was deleted and is not attached: {page}")
    except OSError as error:
        return ReportPage(why_not=f"The page cannot be read ({type(error).__name__}) and is not attached: {page}")
