"""What labels cost beside the first one of each item, further votes and gold items: the budget pays for them too."""

from dataclasses import replace

from stratawatch.engine.labels.labelled_cycle import cycle_answers
from stratawatch.engine.labels.second_votes import SecondVoteCounts
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.shared_budget import LEAST_BUDGET
from stratawatch.engine.ports.transaction import Transaction


def with_item_budget(spec: PanelSpec, share: float) -> PanelSpec:
    """The panel with a budget of so many items that what they need beside, this share of them, fits into it as well."""
    return replace(spec, budget=max(int(spec.budget / (1 + share)), LEAST_BUDGET)) if share else spec


def further_share(tx: Transaction, spec: PanelSpec, cycle: Cycle | None = None) -> float:
    """Labels beside the first one for each item that people are asked about: further votes, and gold items."""
    return further_votes(tx, spec, cycle) + (spec.gold_share or 0.0)


def further_votes(tx: Transaction, spec: PanelSpec, cycle: Cycle | None = None) -> float:
    """Votes beside the first one that an item needed: in this cycle, or else in the newest of the three before it.

    It is 0 before the first labels; then the second round is the smaller for what the first one takes. It follows from
    the answers and not from what was sent, so that a restored store plans as the lost one did.
    """
    if spec.second_votes is None:
        return 0.0
    before = tx.cycles.find(panel=spec.name, before=cycle.period if cycle else None, newest=3)
    for one in (*([cycle] if cycle else []), *reversed(before)):
        draws = tx.rounds.draws(one.id)
        asked = sum(not draw.reused for draw in draws)
        of_then = tx.panels.get(one.panel_version)
        if asked and of_then.second_votes == spec.second_votes:
            words = cycle_answers(tx, of_then, one.id, draws).words
            return SecondVoteCounts.of(words.values()).needed / asked
    return 0.0
