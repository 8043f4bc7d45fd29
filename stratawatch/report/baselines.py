"""What a metric was, beside what it is."""

from dataclasses import dataclass
from datetime import datetime

from stratawatch.core.alarms.drops import InForce, moved
from stratawatch.core.estimate import Known
from stratawatch.engine.baselines.active_baselines import date_of
from stratawatch.engine.model.stored_baseline import KeptBaseline


@dataclass(frozen=True)
class BaselineView:
    """The baseline that is in force for a window, and how far the metric is from it."""

    known: Known
    date: str
    source: str
    valid_from: datetime
    valid_until: datetime | None
    moved: str  # "fell by 3.1 points (1.2 to 5.0)", or nothing where the metric is not known


def baseline_view(kept: KeptBaseline | None, current: Known | None, confidence: float) -> BaselineView | None:
    """A baseline beside the value of the same confidence."""
    if kept is None:
        return None
    words = ""
    if current is not None:
        fell = InForce(kept.evidence, date_of(kept)).drop_to(kept.key.metric, current, confidence)
        words = moved(kept.key.metric, fell)
    known = kept.evidence.known(confidence)
    return BaselineView(known, date_of(kept), kept.source, kept.valid_from, kept.valid_until, words)
