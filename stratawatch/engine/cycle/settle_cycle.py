"""Settle rounds as their labels come in; settle the cycle when its rounds are done, expire it at its deadline."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.plan import Plan
from stratawatch.core.verdicts import Verdict
from stratawatch.engine.labels.dispatch_batch import mark_round_dispatched
from stratawatch.engine.labels.gold_items import answered_gold
from stratawatch.engine.labels.labelled_cycle import CycleAnswers, cycle_answers, load_labelled_cycle
from stratawatch.engine.labels.labels_in_wait import labels_wait_for
from stratawatch.engine.labels.second_votes import SecondVoteCounts, ask_second_votes, is_answered
from stratawatch.engine.model.cycle_facts import Cycle, DrawnItem, Round
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import BatchState, CycleState, Entity, RoundState
from stratawatch.engine.model.survey_of_panel import max_rounds
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text

_DONE = (RoundState.SETTLED, RoundState.EXPIRED, RoundState.CANCELLED)


@dataclass(frozen=True)
class _Settling:
    """What one settling looks at."""

    tx: Transaction
    ports: Ports
    cycle: Cycle
    now: datetime
    spec: PanelSpec
    answers: CycleAnswers

    @property
    def verdicts(self) -> Mapping[str, Verdict]:
        """The verdicts by item key."""
        return self.answers.verdicts


def settle_cycle(ports: Ports, cycle_id: int) -> CycleState:
    """Move the cycle's batches, rounds and itself as far as its labels (or its deadline) allow.

    Raises the ports' doubt of the clock where the cycle would be ended at its deadline.
    """
    now, doubt = ports.clock.now(), ports.clock_doubt
    with ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        if cycle.state not in (CycleState.FROZEN, CycleState.LABELLING):
            return cycle.state
        spec = tx.panels.get(cycle.panel_version)
        draws = tx.rounds.draws(cycle_id)
        scene = _Settling(tx, ports, cycle, now, spec, cycle_answers(tx, spec, cycle_id, draws))
        for round_ in tx.rounds.of(cycle_id):
            if round_.state not in _DONE:
                _settle_round(scene, round_, tx.rounds.draws(cycle_id, round_.id))
        state = _settle_cycle(scene, spec, tx.rounds.of(cycle_id), draws, may_expire=doubt is None)
        tx.commit()
    if doubt is not None and state == cycle.state and cycle.deadline_at is not None and now >= cycle.deadline_at:
        raise doubt
    return state


def _settle_round(scene: _Settling, round_: Round, draws: Sequence[DrawnItem]) -> None:
    tx, round_id, words = scene.tx, round_.id, scene.answers.words
    if words and (scene.cycle.deadline_at is None or scene.now < scene.cycle.deadline_at):
        ask_second_votes(tx, scene.spec, scene.cycle, round_, draws, words)
    close_answered(tx, round_id, scene.answers, scene.now, answered_gold(tx, scene.spec, round_id))
    mark_round_dispatched(tx, scene.ports, round_id)
    state = tx.rounds.get(round_id).state
    asked = [draw for draw in draws if not draw.reused]
    if state == RoundState.DISPATCHED and any(draw.item_key in scene.verdicts for draw in asked):
        tx.move(Entity.ROUND, round_id, state, RoundState.LABELLING, at=scene.now, why="first answers")
        state = RoundState.LABELLING
    answered = all(draw.item_key in scene.verdicts for draw in draws)
    if answered and state in (RoundState.DISPATCHED, RoundState.LABELLING):
        why = f"{len(asked)} asked and answered, {len(draws) - len(asked)} known before"
        tx.move(Entity.ROUND, round_id, state, RoundState.SETTLED, at=scene.now, why=why)
        if scene.spec.gold_share:  # nobody waits for gold items alone
            close_answered(tx, round_id, scene.answers, scene.now, tx.gold.keys_of_round(round_id))


def close_answered(
    tx: Transaction, round_id: int, answers: CycleAnswers, now: datetime, gold: Collection[str] = ()
) -> None:
    """Close a round's batches of which every item has an answer, or is among the `gold` items of which one came.

    One that was not sent is closed too: after a restore its answers may be there before it is sent again.
    """
    for batch in tx.rounds.batches(round_id=round_id, states=[BatchState.PLANNED, BatchState.SENT, BatchState.FAILED]):
        if is_answered(batch, {*answers.verdicts, *gold} if gold else answers.verdicts, answers.words):
            tx.move(Entity.BATCH, batch.id, batch.state, BatchState.CLOSED, at=now, why="all answered")


def _settle_cycle(
    scene: _Settling, spec: PanelSpec, rounds: Sequence[Round], draws: Sequence[DrawnItem], *, may_expire: bool
) -> CycleState:
    tx, cycle = scene.tx, scene.cycle
    settled = len(rounds) == max_rounds(spec) and all(r.state == RoundState.SETTLED for r in rounds)
    answered = sum(draw.item_key in scene.verdicts for draw in draws)
    came = f"{answered} of {len(draws)} drawn items"
    if settled:
        end_rounds(tx, spec, cycle, scene.now, f"{came} have a verdict")
        return CycleState.SETTLED
    if cycle.deadline_at is None or scene.now < cycle.deadline_at or not may_expire:
        return cycle.state
    plannable = len(rounds) < max_rounds(spec) and all(r.state == RoundState.SETTLED for r in rounds)
    if plannable and labels_wait_for(tx, spec, cycle):
        return cycle.state  # a restored store plans the round again whose labels came after its backup
    for round_ in rounds:
        if round_.state not in _DONE:
            close_round(tx, round_, RoundState.EXPIRED, scene.now, "the cycle's deadline passed")
    further = SecondVoteCounts.of(scene.answers.words.values()).sentence
    said = f"{came} had a verdict at the deadline{further and f'; {further}'}"  # late ones count, and are not in it
    why = f"deadline {cycle.deadline_at:%Y-%m-%d %H:%M} +00:00 passed; {said}"
    tx.cycles.explain(cycle.id, reason=why)
    tx.move(Entity.CYCLE, cycle.id, cycle.state, CycleState.EXPIRED, at=scene.now, why=why)
    return CycleState.EXPIRED


def end_rounds(
    tx: Transaction, spec: PanelSpec, cycle: Cycle, now: datetime, why: str, plan: Plan | None = None
) -> None:
    """Settle a cycle after its last plan, and say so where goals do not hold because more was asked than was frozen.

    `plan`: one that no round was made of.
    """
    plans = [*(one.plan for one in tx.rounds.of(cycle.id)), *([plan] if plan else [])]
    short = {stratum for one in plans for stratum in one.exhausted}
    if short and spec.stop_rule == "goals" and not _goals_hold(tx, spec, cycle):
        strata = count_text(len(short), "stratum", "strata")
        why = f"{why}; not all goals hold, as its plans asked for more items of {strata} than were frozen"
    tx.move(Entity.CYCLE, cycle.id, cycle.state, CycleState.SETTLED, at=now, why=why)


def _goals_hold(tx: Transaction, spec: PanelSpec, cycle: Cycle) -> bool:
    """Whether every goal that labels can tell of is held by the labels so far."""
    labelled = load_labelled_cycle(tx, spec, cycle.id)
    metrics = list(dict.fromkeys(goal.metric for goal in spec.goals))
    found = labelled.design.estimate(labelled.ledger, labelled.drawn, confidence=spec.confidence, metrics=metrics)
    return all(
        one.result.half_width <= goal.margin
        for one in found
        for goal in spec.goals
        if goal.is_for(one.classifier, one.metric) and isinstance(one.result, IntervalEstimate)
    )


def close_round(tx: Transaction, round_: Round, new: RoundState, now: datetime, why: str) -> None:
    """End an unfinished round; its batches that nobody needs to answer are withdrawn by the next dispatch."""
    open_states = [BatchState.PLANNED, BatchState.SENT, BatchState.FAILED]
    batches = tx.rounds.batches(round_id=round_.id, states=open_states)
    for batch in batches:
        tx.move(Entity.BATCH, batch.id, batch.state, BatchState.CANCELLED, at=now, why=why)
    tx.move(Entity.ROUND, round_.id, round_.state, new, at=now, why=why)
