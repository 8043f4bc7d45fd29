"""The first page: a row for each panel, the most urgent first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from stratawatch.core.alarms.alarm_states import URGENCY, AlarmState
from stratawatch.report.table_rows import IncidentRow
from stratawatch.report.view_models import PanelView, Score, Trend


@dataclass(frozen=True)
class PanelRow:
    """A panel in a line: what its report says first, since when, at what cost, and how its worst metric went."""

    view: PanelView
    trend: Trend | None

    @property
    def since(self) -> datetime | None:
        """When the oldest open breach most likely began, or was opened."""
        breaches = [one for one in open_incidents(self.view) if one.kind == AlarmState.BREACH]
        return min((one.since or one.opened_at for one in breaches), default=None)

    @property
    def unattended(self) -> int:
        """Open incidents that nobody has acknowledged."""
        return sum(not one.acknowledged_by for one in open_incidents(self.view))


def panel_rows(views: Iterable[PanelView]) -> list[PanelRow]:
    """The rows, by state, then by harm, then by name; panels without a limit last."""
    return sorted((PanelRow(view, worst_trend(view)) for view in views), key=_urgency)


def open_incidents(view: PanelView) -> list[IncidentRow]:
    """The incidents of a panel that are not over."""
    return [one for one in view.incidents if one.resolved_at is None]


def worst_score(scores: Sequence[Score]) -> Score | None:
    """The score of the most urgent state."""
    limited = [one for one in scores if one.state]
    return min(limited, key=lambda one: URGENCY.index(one.state or AlarmState.OK), default=None)


def worst_trend(view: PanelView) -> Trend | None:
    """How the metric went that needs attention first."""
    worst = worst_score(view.scores)
    if worst is None:
        return view.trends[0] if view.trends else None
    alike = (one for one in view.trends if (one.classifier, one.metric) == (worst.classifier, worst.metric))
    return next(alike, None)


def counts_by_state(rows: Sequence[PanelRow]) -> list[tuple[AlarmState, int]]:
    """How many panels are in each state, the most urgent first."""
    states = [row.view.headline.state for row in rows]
    return [(AlarmState(state), number) for state in URGENCY if (number := states.count(AlarmState(state)))]


def _urgency(row: PanelRow) -> tuple[int, float, str]:
    headline = row.view.headline
    place = len(URGENCY) if headline.state is None else URGENCY.index(headline.state)
    return place, -headline.more_wrong, row.view.panel
