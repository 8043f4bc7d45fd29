"""Estimates beside the true values of the simulation."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.demo.messages import in_region
from stratawatch.demo.models import CLASSIFIERS
from stratawatch.demo.true_values import TrueValues
from stratawatch.demo.world import SimulatedWeek

_ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class ComparedEstimate:
    """One estimate, its true value, and how many items its metric is a share of."""

    week: int
    estimate: Estimate
    truth: float
    domain: int

    @property
    def interval(self) -> IntervalEstimate | None:
        """The estimate's interval, if it is defined."""
        outcome = self.estimate.result
        return outcome if isinstance(outcome, IntervalEstimate) else None

    @property
    def contains_truth(self) -> bool:
        """Whether the interval contains the truth; an undefined estimate does not."""
        interval = self.interval
        return interval is not None and interval.low - _ROUNDING <= self.truth <= interval.high + _ROUNDING


def compare_with_truth(week: SimulatedWeek, estimates: Iterable[Estimate]) -> tuple[ComparedEstimate, ...]:
    """Every estimate of a week, of all regions or of one, beside its true value."""
    true: dict[str | None, TrueValues] = {}
    compared = []
    for estimate in estimates:
        region = estimate.segment.value if estimate.segment else None
        if region not in true:
            true[region] = week.true_values(region)
        truth = true[region][estimate.classifier, estimate.metric]
        compared.append(ComparedEstimate(week.number, estimate, truth, _domain(week, estimate)))
    return tuple(compared)


def _domain(week: SimulatedWeek, estimate: Estimate) -> int:
    call = week.calls[:, CLASSIFIERS.index(estimate.classifier)]
    among = {"precision": call, "recall": week.truth, "false_omission_rate": ~call}[estimate.metric]
    if estimate.segment:
        among = among & in_region(week.region, estimate.segment.value)
    return int(among.sum())
