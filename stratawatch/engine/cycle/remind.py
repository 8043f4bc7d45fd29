"""Writes reminders, with what the newest windows say of what lasts, and pages that no channel was there for."""

from stratawatch.engine.alarms.notifications import News
from stratawatch.engine.alarms.open_incidents import write_openings_again
from stratawatch.engine.alarms.reminders import write_reminders
from stratawatch.engine.cycle.page_again import page_again
from stratawatch.engine.evidence.compared_windows import ComparedWindows
from stratawatch.engine.evidence.news import news_of_reminder
from stratawatch.engine.model.alarm_records import Incident
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction


def remind(ports: Ports) -> None:
    """Write the reminders that are due, and what was opened while no channel was configured."""
    write_reminders(ports, _tell)
    write_openings_again(ports, page_again)


def _tell(tx: Transaction, cycle: Cycle, incident: Incident) -> News:
    since = incident.since or tx.cycles.get(incident.cycle_id).window.start
    spec = tx.panels.get(cycle.panel_version)  # the window's own: its patterns are of these classifiers
    return news_of_reminder(ComparedWindows(tx), spec, cycle, incident.key, since)
