"""Baselines of labelled predictions: nothing is fitted again, there is one estimate with its interval."""

from collections.abc import Sequence

from stratawatch.core.baselines.baseline import Baseline
from stratawatch.core.baselines.intervals import BaselineShare
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import BASELINES_REPORTED, ConfusionCounts, baseline_metric


def from_counts(metric: str, answers: ConfusionCounts) -> BaselineShare | Undefined:
    """A metric of a plain random draw: yes of n.

    >>> import numpy as np
    >>> from_counts("precision", ConfusionCounts(*(np.array(float(n)) for n in (80, 20, 10, 890))))
    BaselineShare(value=0.8, n=100.0)
    """
    found = baseline_metric(metric)
    yes, of = found.share(answers)
    return BaselineShare(float(yes / of), float(of)) if of > 0 else Undefined(found.no_members)


def labelled_baselines(
    calls: Flags, truth: Flags, *, metrics: Sequence[str] = BASELINES_REPORTED
) -> tuple[Baseline, ...]:
    """Of items drawn at random from those that the classifier met, whatever it called them."""
    answers = ConfusionCounts.of_calls(calls, truth)
    return tuple(
        Baseline(metric, from_counts(metric, answers), "labelled items, Wilson", calls.size) for metric in metrics
    )
