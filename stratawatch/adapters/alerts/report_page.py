"""The page of a report as a file, and its pictures, for channels that attach them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from stratawatch.adapters.alerts.alert_text import one_line
from stratawatch.engine.alarms.report_notices import LARGEST_PICTURE, PAGE, PICTURES
from stratawatch.engine.model.alarm_records import Notification

LARGEST_PAGE: Final = 7_000_000
"""Bytes of a page that is attached: mail servers often take no more than 10 MB, and an attachment grows by a third."""
MOST_PICTURES: Final = 2
LONGEST_PATH: Final = 1000
LONGEST_FINDING: Final = 1000
_PNG: Final = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class ReportPage:
    """A file with its name, or a line that says why there is none; all empty where none was written."""

    name: str = ""
    content: bytes = b""
    why_not: str = ""


@dataclass(frozen=True)
class ReportPicture:
    """A picture with its name, and what it shows in words."""

    name: str
    content: bytes
    finding: str


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


def pictures_of(notification: Notification, folder: Path | None) -> tuple[ReportPicture, ...]:
    """The pictures of the page that a notification is about, as far as they are there and small; of the others none.

    They say nothing that the page does not, so that nothing is said of those that were deleted or not asked for.
    """
    named = notification.facts.get(PICTURES)
    if not (notification.is_report and isinstance(named, list)) or folder is None:
        return ()
    found = (_picture(one, folder) for one in named[:MOST_PICTURES] if isinstance(one, dict))
    return tuple(one for one in found if one is not None)


def _picture(named: dict[str, Any], folder: Path) -> ReportPicture | None:
    place = (folder / one_line(str(named.get("file", "")), LONGEST_PATH)).resolve()
    try:
        if not place.is_relative_to(folder.resolve()) or not place.is_file():
            return None
        with place.open("rb") as file:
            content = file.read(LARGEST_PICTURE + 1)
    except OSError:
        return None
    # What is no picture may be a secret that somebody put a link to in its place.
    if len(content) > LARGEST_PICTURE or not content.startswith(_PNG):
        return None
    return ReportPicture(place.name, content, one_line(str(named.get("finding", "")), LONGEST_FINDING))
