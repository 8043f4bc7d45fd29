"""Write the reports' files atomically: a page for each panel and day, the latest, and an index."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from stratawatch.atomic_files import PRIVATE, replace_text
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.cycle.frozen_budgets import FrozenBudgets, frozen_budgets
from stratawatch.engine.model.limit_outlook import outlooks_with_pauses
from stratawatch.engine.model.panel_links import PanelLinks
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.pauses import SHADOW, Pauses
from stratawatch.engine.ports import Store
from stratawatch.errors import StratawatchError, Unreachable
from stratawatch.extras import require
from stratawatch.folder_names import LATEST, latest_report, slug
from stratawatch.formatting import capitalised
from stratawatch.report.events import DocsLink
from stratawatch.report.next_window import next_window
from stratawatch.report.page import index_page, panel_page
from stratawatch.report.picture_set import Picture, drop_pictures, write_pictures
from stratawatch.report.several_windows import SeveralWindows, with_several_windows
from stratawatch.report.trends import with_deployments
from stratawatch.report.view import SHOWN_CYCLES, build, relative_docs
from stratawatch.report.view_models import PanelView


def write(
    store: Store,
    panels: Mapping[str, PanelSpec] | None,
    folder: Path,
    now: datetime,
    *,
    cycles: int = SHOWN_CYCLES,
    docs_link: DocsLink = relative_docs,
    paused: Pauses | None = None,
    links: Mapping[str, PanelLinks] = MappingProxyType({}),
) -> Path:
    """Write `<folder>/<panel>/<date>.html`, the same as `latest.html`, and `<folder>/index.html`.

    `panels` None means every panel the store knows; `links` say who looks after each, and where its runbook is.
    Returns the page to open: the panel's own, if there is only one, else the index.
    """
    return write_reports(
        store, panels, folder, now, cycles=cycles, docs_link=docs_link, paused=paused, links=links
    ).to_open


@dataclass(frozen=True)
class WrittenReports:
    """What was written: the page to open, the views, and by panel the day's page and its pictures."""

    to_open: Path
    views: tuple[PanelView, ...]
    pages: Mapping[str, Path]
    pictures: Mapping[str, tuple[Picture, ...]] = field(default_factory=dict)


def write_reports(
    store: Store,
    panels: Mapping[str, PanelSpec] | None,
    folder: Path,
    now: datetime,
    *,
    cycles: int = SHOWN_CYCLES,
    docs_link: DocsLink = relative_docs,
    paused: Pauses | None = None,
    links: Mapping[str, PanelLinks] = MappingProxyType({}),
    smallest_cell: int = 0,
    with_pictures: bool = False,
) -> WrittenReports:
    """The same as `write`, with what the pages show; `with_pictures` draws them beside each day's page."""
    require("report")
    paused = paused or Pauses()
    specs = dict(panels) if panels is not None else _stored_panels(store)
    if not specs:
        raise StratawatchError("there is no panel to report on", hint="run `stratawatch open` once, or configure one")
    shown = [
        panel_view(store, spec, now, paused, links, cycles=cycles, docs_link=docs_link, smallest_cell=smallest_cell)
        for spec in specs.values()
    ]
    budgets = [frozen_budgets(store, spec, now) for spec in specs.values()]
    views = [
        with_several_windows(with_next_window(view, found), SeveralWindows.read(store, view.panel))
        for view, found in zip(shown, budgets, strict=True)
    ]
    pages, pictures = {}, {}
    for view in views:
        text, home = panel_page(view), folder / slug(view.panel)
        page = home / f"{now:%Y-%m-%d}.html"
        _write(page, text)
        _write(home / LATEST, text)
        pages[view.panel] = page
        pictures[view.panel] = _draw(view, page) if with_pictures else _no_pictures(page)
    _write(folder / "index.html", index_page([(view, latest_report(view.panel)) for view in views]))
    to_open = next(iter(pages.values())) if len(pages) == 1 else folder / "index.html"
    return WrittenReports(to_open, tuple(views), pages, pictures)


def panel_view(
    store: Store,
    spec: PanelSpec,
    now: datetime,
    paused: Pauses,
    links: Mapping[str, PanelLinks],
    *,
    cycles: int = SHOWN_CYCLES,
    docs_link: DocsLink = relative_docs,
    smallest_cell: int = 0,
) -> PanelView:
    """What pages show of a panel, with what is paused of it, what was deployed, and where it leads."""
    shadows, leads = paused.shadows_of(spec.name), links.get(spec.name, PanelLinks())
    view = build(store, spec, now, cycles=cycles, docs_link=docs_link, shadows=shadows, smallest_cell=smallest_cell)
    return replace(_with_pause(view, paused), links=leads, trends=with_deployments(view.trends, leads.deployments))


def with_next_window(view: PanelView, budgets: FrozenBudgets | None) -> PanelView:
    """The view with what the next window's labels are expected to tell."""
    widths = {(one.classifier, one.metric): half for one in view.scores if (half := one.half_width) is not None}
    return replace(view, next_window=next_window(widths, budgets))


def _with_pause(view: PanelView, paused: Pauses) -> PanelView:
    """The view with lines on what is paused of its panel and on its shadows, before the others; these page nobody."""
    sentences = [said for said in (paused.sentence(view.panel), _on_shadows(view, paused)) if said]
    details = (*(f"{capitalised(said)}." for said in sentences), *view.headline.details)
    scores, segments = (
        tuple(replace(one, outlooks=outlooks_with_pauses(one.outlooks, paused)) for one in many)
        for many in (view.scores, view.segments)
    )
    return replace(view, headline=replace(view.headline, details=details), scores=scores, segments=segments)


def _on_shadows(view: PanelView, paused: Pauses) -> str:
    """The shadows of a panel, and which of their limits would have paged; empty where it has none."""
    shadows = paused.shadows_of(view.panel)
    if not shadows:
        return ""
    scores = [*view.scores, *view.segments]
    breaches = [one.name for one in scores if one.classifier in shadows and one.state == AlarmState.BREACH]
    fired = f"; would have paged: {', '.join(breaches)}" if breaches else ""
    return f"{SHADOW}: {', '.join(shadows)}; judged, and nobody is paged{fired}"


def _stored_panels(store: Store) -> dict[str, PanelSpec]:
    with store.begin() as tx:
        return dict(tx.panels.latest())


def _write(path: Path, text: str) -> None:
    with _saying_where(path.parent):
        replace_text(path, text, mode=PRIVATE)


def _draw(view: PanelView, page: Path) -> tuple[Picture, ...]:
    with _saying_where(page.parent):
        return write_pictures(view, page)


def _no_pictures(page: Path) -> tuple[Picture, ...]:
    """Delete those of an earlier page of that day."""
    with _saying_where(page.parent):
        drop_pictures(page)
    return ()


@contextmanager
def _saying_where(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as trouble:
        raise Unreachable(
            f"the report could not be written to {folder}", got=trouble.strerror or str(trouble)
        ) from trouble
