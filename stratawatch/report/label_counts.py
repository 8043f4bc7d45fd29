"""The items that a cycle drew, counted by their outcome."""

from collections.abc import Sequence

from stratawatch.engine.labels.labelled_cycle import cycle_verdicts
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.label_events import Batch
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import ACTIVE_CYCLES, BatchState, Entity
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.report.table_rows import LabelOutcomes


def count_labels(tx: Transaction, spec: PanelSpec, cycle: Cycle) -> LabelOutcomes:
    """Count a cycle's drawn items by their outcome; each item once."""
    draws = tx.rounds.draws(cycle.id)
    if not draws:
        return LabelOutcomes()
    verdicts = cycle_verdicts(tx, spec, cycle.id, draws)
    sent = _sent_keys(tx, tx.rounds.batches(cycle_id=cycle.id))
    unanswered = sum(key not in verdicts for key in sent)
    under_way = cycle.state in ACTIVE_CYCLES
    reused = sum(draw.reused for draw in draws)
    return LabelOutcomes(
        drawn=len(draws),
        reused=reused,
        new=len(sent),
        used=sum(verdicts.get(draw.item_key) in ("yes", "no") for draw in draws),
        skipped=sum(verdicts.get(draw.item_key) == "unresolved" for draw in draws),
        open=unanswered if under_way else 0,
        expired=0 if under_way else unanswered,
        unsent=len(draws) - reused - len(sent),
    )


def _sent_keys(tx: Transaction, batches: Sequence[Batch]) -> set[str]:
    """Items that people were asked about. A withdrawn batch may have been sent before, or never."""
    return {task.item_key for batch in batches if _was_sent(tx, batch) for task in batch.tasks}


def _was_sent(tx: Transaction, batch: Batch) -> bool:
    if batch.state in (BatchState.CANCELLED, BatchState.WITHDRAWN):
        return any(move.new == BatchState.SENT for move in tx.cycles.transitions(Entity.BATCH, batch.id))
    return batch.state in (BatchState.SENT, BatchState.CLOSED)
