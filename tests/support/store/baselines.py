"""Baselines to keep in a store."""

from dataclasses import replace

from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.stored_baseline import StoredBaseline
from tests.support.store.examples import MONDAY, NOW

FIRST = StoredBaseline(
    key=StreamKey("spam", "lr", "precision"),
    call="score_lr >= 0.5",
    cut_off=0.5,
    evidence=BaselineShare(0.8125, 320.5),
    method="labelled items, Wilson",
    n=400,
    seed=None,
    source="file labels.csv",
    confidence=0.95,
    valid_from=MONDAY,
    valid_until=None,
    measured_at=NOW,
)


def other(**changes):
    return replace(FIRST, **changes)
