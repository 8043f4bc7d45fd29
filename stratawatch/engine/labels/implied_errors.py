"""What the disagreement of annotators implies: how often votes err, and what estimates would be without that."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stratawatch.core.designs.label_error import GoldAnswers, corrected_estimates, side_shares
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.core.estimation.vote_errors import VoteErrors, majority_rate
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.ports.transaction import Transaction

_PRECISELY: Final = 1_000_000
"""Answers that stand for a rate, so that a correction takes it as it is."""


@dataclass(frozen=True)
class ImpliedValue:
    """An estimate, and what it would be if annotators erred as their disagreement says, independently."""

    classifier: str
    metric: str
    value: float
    implied: float


def implied_values(
    tx: Transaction, cycle: Cycle, errors: VoteErrors, estimates: Sequence[Estimate]
) -> tuple[ImpliedValue, ...]:
    """What overall estimates of a cycle would be without the errors that disagreement shows."""
    spec = tx.panels.get(cycle.panel_version)
    defined = [one for one in estimates if one.segment is None and isinstance(one.result, IntervalEstimate)]
    if not defined:
        return ()
    labelled = load_labelled_cycle(tx, spec, cycle.id)
    # The correction itself knows which items have further votes by the panel's rule.
    right, wrong = (majority_rate(rate, spec.votes) for rate in (errors.sensitivity[0], 1 - errors.specificity[0]))
    said = GoldAnswers(_PRECISELY, round(right * _PRECISELY), _PRECISELY, round((1 - wrong) * _PRECISELY))
    shares = side_shares(labelled.design, labelled.ledger, labelled.drawn, confidence=spec.confidence)
    complete = labelled.second_votes.complete
    found = corrected_estimates(labelled.design, defined, shares, said, complete=complete)
    return tuple(
        ImpliedValue(one.classifier, one.metric, one.result.value, corrected.value)
        for one, corrected in zip(defined, found, strict=True)
        if isinstance(one.result, IntervalEstimate) and isinstance(corrected, IntervalEstimate)
    )
