"""The window in which a loss most likely began, from what the store keeps of the windows with evidence of it."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from stratawatch.core.alarms.evidence.onset import loss_ratio, onset
from stratawatch.core.population import Floats
from stratawatch.engine.evidence.panel_evidence import EndEvidence
from stratawatch.engine.model.panel_spec import PanelSpec
from stratawatch.engine.ports.transaction import Transaction


@dataclass(frozen=True)
class LossOnset:
    """The start of the window in which a loss most likely began, and of the first and last that it may well be."""

    since: datetime
    within: tuple[datetime, datetime]


def loss_onset(tx: Transaction, spec: PanelSpec, end: EndEvidence) -> LossOnset:
    """When the loss began that an end's evidence speaks of, by the bets and the estimates of its windows.

    A largest drop has no certain limit to hold estimates against, and goes by its bets alone.
    """
    found = onset(end.log_e, None if end.limit is None else _ratios(tx, spec, end, end.limit))
    starts = [cycle.window.start for cycle in end.windows]
    return LossOnset(starts[found.row], (starts[found.earliest], starts[found.latest]))


def _ratios(tx: Transaction, spec: PanelSpec, end: EndEvidence, limit: float) -> Floats:
    """How much likelier a loss makes the newest estimate of every window; 0 where there is none."""
    periods, key = [cycle.period for cycle in end.windows], end.key
    estimates = {
        one.cycle_id: one.estimate
        for one in tx.estimates.in_periods(spec.name, min(periods), max(periods), [key.metric], [key.segment])
        if one.estimate.classifier == key.classifier
    }
    is_floor = end.end == "floor"
    ratios = [
        loss_ratio(one.result, limit, is_floor=is_floor, confidence=one.confidence)
        if (one := estimates.get(cycle.id))
        else 0.0
        for cycle in end.windows
    ]
    return np.array(ratios, dtype=np.float64)
