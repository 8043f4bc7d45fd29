"""A baseline as the store keeps it: what a metric of a classifier was, on what evidence, and when it is in force."""

from dataclasses import dataclass, fields
from datetime import datetime

from stratawatch.core.baselines.baseline_evidence import BaselineShare, TwoSampleBaseline
from stratawatch.core.baselines.baseline_from_estimates import METHOD
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.evidence_records import BaselineGrid
from stratawatch.engine.model.panel_spec import ClassifierSpec


@dataclass(frozen=True)
class StoredBaseline:
    """One measurement of one stream; a later one stands beside it and replaces nothing.

    It is in force for windows that start from `valid_from` on and before `valid_until` (None: until further notice).
    """

    key: StreamKey
    call: str  # what said yes when it was measured (see `call_rule`): another cut-off is another classifier
    cut_off: float | None
    evidence: BaselineShare | TwoSampleBaseline
    method: str
    n: int  # labels that the estimates of windows used, or labelled items that there were
    seed: int | None  # None where nothing was drawn
    source: str  # what was measured, in words
    confidence: float  # of the interval that tables show; pages ask for another one
    valid_from: datetime
    valid_until: datetime | None
    measured_at: datetime
    grid: BaselineGrid | None = None  # None where evidence cannot be told from its labels, as in a baseline of before

    @property
    def estimate(self) -> IntervalEstimate:
        """The value inside its interval."""
        return self.evidence.interval_at(self.confidence)

    @property
    def counted(self) -> str:
        """What `n` counts: labels that told this metric, in each window anew; or items, whatever they tell of it."""
        return "label" if self.method.startswith(METHOD) else "item"

    def same_evidence(self, other: "StoredBaseline") -> bool:
        """Whether both say the same of the same stream, whatever their dates."""
        unlike = ("confidence", "valid_from", "valid_until", "measured_at")
        return all(
            getattr(self, one.name) == getattr(other, one.name) for one in fields(self) if one.name not in unlike
        )


def call_rule(classifier: ClassifierSpec) -> str:
    """What says yes, as text that can be compared.

    >>> call_rule(ClassifierSpec("lr", "score_lr", cut_off=0.5)), call_rule(ClassifierSpec("svm", call="flagged"))
    ('score_lr >= 0.5', 'flagged')
    >>> call_rule(ClassifierSpec("gate", call="decision", call_yes="block"))
    "decision = 'block'"
    """
    if classifier.call is not None:
        return classifier.call if classifier.call_yes is None else f"{classifier.call} = {classifier.call_yes!r}"
    return f"{classifier.score} >= {classifier.cut_off!r}"
