"""The baseline of a metric beside its present estimate."""

from dataclasses import dataclass
from datetime import datetime

from stratawatch.core.alarms.drops import ActiveBaseline, change_text
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.engine.baselines.current_baselines import date_of
from stratawatch.engine.model.stored_baseline import StoredBaseline


@dataclass(frozen=True)
class BaselineView:
    """The baseline that is in force for a window, and how far the metric is from it."""

    estimate: IntervalEstimate
    date: str
    source: str
    valid_from: datetime
    valid_until: datetime | None
    moved: str  # "fell by 3.1 points (1.2 to 5.0)"; empty where the metric is undefined
    adds_up: bool  # whether falls from it are added up over windows


def baseline_view(
    kept: StoredBaseline | None, current: IntervalEstimate | None, confidence: float
) -> BaselineView | None:
    """A baseline beside the value of the same confidence."""
    if kept is None:
        return None
    change = ""
    if current is not None:
        fell = ActiveBaseline(kept.evidence, date_of(kept)).drop_to(kept.key.metric, current, confidence)
        change = change_text(kept.key.metric, fell)
    estimate = kept.evidence.interval_at(confidence)
    return BaselineView(
        estimate, date_of(kept), kept.source, kept.valid_from, kept.valid_until, change, kept.grid is not None
    )
