"""Makes the evidence of windows that were judged before there was any, as their first judgement would have made it."""

from stratawatch.engine.alarms.alarm_streams import watched_streams
from stratawatch.engine.audit import note_action
from stratawatch.engine.evidence.changed_streams import first_judged_at, restart_changed_streams
from stratawatch.engine.evidence.first_use import fix_bets
from stratawatch.engine.evidence.window_evidence import evidence_rows
from stratawatch.engine.evidence.window_rule import rule_of_window
from stratawatch.engine.labels.labelled_cycle import LabelledCycle, load_labelled_cycle
from stratawatch.engine.labels.missing_answers import missing_answers
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StratawatchError
from stratawatch.formatting import count_text


def replay_evidence(ports: Ports, panel: str, windows: int, why: str = "") -> tuple[Cycle, ...]:
    """Add the newest judged windows that have no evidence; returns those that were added, oldest first.

    This pages nobody: the next judgement does, if the sum is enough. A window that is there already, or that was
    opened after a later one, is left out.
    """
    with ports.store.begin() as tx:
        if panel not in tx.panels.latest():
            known = ", ".join(tx.panels.latest()) or "none yet"
            raise StratawatchError(f"there is no panel '{panel}' in the store", expected=f"one of {known}")
        newest = tx.cycles.find(panel=panel, states=[CycleState.JUDGED], newest=windows)
        added = tuple(cycle for cycle in newest if _is_without(tx, cycle))
        for cycle in added:
            _add(tx, ports, cycle)
        if added:
            note_action(tx, ports, "replayed", f"evidence of {count_text(len(added), 'window')} of {panel}", why)
        tx.commit()
    return added


def _is_without(tx: Transaction, cycle: Cycle) -> bool:
    return tx.evidence.rule_of(cycle.id) is None and not tx.cycles.is_backfilled(cycle)


def _add(tx: Transaction, ports: Ports, cycle: Cycle) -> None:
    spec = tx.panels.get(cycle.panel_version)
    limits, labelled = watched_streams(spec), load_labelled_cycle(tx, spec, cycle.id)
    restart_changed_streams(tx, ports, spec, cycle)
    missing = missing_answers(cycle, labelled, ())
    leans = missing is not None and missing.lean is not None
    fix_bets(tx, spec, cycle, labelled, leans=leans, in_time=_in_time(tx, cycle, labelled))
    labelled = load_labelled_cycle(tx, spec, cycle.id)
    rule = rule_of_window(tx, spec, cycle, labelled, limits)
    revision = tx.estimates.latest(cycle.id)
    if rule.rule == "evidence" and revision is not None:
        tx.evidence.add(evidence_rows(tx, spec, cycle, labelled, revision.number, first_judged_at(tx, cycle)))


def _in_time(tx: Transaction, cycle: Cycle, labelled: LabelledCycle) -> frozenset[str]:
    """The keys of drawn items that somebody had answered when the window was first judged."""
    judged_at = first_judged_at(tx, cycle)
    questions = {draw.question_key for draw in labelled.draws}
    return frozenset(
        draw.item_key for question in questions for draw in tx.labels.past_draws([cycle.id], judged_at, question)
    )
