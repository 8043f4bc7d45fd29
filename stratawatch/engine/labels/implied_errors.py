"""What the disagreement of annotators implies: how often votes err, and what estimates would be without that."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stratawatch.core.designs.label_error import GoldAnswers, corrected_estimates, side_shares
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.agreement import latest_answers
from stratawatch.core.estimation.vote_errors import VoteErrors, majority_rate, vote_errors
from stratawatch.core.metrics import metric_named
from stratawatch.engine.labels.labelled_cycle import load_labelled_cycle
from stratawatch.engine.model.annotator_names import first_spellings
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text, whole_percent

_PRECISELY: Final = 1_000_000
"""Answers that stand for a rate, so that a correction takes it as it is."""
_LEAST_SHIFT: Final = 0.01
_SHIFTED: Final = ("recall", "precision")
"""The metrics of which a shift is said without being asked for."""


@dataclass(frozen=True)
class ImpliedValue:
    """An estimate, and what it would be if annotators erred as their disagreement says, independently."""

    classifier: str
    metric: str
    value: float
    implied: float

    @property
    def shift(self) -> float:
        """How far the estimate is too low; below 0, too high."""
        return self.implied - self.value

    @property
    def sentence(self) -> str:
        """How far the estimate is off, in whole points or tenths."""
        where = "low" if self.shift > 0 else "high"
        points = f"{100 * abs(self.shift):.2g} points"
        return f"{metric_named(self.metric).title} of {self.classifier} is about {points} too {where}"


@dataclass(frozen=True)
class Disagreement:
    """How many items of a panel have several answers, how many different ones, and what that moves by over a point."""

    panel: str
    cycle: int
    items: int
    differing: int
    shifted: tuple[ImpliedValue, ...]

    @property
    def sentence(self) -> str:
        """The share, and of each metric the classifier that is furthest off."""
        by_metric = ([one for one in self.shifted if one.metric == name] for name in _SHIFTED)
        worst = [max(several, key=lambda one: abs(one.shift)) for several in by_metric if several]
        shifts = " and ".join(one.sentence for one in worst)
        items = f"{whole_percent(self.differing / self.items)} of {count_text(self.items, 'item')} with several answers"
        return f"Annotators disagree on {items}; if they err independently, {shifts} (see stratawatch labels agreement)"


def said_answers(tx: Transaction, spec: PanelSpec) -> list[tuple[str, str, str]]:
    """What annotators said to the question of today: item, annotator and value, in the order of arrival.

    Each annotator has the name by which he was first known.
    """
    events = tx.labels.of_panel(spec.name, tx.panels.question_key(spec))
    written = first_spellings(event.annotator for _, event in events)
    return [(item, written[event.annotator], event.value) for item, event in events]


def disagreement(tx: Transaction, spec: PanelSpec, cycle: Cycle, estimates: Sequence[Estimate]) -> Disagreement | None:
    """What second votes imply for a cycle's recall and precision; None without them, or where it is a point or less.

    `spec` is today's specification of the panel.
    """
    if spec.votes == 1 and not spec.second_votes:
        return None
    answers = latest_answers(said_answers(tx, spec))
    errors = vote_errors(answers)
    if isinstance(errors, Undefined):
        return None
    implied = implied_values(tx, cycle, errors, [one for one in estimates if one.metric in _SHIFTED])
    shifted = tuple(one for one in implied if abs(one.shift) > _LEAST_SHIFT)
    several = [set(words.values()) for words in answers.values() if len(words) > 1]
    if not shifted:
        return None
    return Disagreement(spec.name, cycle.id, len(several), sum(len(words) > 1 for words in several), shifted)


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
