"""The estimates of a cycle without the errors of its labels, as the panel's gold items show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stratawatch.core.designs.label_error import corrected_estimates, side_shares
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.population import Segment
from stratawatch.engine.labels.gold_items import gold_counts
from stratawatch.engine.labels.labelled_cycle import LabelledCycle, load_labelled_cycle
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.gold import GoldCounts
from stratawatch.engine.ports.transaction import Transaction


@dataclass(frozen=True)
class CorrectedCycle:
    """What gold items say of a cycle's labels, and its estimates without their errors, in the order of the others."""

    gold: GoldCounts
    estimates: tuple[IntervalEstimate | Undefined, ...]

    @property
    def sentence(self) -> str:
        """What people made of the gold items."""
        answers = self.gold.answers
        if isinstance(answers, Undefined):
            return f"Errors of labels cannot be told: {answers.reason}"
        rates = f"sensitivity {answers.sensitivity:.1%}, specificity {answers.specificity:.1%}"
        return f"Errors of labels: {self.gold.sentence} ({rates})"


def corrected_cycle(
    tx: Transaction, cycle: Cycle, estimates: Sequence[Estimate], labelled: LabelledCycle | None = None
) -> CorrectedCycle | None:
    """The corrected estimates of a cycle; None where its panel has no gold items, or none was asked for yet."""
    spec = tx.panels.get(cycle.panel_version)
    gold = gold_counts(tx, spec, cycle) if spec.gold_share and estimates else None
    if gold is None or not gold.asked:
        return None
    answers = gold.answers
    if isinstance(answers, Undefined):
        return CorrectedCycle(gold, tuple(answers for _ in estimates))
    labelled = labelled or load_labelled_cycle(tx, spec, cycle.id)
    segments: Mapping[Segment, None] = dict.fromkeys(one.segment for one in estimates if one.segment)
    shares = side_shares(
        labelled.design,
        labelled.ledger,
        labelled.drawn,
        confidence=spec.confidence,
        segments=tuple(segments),
    )
    complete = labelled.second_votes.complete
    return CorrectedCycle(gold, corrected_estimates(labelled.design, estimates, shares, answers, complete=complete))
