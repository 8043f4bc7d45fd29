"""The pictures of a day's page, in a folder beside it: one of all classifiers, and one of each."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from stratawatch.atomic_files import PRIVATE, replace_file
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.alarms.report_notices import LARGEST_PICTURE
from stratawatch.folder_names import PICTURES, slug
from stratawatch.report.chart_style import small_png
from stratawatch.report.classifier_picture import classifier_figure, drawn_scores
from stratawatch.report.findings import finding
from stratawatch.report.overview_picture import broken_limits, by_urgency, overview_figure, shown_metrics
from stratawatch.report.view_models import PanelView
from stratawatch.report.wording import metric_words

OVERVIEW: Final = "overview.png"
_URGENT: Final = (AlarmState.BREACH, AlarmState.BLIND, AlarmState.AT_RISK)


@dataclass(frozen=True)
class Picture:
    """A picture's file, what it shows in words, and whether it shows something that needs somebody."""

    path: Path
    finding: str
    is_urgent: bool


def write_pictures(view: PanelView, page: Path) -> tuple[Picture, ...]:
    """Draw the pictures of a page anew: the overview, then the classifiers, the most urgent first.

    There are none while nothing was estimated. Files that an earlier set of the day had and this one has not go.
    """
    folder = pictures_folder(page)
    if folder.is_symlink():  # what it leads to is not ours
        folder.unlink(missing_ok=True)
    pictures = tuple(_pictures(view, folder))
    kept = {picture.path.name for picture in pictures}
    if not pictures:
        drop_pictures(page)
    elif folder.is_dir():
        for old in folder.iterdir():
            if old.name not in kept and old.suffix == ".png":
                old.unlink(missing_ok=True)
    return pictures


def drop_pictures(page: Path) -> None:
    """Delete the pictures of a page, if there are any: they would be those of an earlier page of that day."""
    folder = pictures_folder(page)
    if folder.is_symlink():
        folder.unlink(missing_ok=True)
    elif folder.is_dir():
        shutil.rmtree(folder)


def pictures_folder(page: Path) -> Path:
    """Where the pictures of a day's page lie."""
    return page.with_suffix(PICTURES)


def for_mail(pictures: tuple[Picture, ...]) -> tuple[Picture, ...]:
    """The overview, and the most urgent classifier where one needs somebody."""
    return (*pictures[:1], *[one for one in pictures[1:] if one.is_urgent][:1])


def _pictures(view: PanelView, folder: Path) -> Iterator[Picture]:
    if not view.trends:
        return
    states = {name: {one.state for one in view.scores if one.classifier == name} for name in by_urgency(view.scores)}
    urgent = {name: any(state in _URGENT for state in found) for name, found in states.items()}
    _write(folder / OVERVIEW, small_png(partial(overview_figure, view), LARGEST_PICTURE))
    yield Picture(folder / OVERVIEW, _overview_finding(view), any(urgent.values()))
    for name in states:
        scores = drawn_scores(view, name)
        if scores:
            path = folder / f"classifier-{slug(name)}.png"
            _write(path, small_png(partial(classifier_figure, view, name), LARGEST_PICTURE))
            yield Picture(path, ". ".join(finding(view, one) for one in scores) + ".", urgent[name])


def _overview_finding(view: PanelView) -> str:
    metrics = shown_metrics(view.scores)
    what = " and ".join(metric_words(metric) for metric in metrics)
    return " ".join([f"{view.headline.sentence} The picture shows {what} of all classifiers against their limits.",
                     *broken_limits(view, metrics)])  # fmt: skip


def _write(path: Path, content: bytes) -> None:
    replace_file(path, content, mode=PRIVATE)
