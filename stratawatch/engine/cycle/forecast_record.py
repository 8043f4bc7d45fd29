"""What became of the half-widths that plans expected: those of windows that were judged, beside their estimates."""

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median
from typing import Final

from stratawatch.core.estimate import IntervalEstimate
from stratawatch.engine.model.cycle_facts import Cycle
from stratawatch.engine.model.states import CycleState
from stratawatch.engine.ports.transaction import Transaction
from stratawatch.formatting import count_text

MOST_WINDOWS: Final = 8
"""The newest judged windows that are looked back on."""


@dataclass(frozen=True)
class ForecastRecord:
    """How many times as wide intervals came out as the last plan of their window expected, over so many windows."""

    windows: int
    half_widths: int
    least: float
    middle: float
    most: float

    @property
    def sentence(self) -> str:
        """The record in words.

        >>> ForecastRecord(1, 1, 1.03, 1.03, 1.03).sentence.partition(", which ")[0]
        'In the judged window the interval came out 1.03 times as wide as the plan of its last round said'
        """
        windows = f"the last {count_text(self.windows, 'judged window')}" if self.windows > 1 else "the judged window"
        whose = "their" if self.windows > 1 else "its"
        plan = f"as wide as the plan of {whose} last round said, which knew the answers before it"
        if self.half_widths == 1:
            return f"In {windows} the interval came out {self.middle:.2f} times {plan}."
        times = f"{self.least:.2f} to {self.most:.2f} times {plan}"
        return f"In {windows} intervals came out {times}; half of them {self.middle:.2f} times at most."


def forecast_record(tx: Transaction, panel: str, keys: Collection[tuple[str, str]]) -> ForecastRecord | None:
    """The record of these (classifier, metric) of a panel; None before the first.

    Plans of later rounds know the labels of those before; the last plan of a window is about all of its labels.
    """
    judged = tx.cycles.find(panel=panel, states=[CycleState.JUDGED], newest=MOST_WINDOWS)
    by_window = [found for cycle in judged if (found := _ratios(tx, cycle, keys))]
    ratios = [ratio for found in by_window for ratio in found]
    if not ratios:
        return None
    return ForecastRecord(len(by_window), len(ratios), min(ratios), median(ratios), max(ratios))


def _ratios(tx: Transaction, cycle: Cycle, keys: Collection[tuple[str, str]]) -> list[float]:
    rounds, revision = tx.rounds.of(cycle.id), tx.estimates.latest(cycle.id)
    if not rounds or revision is None:
        return []
    planned = rounds[-1].plan.half_widths
    return [
        found.half_width / expected
        for one in revision.estimates
        if one.segment is None
        and (one.classifier, one.metric) in keys
        and isinstance(found := one.result, IntervalEstimate)
        and (expected := planned.get((one.classifier, one.metric)))
    ]
