"""The drawn items of a cycle without a yes or no: counted, what they lean on, and how far they could move estimates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from stratawatch.core.designs.missing_bounds import MOST_MISSING, REWEIGHTING, MissingBounds, missing_bounds
from stratawatch.core.estimate import Estimate
from stratawatch.core.estimation.missing_answers import AnswerCounts, DrawnAnswers, MissingLean, Side
from stratawatch.core.metrics import A, B, metric_named
from stratawatch.engine.labels.labelled_cycle import LabelledCycle
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text

KEPT: Final = "missing answers of "
"""Before a panel's name: the cursor that keeps, for `status`, what is missing of its newest judged window."""
_SIDES: Final[dict[int, Side]] = {A: "called positive", B: "called negative"}


@dataclass(frozen=True)
class MissingAnswers:
    """What is missing of a cycle, and the bounds of its estimates.

    Of `disputed` ones there are answers that contradict one another.
    """

    counts: tuple[AnswerCounts, ...]
    lean: MissingLean | None
    bounds: Mapping[tuple[str, str, str | None], MissingBounds]
    drawn: int
    skipped: int
    disputed: int
    expired: int
    open: int

    @property
    def sentence(self) -> str:
        """How many there are, and what estimates assume of them."""
        leaning = f"; {self.lean.sentence}" if self.lean else ""
        return f"{self.number_text}{leaning}; {REWEIGHTING}"

    @property
    def number_text(self) -> str:
        """How many there are, and what became of them."""
        parts = {"skipped": self.skipped, "in dispute": self.disputed, "expired": self.expired, "open": self.open}
        several = ", ".join(f"{number:,} {word}" for word, number in parts.items() if number)
        return f"{self._missing:,} of {count_text(self.drawn, 'drawn item')} have no answer ({several})"

    def are_most_of(self, estimate: Estimate) -> bool:
        """Whether more of the drawn items that an estimate reads have no answer than may be missing.

        Of a segment alone nobody counts them: it may not be there at all.
        """
        if self._missing == self.drawn or estimate.segment is not None:
            return self._missing == self.drawn
        sides = [_SIDES[side] for side in metric_named(estimate.metric).sides]
        read = [one for one in self.counts if one.classifier == estimate.classifier and one.side in sides]
        drawn, answered = sum(one.drawn for one in read), sum(one.answered for one in read)
        return drawn - answered > MOST_MISSING * drawn

    @property
    def _missing(self) -> int:
        return self.skipped + self.disputed + self.expired + self.open

    def of(self, estimate: Estimate) -> MissingBounds | None:
        """The bounds of an estimate, if answers that it needs are missing."""
        return self.bounds.get(_key(estimate))


def missing_answers(cycle: Cycle, labelled: LabelledCycle, estimates: Sequence[Estimate]) -> MissingAnswers | None:
    """What is missing of a cycle, with the bounds of these estimates; None where every answer came."""
    said = [labelled.verdicts.get(draw.item_key) for draw in labelled.draws]
    waiting, undecided = said.count(None), said.count("unresolved")
    disputed = sum(draw.item_key in labelled.disputed for draw in labelled.draws)
    if not waiting + undecided:
        return None
    design, ledger, drawn = labelled.design, labelled.ledger, labelled.drawn
    has_ended = cycle.state not in (CycleState.FROZEN, CycleState.LABELLING)
    answers = DrawnAnswers.of(
        design.cells, design.candidates, ledger, drawn.by_round, labelled.reused, has_ended=has_ended
    )
    bounds = zip(estimates, missing_bounds(design, ledger, drawn, estimates), strict=True)
    return MissingAnswers(
        answers.counts,
        answers.lean,
        {_key(estimate): one for estimate, one in bounds if one is not None},
        drawn=len(said),
        skipped=undecided - disputed,
        disputed=disputed,
        expired=waiting if has_ended else 0,
        open=0 if has_ended else waiting,
    )


def keep_missing(tx: Transaction, cycle: Cycle, missing: MissingAnswers | None, at: datetime) -> None:
    """Keep for `status` what is missing of the newest judged window of a panel; nothing once every answer came."""
    name = KEPT + cycle.panel
    before = tx.labels.cursor(name)
    now: dict[str, Any] = {}
    if missing is not None:
        now = {"panel": cycle.panel, "cycle": cycle.id, "sentence": missing.sentence, "leans": missing.lean is not None}
    if now != before:
        tx.labels.save_cursor(name, now, at)


def is_kept(tx: Transaction, cycle: Cycle) -> bool:
    """Whether answers are missing of this cycle, and it is its panel's newest judged window."""
    return bool(tx.labels.cursor(KEPT + cycle.panel).get("cycle") == cycle.id)


def _key(estimate: Estimate) -> tuple[str, str, str | None]:
    return estimate.classifier, estimate.metric, str(estimate.segment) if estimate.segment else None
