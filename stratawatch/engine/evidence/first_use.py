"""Which labels of a window may bet: those of items that no earlier window drew, answered when it was first judged.

Where random numbers are by window, an item that was drawn before may bet as well, unless its label was there already.
"""

from collections.abc import Collection

from stratawatch.core.alarms.evidence.window_labels import DrawnLabel
from stratawatch.engine.labels.labelled_cycle import LabelledCycle
from stratawatch.engine.model.cycle_facts import Cycle, DrawnItem
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction

_ANSWERS = ("yes", "no")


def fix_bets(
    tx: Transaction,
    spec: PanelSpec,
    cycle: Cycle,
    labelled: LabelledCycle,
    *,
    leans: bool,
    in_time: Collection[str] | None = None,
) -> None:
    """Keep of every draw whether it is a first use and whether its label bets; what was kept before stays.

    A bet is decided before anyone knows more than these answers: a label that comes later changes estimates alone.
    Where missing answers lean on score, side or stratum (`leans`), those that came are no random part of the draw:
    then every first use bets, and one without an answer counts as well for the limit as it may. `in_time` are the keys
    that had an answer at the first judgement, where that is over.
    """
    used_before = _used_before(tx, spec, cycle, labelled)
    facts = {}
    for draw in labelled.draws:
        is_first = draw.item_key not in used_before
        is_answered = labelled.verdicts.get(draw.item_key) in _ANSWERS
        if in_time is not None:
            is_answered = is_answered and draw.item_key in in_time
        facts[draw.item_key] = (is_first, is_first and (leans or is_answered))
    tx.rounds.fix_bets(cycle.id, facts)


def _used_before(tx: Transaction, spec: PanelSpec, cycle: Cycle, labelled: LabelledCycle) -> frozenset[str]:
    """The keys of drawn items that are no first use."""
    if spec.draws_anew:
        before = {one.item for one in tx.cycles.labelled_before(cycle.id)}
        return frozenset(draw.item_key for draw in labelled.draws if draw.item in before)
    reused = frozenset(draw.item_key for draw in labelled.draws if draw.reused)
    return reused | tx.rounds.drawn_in_earlier_windows(cycle.id, [draw.item_key for draw in labelled.draws])


def drawn_labels(tx: Transaction, spec: PanelSpec, cycle: Cycle, labelled: LabelledCycle) -> list[list[DrawnLabel]]:
    """The draws of every round with their verdicts of now, as e-values need them."""
    return [
        [_drawn_label(draw, spec, labelled) for draw in tx.rounds.draws(cycle.id, one.id)]
        for one in tx.rounds.of(cycle.id)
    ]


def _drawn_label(draw: DrawnItem, spec: PanelSpec, labelled: LabelledCycle) -> DrawnLabel:
    # A label that came after its window was opened was no reason to draw its item: by window, it bets like the others.
    return DrawnLabel(
        item=draw.item,
        first_use=bool(draw.first_use),
        bets=bool(draw.bets),
        verdict=labelled.verdicts.get(draw.item_key),
        answered_before=not draw.first_use if spec.draws_anew else draw.reused,
    )
