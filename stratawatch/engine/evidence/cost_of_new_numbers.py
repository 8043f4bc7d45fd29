"""What it costs to draw each window anew: the labels that permanent random numbers would have used again."""

from collections.abc import Collection
from dataclasses import dataclass

from stratawatch.engine.evidence.window_rule import rule_text
from stratawatch.engine.model.cycle_facts import CandidateItem
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text


@dataclass(frozen=True)
class LabelsNotReused:
    """How many items the judged window before one drew, and how many of them are in this one with their labels."""

    drawn: int
    present: int

    @property
    def text(self) -> str:
        """The number of labels not reused, in words.

        >>> LabelsNotReused(300, 160).text
        "by window: 160 of the last window's 300 drawn items are here; permanent numbers would use their labels again"
        """
        are = f"{self.present:,} of the last window's {count_text(self.drawn, 'drawn item')}"
        verb = "is" if self.present == 1 else "are"
        return f"by window: {are} {verb} here; permanent numbers would use their labels again"


def labels_not_reused(
    tx: Transaction, spec: PanelSpec, period: int, labelled_before: Collection[CandidateItem]
) -> LabelsNotReused | None:
    """What numbers of its own cost a window; None where they are permanent, or no window was judged before it."""
    judged = tx.cycles.find(panel=spec.name, states=[CycleState.JUDGED], before=period, newest=1)
    if not spec.draws_anew or not judged:
        return None
    drawn = {draw.item for draw in tx.rounds.draws(judged[0].id)}
    return LabelsNotReused(len(drawn), len(drawn & {one.item for one in labelled_before}))


def pages_text(tx: Transaction, panel: str) -> str:
    """By which rule the newest judged window of a panel paged, in words; empty before the first.

    Where that is each window alone since items stay, what numbers by window would give and cost.
    """
    rules = tx.evidence.rules(panel)
    if not rules:
        return ""
    text, newest = rule_text(rules[-1]), rules[-1]
    if newest.rule == "evidence" or not newest.persisting:
        return text
    reused = sum(draw.reused for draw in tx.rounds.draws(newest.cycle_id))
    asked = f"as many labels mean asking about {count_text(reused, 'item')} more"
    return f'{text}; with random_numbers = "by window" windows add up, and {asked}'
