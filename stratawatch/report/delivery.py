"""Puts what a report says in short into the outbox, for the channels that ask for reports."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.alarms.report_notices import LastReport, NoticePicture, ReportNotice, last_report, notify_report
from stratawatch.engine.ports import Ports
from stratawatch.report.picture_set import Picture, for_mail
from stratawatch.report.view_models import PanelView, Score
from stratawatch.report.wording import first_day

MOST_CHANGES: Final = 8
"""Changed states, and metrics that are not proven, that are named; of the others there is the number."""


def deliver(
    ports: Ports,
    views: Sequence[PanelView],
    pages: Mapping[str, Path],
    folder: Path,
    pictures: Mapping[str, tuple[Picture, ...]] = MappingProxyType({}),
) -> dict[str, tuple[str, ...]]:
    """Write word of each panel's report to the outbox, from which the next advance sends it.

    `pages` and their `pictures` are by panel, below the `folder` of the configuration. Returns the channels that are
    told, by panel; those that were told this week are not told again.
    """
    if not ports.report_channels:
        return {}
    told = {}
    for view in views:
        with ports.store.begin() as tx:
            before = last_report(tx, view.panel, ports.clock.now())
            page = pages[view.panel].relative_to(folder).as_posix()
            notice = replace(report_notice(view, page, before), pictures=_named(pictures.get(view.panel, ()), folder))
            told[view.panel] = notify_report(tx, ports, notice, before)
            tx.commit()
    return {panel: channels for panel, channels in told.items() if channels}


def _named(pictures: tuple[Picture, ...], folder: Path) -> tuple[NoticePicture, ...]:
    """The pictures that a mail shows."""
    return tuple(NoticePicture(one.path.relative_to(folder).as_posix(), one.finding) for one in for_mail(pictures))


def report_notice(view: PanelView, page: str, before: LastReport) -> ReportNotice:
    """The headline, what changed since the last report, and what is waited for."""
    state, scores = view.headline.state, [*view.scores, *view.segments]
    states = {score.name: score.state.value for score in scores if score.state}
    window = f"Newest window: {first_day(view.window)} (UTC){_and_old(view)}." if view.window else ""
    lines = [
        *filter(None, [window]),
        view.headline.sentence,
        *map(str, (*view.headline.told, *view.headline.further)),
        *_changes(states, before),
        *_unproven(scores),
    ]
    lines += view.headline.details
    if not view.links.report_url:
        lines.append(f"Page: {page}")
    stands = "nothing is judged yet" if state is None else state.value
    subject = f"{view.panel}, {view.generated_at:%Y-%m-%d}: {stands}"
    return ReportNotice(view.panel, subject, tuple(lines), page, states)


def _and_old(view: PanelView) -> str:
    """That nothing newer is judged, where there should be something."""
    return f"; nothing newer is judged, and it ended {view.ended_ago} ago" if view.ended_ago else ""


def _changes(states: Mapping[str, str], before: LastReport) -> Iterator[str]:
    """A sentence on the states that are other than in the last report."""
    if not before.day:
        yield "This is the first report that is sent."
        return
    since = f"since the report of {before.day}"
    names = dict.fromkeys([*states, *before.states])
    changed = [
        f"{name} {before.states.get(name, 'not judged')} to {states.get(name, 'not judged')}"
        for name in names
        if states.get(name) != before.states.get(name)
    ]
    if not changed:
        yield f"No state changed {since}."
        return
    yield f"Changed {since}: {_first(changed)}."


def _unproven(scores: Sequence[Score]) -> Iterator[str]:
    """A sentence on what would prove each metric that is not."""
    lines = [
        f"{score.name} {outlook.proof.partition(';')[0]}{f' ({outlook.what_fell})' if outlook.what_fell else ''}"
        for score in scores
        if score.state == AlarmState.UNPROVEN
        for outlook in score.outlooks
        if outlook.proof
    ]
    if lines:
        yield f"Not proven yet: {_first(lines)}."


def _first(lines: Sequence[str]) -> str:
    """The first few of several, behind one another."""
    more = f"; {len(lines) - MOST_CHANGES} more" if len(lines) > MOST_CHANGES else ""
    return "; ".join(lines[:MOST_CHANGES]) + more
