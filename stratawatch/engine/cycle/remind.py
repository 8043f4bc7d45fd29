"""Writes reminders, with what the newest windows say of what lasts."""

from stratawatch.engine.alarms.notifications import News
from stratawatch.engine.alarms.reminders import write_reminders
from stratawatch.engine.evidence.news import news_of_reminder
from stratawatch.engine.model.alarm_records import Incident
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction


def remind(ports: Ports) -> None:
    """Write the reminders that are due."""
    write_reminders(ports, _tell)


def _tell(tx: Transaction, cycle: Cycle, incident: Incident) -> News:
    since = incident.since or tx.cycles.get(incident.cycle_id).window.start
    spec = tx.panels.get(cycle.panel_version)  # the window's own: its patterns are of these classifiers
    return news_of_reminder(tx, spec, cycle, incident.key, since)
