"""Plan a round: allocate labels to strata, draw the smallest random numbers, write the batches to the outbox."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from stratawatch.core.history.past_labels import History
from stratawatch.core.plan import Plan
from stratawatch.core.random_numbers import unit_number
from stratawatch.core.verdicts import Verdict, VerdictsByItem
from stratawatch.engine.cycle.forecast_checks import forecast_streams
from stratawatch.engine.cycle.settle_cycle import close_answered, end_rounds
from stratawatch.engine.evidence.focus import focus_text
from stratawatch.engine.labels.gold_items import answered_gold, gold_of_round
from stratawatch.engine.labels.item_keys import keys_of_items
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.labels.label_tasks import can_be_shown, label_task
from stratawatch.engine.labels.labelled_cycle import (
    LabelledCycle,
    cycle_answers,
    load_labelled_cycle,
    reusable_answers,
)
from stratawatch.engine.labels.labels_in_wait import labels_wait_for
from stratawatch.engine.labels.vote_costs import further_share, with_item_budget
from stratawatch.engine.model.cycle_facts import CandidateItem, Cycle, DrawnItem, Round
from stratawatch.engine.model.idempotency_keys import batch_key, shuffle_key
from stratawatch.engine.model.label_events import LabelTask, NewBatch
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState, Entity, RoundState
from stratawatch.engine.model.survey_of_panel import max_rounds, survey_of_panel
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.errors import StaleState
from stratawatch.formatting import count_text

DONE = "nothing more to ask"


def wants_plan(spec: PanelSpec, cycle: Cycle, rounds: Sequence[Round]) -> bool:
    """Whether the cycle's next move is a new round, or to find that none is needed."""
    if cycle.state == CycleState.FROZEN:
        return not rounds
    settled = all(done.state == RoundState.SETTLED for done in rounds)
    return cycle.state == CycleState.LABELLING and settled and len(rounds) < max_rounds(spec)


def plan_round(ports: Ports, cycle_id: int) -> Plan | None:
    """Plan the cycle's next round, if it is time for one; returns its plan.

    A later round that has nothing to add is not made: the cycle settles.
    """
    now = ports.clock.now()
    with ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        spec = tx.panels.get(cycle.panel_version)
        rounds = tx.rounds.of(cycle_id)
        if not wants_plan(spec, cycle, rounds):
            return None
        if cycle.deadline_at and now >= cycle.deadline_at and not labels_wait_for(tx, spec, cycle):
            return None
        plan = _next_round(tx, spec, cycle, len(rounds) + 1, now)
        tx.commit()
    return plan


def _next_round(tx: Transaction, spec: PanelSpec, cycle: Cycle, ordinal: int, now: datetime) -> Plan | None:
    """Add the round, or settle the cycle that needs none."""
    candidates = tx.cycles.candidates(cycle.id)
    labelled = load_labelled_cycle(tx, spec, cycle.id, candidates)
    items = {item.item: item for item in candidates}
    known = reusable_answers(
        tx, spec, list(items), opened_at=cycle.opened_at, checked_items=labelled.design.checked_items
    )
    reusable, items_for = known.verdicts, with_item_budget(spec, further_share(tx, spec, cycle))
    survey = survey_of_panel(items_for, cycle.focus)
    earlier = [done.plan for done in tx.rounds.of(cycle.id)]
    numbers = {one.item: unit_number(one.digest) for one in candidates if one.item in reusable}
    present = labelled.design.candidates.items
    history = label_history(tx, spec, cycle.period, cycle.opened_at, present, numbers=numbers)

    def planned(paid: frozenset[str]) -> tuple[Plan, list[CandidateItem]]:
        """A plan for which these items cost a label though they have one, and the items that it adds."""
        free = {item: verdict for item, verdict in reusable.items() if item not in paid}
        plan = labelled.design.plan(
            survey,
            VerdictsByItem({**free, **labelled.ledger.verdicts}),  # a free verdict costs no label
            labelled.drawn,
            ordinal=ordinal,
            history=history,
            reused=labelled.reused - paid,
            earlier=earlier,
        )
        drawn = (labelled.design.candidates.items[i] for i in labelled.design.draw(plan))
        return plan, [items[item] for item in drawn if item not in labelled.drawn]

    # Both plans keep to the budget; with labels that are free, a rerun would spend all of it a second time.
    plans = [planned(paid) for paid in dict.fromkeys((_paid_items(tx, spec, cycle), frozenset[str]()))]
    plan, fresh = min(plans, key=lambda one: sum(item.item not in reusable for item in one[1]))
    if ordinal > 1 and not fresh:
        why = f"{len(labelled.ledger.verdicts)} of {len(labelled.drawn)} drawn items have a verdict; {DONE}"
        end_rounds(tx, spec, cycle, now, why, plan)
        return None
    asking = _asking(tx, spec, [item.item for item in fresh])
    runs = len(tx.cycles.earlier_runs(cycle))
    if ordinal == 1 and not runs:  # what is asked of a window that is run again follows from what was asked before
        plan = replace(plan, forecast=labelled.design.forecast(survey, history, forecast_streams(spec)))
    # Of an item whose first answer is known from an earlier cycle only a further vote is asked for, once it is drawn.
    free = {*reusable, *known.begun}
    asked = [item for item in fresh if item.item not in free and can_be_shown(item)]
    drawn = {*labelled.drawn, *(item.item for item in fresh)}
    gold = gold_of_round(tx, spec, cycle, ordinal, len(asked), drawn, runs)
    tasks = [*(label_task(spec, item, asking.item_keys[item.item]) for item in asked), *gold.tasks]
    batches = _batches(spec, cycle, ordinal, tasks, asking, runs)
    draws = _draws(asking, labelled, plan, fresh, reusable)
    round_id = tx.rounds.add(cycle.id, plan, draws, batches, now)
    if gold.asks:
        tx.gold.ask(spec.name, round_id, asking.question_key, gold.asks)
    # Labels that came before their draw have joined the ledger now: what they answer is not asked again.
    close_answered(tx, round_id, cycle_answers(tx, spec, cycle.id, draws), now, answered_gold(tx, spec, round_id))
    if cycle.state == CycleState.FROZEN:
        tx.move(Entity.CYCLE, cycle.id, cycle.state, CycleState.LABELLING, at=now, why=_how(plan, history, cycle))
    if len(tx.rounds.of(cycle.id)) != ordinal:
        raise StaleState(f"round {ordinal} of cycle {cycle.id} was planned by someone else")
    return plan


def _paid_items(tx: Transaction, spec: PanelSpec, cycle: Cycle) -> frozenset[str]:
    """The items that earlier runs of the window asked about, unless one of them had a larger budget than this one."""
    runs = tx.cycles.earlier_runs(cycle)
    if any(tx.panels.get(run.panel_version).budget > spec.budget for run in runs):
        return frozenset()
    return frozenset(draw.item for run in runs for draw in tx.rounds.draws(run.id) if not draw.reused)


def _how(plan: Plan, history: History, cycle: Cycle) -> str:
    """How many items are drawn, how much truth that came by itself steered it, and what its labels follow."""
    known = 0 if history.known is None else round(float(history.known.positives.sum()))
    steered = f", steered by {count_text(known, 'known positive')} of earlier windows" if known else ""
    follows = f"; {focus_text(cycle.focus)}" if cycle.focus else ""
    return f"{count_text(sum(plan.totals), 'item')} drawn{steered}{follows}"


@dataclass(frozen=True)
class _Asking:
    """A question, and the keys under which it is asked about items."""

    question_key: str
    item_keys: Mapping[str, str]


def _asking(tx: Transaction, spec: PanelSpec, items: Sequence[str]) -> _Asking:
    question = tx.panels.question_key(spec)
    return _Asking(question, keys_of_items(tx, spec.items_of, question, items))


def _draws(
    asking: _Asking,
    labelled: LabelledCycle,
    plan: Plan,
    fresh: Sequence[CandidateItem],
    reusable: Mapping[str, Verdict],
) -> list[DrawnItem]:
    inclusion, atoms = labelled.design.inclusion(plan), labelled.design.atoms
    return [
        DrawnItem(
            item=item.item,
            item_key=asking.item_keys[item.item],
            atom=item.atom,
            digest=item.digest,
            inclusion=inclusion[atoms[item.atom].stratum],
            reused=item.item in reusable,
            question_key=asking.question_key,
        )
        for item in fresh
    ]


def _batches(
    spec: PanelSpec, cycle: Cycle, ordinal: int, tasks: Sequence[LabelTask], asking: _Asking, runs: int
) -> tuple[NewBatch, ...]:
    tasks = sorted(tasks, key=lambda task: shuffle_key(spec.seed, cycle.period, ordinal, task.item_key))
    parts = [tasks[i : i + spec.batch_size] for i in range(0, len(tasks), spec.batch_size)]
    return tuple(
        NewBatch(
            _batch_key(spec, cycle, ordinal, part, lines, asking, runs),
            spec.question,
            spec.guideline,
            tuple(lines),
            asking.question_key,
        )
        for part, lines in enumerate(parts, start=1)
    )


def _batch_key(
    spec: PanelSpec, cycle: Cycle, ordinal: int, part: int, tasks: Sequence[LabelTask], asking: _Asking, runs: int
) -> str:
    content = [asking.question_key, [[task.item_key, task.payload] for task in tasks]]
    return batch_key(spec.name, cycle.period, ordinal, part, content, runs)
