"""The page of one incident: what is wrong, what happened, who looks after it, and which cut-offs were tried."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.alarms.incident_history import Happening, history_of
from stratawatch.engine.alarms.notifications import News, first_step
from stratawatch.engine.evidence.compared_windows import ComparedWindows
from stratawatch.engine.evidence.cut_off_text import CutOffRow, cut_off_rows, tried_text
from stratawatch.engine.evidence.news import news_of_open_breaches
from stratawatch.engine.evidence.tried_cut_offs import cut_offs_of_incidents
from stratawatch.engine.model.alarm_records import Incident, Silence, covering
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.report.wording import metric_words


@dataclass(frozen=True)
class IncidentView:
    """One incident, with what its newest window says of it while it is open."""

    incident: Incident
    news: News
    step: str
    history: tuple[Happening, ...]
    silence: Silence | None
    tried: str
    cut_offs: tuple[CutOffRow, ...]

    @property
    def is_open(self) -> bool:
        """Whether it is not over."""
        return self.incident.resolved_at is None

    @property
    def name(self) -> str:
        """What it is about."""
        return incident_name(self.incident)


@dataclass(frozen=True)
class IncidentLine:
    """An incident in a list, and until when nobody is told of it."""

    incident: Incident
    silent_until: datetime | None

    @property
    def name(self) -> str:
        """What it is about."""
        return incident_name(self.incident)


def incident_name(incident: Incident) -> str:
    """An incident in a heading."""
    key = incident.key
    where = f" in {key.segment}" if key.segment else ""
    return f"{metric_words(key.metric)} of {key.classifier}{where} ({key.panel})"


def incident_view(tx: Transaction, incident_id: int, now: datetime) -> IncidentView:
    """Read an incident. Raises StratawatchError where there is none of this number."""
    found = tx.alarms.incident(incident_id)
    compared = ComparedWindows(tx)
    news = news_of_open_breaches(compared, [found]).get(found.key, News())
    tried = cut_offs_of_incidents(compared, [found]).get(found.id)
    is_breach = found.kind == AlarmState.BREACH and found.resolved_at is None
    worth = tried is not None and tried.is_worth_telling
    return IncidentView(
        found,
        news,
        first_step(found.key, found.since, may_be_older=news.may_be_older) if is_breach else "",
        history_of(tx, found),
        covering(tx.silences.active(now), found.key) if found.resolved_at is None else None,
        tried_text(tried) if tried is not None and worth else "",
        tuple(cut_off_rows(tried)) if tried is not None and worth else (),
    )


def incident_lines(tx: Transaction, now: datetime, newest: int) -> list[IncidentLine]:
    """Open incidents first, then those that are over, the newest first."""
    silences = tx.silences.active(now)
    every = sorted(
        tx.alarms.incidents(), key=lambda one: (one.resolved_at is None, one.opened_at, one.id), reverse=True
    )
    return [IncidentLine(one, _silent_until(one, silences)) for one in every[:newest]]


def _silent_until(incident: Incident, silences: Sequence[Silence]) -> datetime | None:
    silence = covering(silences, incident.key) if incident.resolved_at is None else None
    return None if silence is None else silence.over_at
