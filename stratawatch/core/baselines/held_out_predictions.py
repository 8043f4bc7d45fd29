"""Baselines of many fits: what each of them called items that it was not fitted to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import ConfusionCounts, baseline_metric
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError

HELD_OUT_WEIGHT: Final = 0.632
"""1 - 1/e, the share of the items that a bootstrap draw of as many holds; the weight of items left out."""


@dataclass(frozen=True)
class HeldOutPredictions:
    """Columns of equal length, a row for every trial: the run, the item, what the run's fit called it, the truth."""

    runs: Counts
    items: Counts
    calls: Flags
    truth: Flags

    @classmethod
    def of_runs(cls, runs: Sequence[tuple[Counts, Flags]], truth: Flags) -> "HeldOutPredictions":
        """From every run's test items with its calls, and the truth of all items."""
        if not runs:
            raise StratawatchError("nothing was tested", expected="at least one run")
        sizes = [len(items) for items, _ in runs]
        items = np.concatenate([items for items, _ in runs])
        calls = np.concatenate([calls for _, calls in runs]).astype(np.bool_)
        return cls(np.repeat(np.arange(len(runs)), sizes), items, calls, truth[items])

    def by_run(self) -> ConfusionCounts:
        """Every run's four counts."""
        return ConfusionCounts(
            *(
                np.asarray(np.bincount(self.runs, kind), dtype=np.float64)
                for kind in ConfusionCounts.by_item(self.calls, self.truth)
            )
        )

    def effective_items(self, metric: str) -> float:
        """How many independent answers a metric has: (sum d_i)^2/sum d_i^2, d_i the tests of item i that it counts.

        Kish 1965, Survey Sampling, 11.7: all answers about an item count as one answer that is repeated d_i times.
        """
        tests = np.bincount(
            self.items, baseline_metric(metric).share(ConfusionCounts.by_item(self.calls, self.truth))[1]
        )
        squares = float((tests**2).sum())
        return float(tests.sum()) ** 2 / squares if squares else 0.0


def metric_by_run(metric: str, answers: ConfusionCounts) -> Floats:
    """The metric of every run that has one; runs that it is 0/0 in are left out."""
    yes, of = baseline_metric(metric).share(answers)
    defined = of > 0
    return np.asarray(yes[defined] / of[defined], dtype=np.float64)


def metric_of_pooled_runs(metric: str, trials: HeldOutPredictions) -> BaselineShare | Undefined:
    """One share of the answers of all runs together."""
    yes, of = baseline_metric(metric).share(trials.by_run())
    total = float(of.sum())
    if total == 0:
        return Undefined(baseline_metric(metric).no_members)
    return BaselineShare(float(yes.sum()) / total, trials.effective_items(metric))


def mean_of_runs(metric: str, trials: HeldOutPredictions) -> BaselineShare | Undefined:
    """The mean of the runs' metrics, acc_sub = sum_i acc_i/k."""
    found = metric_by_run(metric, trials.by_run())
    if found.size == 0:
        return Undefined(f"in every run {baseline_metric(metric).no_members}")
    return BaselineShare(_inside(float(found.mean())), trials.effective_items(metric))


def bootstrap_632(metric: str, trials: HeldOutPredictions, fitted: ConfusionCounts) -> BaselineShare | Undefined:
    """1/b sum_i (.632 eps_i + .368 acc_s): eps_i of items left out of draw i, acc_s of the fit to all, on the same.

    Efron 1983, Journal of the American Statistical Association 78:316, there for the error rate.
    """
    held_out = mean_of_runs(metric, trials)
    refitted = metric_by_run(metric, ConfusionCounts(*(np.atleast_1d(n) for n in fitted)))
    if isinstance(held_out, Undefined):
        return held_out
    if refitted.size == 0:
        return Undefined(f"of the fit to all items, {baseline_metric(metric).no_members}")
    value = HELD_OUT_WEIGHT * held_out.value + (1 - HELD_OUT_WEIGHT) * float(refitted[0])
    return BaselineShare(_inside(value), held_out.n)


def _inside(value: float) -> float:
    """A mean of shares is one, but for rounding."""
    return min(max(value, 0.0), 1.0)
