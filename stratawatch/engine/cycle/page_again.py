"""Writes a page that nobody could be told when its incident was opened, in the words that it would have had then."""

from dataclasses import replace

from stratawatch.core.alarms.alarm_states import AlarmState, Judgement
from stratawatch.engine.alarms.alarm_streams import heeded_states
from stratawatch.engine.alarms.later_windows import newest_after
from stratawatch.engine.alarms.notifications import News, notify_breach
from stratawatch.engine.cycle.judge_cycle import judged_window, slices_by_stream, watched_estimates
from stratawatch.engine.evidence.news import news_of_page
from stratawatch.engine.evidence.pages import pages_of_window
from stratawatch.engine.evidence.panel_evidence import evidence_when_paged
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.labels.missing_answers import missing_answers
from stratawatch.engine.model.alarm_records import Incident
from stratawatch.engine.model.cycle_facts import Cycle, Revision
from stratawatch.engine.model.evidence_records import JudgementRule, Page
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction


def page_again(tx: Transaction, ports: Ports, incident: Incident) -> None:
    """Write the page of a breach from what the store keeps of the window that was paged.

    Where that window was run again, or was judged before there was evidence, it has the sentence of the judgement.
    """
    cycle = tx.cycles.get(incident.cycle_id)
    judged = {one.key: one for one in tx.alarms.of_cycle(cycle.id)}
    own = judged.get(incident.key)
    # A later revision may have judged otherwise; then its sentence is not the one that opened this.
    is_so = own is not None and own.state == AlarmState.BREACH
    reason = own.reason if own and is_so else f"as judged at {incident.opened_at}"
    spec, revision = tx.panels.get(cycle.panel_version), tx.estimates.latest(cycle.id)
    rule = tx.evidence.rule_of(cycle.id)
    news: News | None = None
    if revision and rule and not cycle.is_replaced:
        page = _page(tx, ports, spec, cycle, incident, revision, rule)
        page = page or Page(rule.rule, reason, incident.since or cycle.window.start, incident.evidence)
        reason = page.reason
        slices = slices_by_stream(spec, revision.estimates).get(incident.key, ())
        news = news_of_page(tx, spec, cycle, incident.key, page, slices)
    states = heeded_states(tx, ports, newest_after(tx, cycle) or cycle)
    notify_breach(tx, ports, cycle, incident, Judgement(AlarmState.BREACH, reason), news, states)


def _page(
    tx: Transaction,
    ports: Ports,
    spec: PanelSpec,
    cycle: Cycle,
    incident: Incident,
    revision: Revision,
    rule: JudgementRule,
) -> Page | None:
    """Why the stream is paged, as the window's labels stand now; None where these would not page it."""
    labelled, estimates = load_labelled_cycle(tx, spec, cycle.id), revision.estimates
    missing = missing_answers(cycle, labelled, watched_estimates(spec, estimates))
    window = judged_window(tx, spec, cycle, labelled, estimates, missing, incident.opened_at)
    evidence = evidence_when_paged(tx, ports, spec, incident) if rule.rule == "evidence" else None
    page = pages_of_window(tx, window, rule, evidence).get(incident.key)
    return None if page is None else replace(page, since=incident.since or page.since)
