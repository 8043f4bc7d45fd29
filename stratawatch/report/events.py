"""What happened in the windows of the report: cycles, incidents, notifications, and what could not be estimated."""

from collections.abc import Callable, Sequence
from typing import Final

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.model.alarm_records import Incident
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.states import CycleState
from stratawatch.formatting import capitalised
from stratawatch.report.report_data import CycleData, ReportData
from stratawatch.report.table_rows import CycleRow, IncidentRow, NotificationRow, UndefinedRow
from stratawatch.report.view_models import Score
from stratawatch.report.wording import metric_name, span

DocsLink = Callable[[Cycle], str | None]
MOST_ROWS: Final = 60
"""Rows of each table; the newest are kept."""


def cycle_rows(facts: ReportData, docs_link: DocsLink) -> tuple[CycleRow, ...]:
    """Cycles, newest first."""
    return tuple(_cycle_row(one, docs_link(one.cycle)) for one in reversed(facts.cycles))


def incident_rows(facts: ReportData) -> tuple[IncidentRow, ...]:
    """Open incidents first, then those that ended in these windows; newest first."""
    since = facts.since
    relevant = [i for i in facts.incidents if i.resolved_at is None or (since and i.resolved_at >= since)]
    relevant.sort(key=lambda i: (i.resolved_at is None, i.opened_at, i.id), reverse=True)
    return tuple(_incident_row(facts, incident) for incident in relevant[:MOST_ROWS])


def notification_rows(facts: ReportData) -> tuple[NotificationRow, ...]:
    """The notifications about this panel in these windows, newest first."""
    since, name = facts.since, facts.spec.name
    mine = [
        n
        for n in facts.notifications
        if (n.facts.get("panel") == name or n.dedup_key.startswith(f"stratawatch:{name}:"))
        and (since is None or n.created_at >= since)
    ]
    return tuple(
        NotificationRow(n.created_at, n.kind, n.channel, n.subject, n.state, n.attempts)
        for n in reversed(mine[-MOST_ROWS:])
    )


def undefined_rows(facts: ReportData, scores: Sequence[Score]) -> tuple[UndefinedRow, ...]:
    """What could not be estimated, with the reason: windows first, then metrics of the newest window."""
    windows = [
        UndefinedRow(f"Window {span(one.cycle.window)}", why) for one in facts.cycles if (why := _why_window(one))
    ]
    metrics = [
        UndefinedRow(capitalised(score.name), score.reason)
        for score in scores
        if (score.estimate is None or score.state == AlarmState.BLIND) and not _window_is_refused(facts)
    ]
    return (*windows, *metrics)


def _window_is_refused(facts: ReportData) -> bool:
    """Whether the newest window was refused, which one line states for all its metrics."""
    return facts.newest is not None and facts.newest.cycle.state == CycleState.REFUSED


def _why_window(one: CycleData) -> str:
    state, reason = one.cycle.state, one.cycle.reason
    if state == CycleState.REFUSED:
        return f"refused: {reason}"
    if state == CycleState.CANCELLED:
        return f"cancelled: {reason}"
    if one.cycle.last_error:
        return f"held up after {one.cycle.failures} failed attempts: {one.cycle.last_error}"
    if reason and one.labels.expired:
        return f"judged on what came: {reason}"
    return ""


def _cycle_row(one: CycleData, docs: str | None) -> CycleRow:
    profile = one.cycle.profile
    return CycleRow(
        id=one.cycle.id,
        period=one.cycle.period,
        window=one.cycle.window,
        state=one.cycle.state,
        revision=one.revision.number if one.revision else None,
        rows=profile.rows if profile else None,
        quarantined=one.quarantined,
        labels=one.labels,
        note=one.cycle.last_error or one.cycle.reason,
        docs=docs,
        warnings=profile.warnings if profile else (),
    )


def _incident_row(facts: ReportData, incident: Incident) -> IncidentRow:
    key = incident.key
    where = f" in {key.segment}" if key.segment else ""
    cycle = facts.cycle_windows.get(incident.cycle_id)
    judged = next((one.states.get(key) for one in facts.cycles if one.cycle.id == incident.cycle_id), None)
    return IncidentRow(
        name=f"{metric_name(key.metric)} of {key.classifier}{where}",
        kind=incident.kind,
        opened_at=incident.opened_at,
        resolved_at=incident.resolved_at,
        window=cycle.window if cycle else None,
        # A later revision may have judged otherwise; then its sentence is not the one that opened this.
        reason=judged.reason if judged and judged.state == incident.kind else "",
        id=incident.id,
        classifier=key.classifier,
        since=incident.since,
        acknowledged_by=incident.acknowledged_by,
        metric=key.metric,
        segment=key.segment,
    )
