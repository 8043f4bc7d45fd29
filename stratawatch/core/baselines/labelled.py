"""Baselines from labelled predictions: of a plain random draw, or of draws from either side of a classifier."""

from collections.abc import Sequence

from stratawatch.core.baselines.baseline import Baseline
from stratawatch.core.baselines.baseline_evidence import BaselineShare, TwoSampleBaseline
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import BASELINES_REPORTED, ConfusionCounts, RatioMetric, baseline_metric
from stratawatch.errors import StratawatchError


def share_from_counts(metric: str, answers: ConfusionCounts) -> BaselineShare | Undefined:
    """A metric as a share, from the confusion counts of a plain random draw.

    >>> import numpy as np
    >>> share_from_counts("precision", ConfusionCounts(*(np.array(float(n)) for n in (80, 20, 10, 890))))
    BaselineShare(value=0.8, n=100.0)
    """
    found = baseline_metric(metric)
    yes, of = found.share(answers)
    return BaselineShare(float(yes / of), float(of)) if of > 0 else Undefined(found.no_members)


def labelled_baselines(
    calls: Flags, truth: Flags, *, metrics: Sequence[str] = BASELINES_REPORTED
) -> tuple[Baseline, ...]:
    """Baselines from labels of items that were drawn at random, whatever the classifier called them."""
    answers = ConfusionCounts.of_calls(calls, truth)
    return tuple(
        Baseline(metric, share_from_counts(metric, answers), "labelled items, Wilson", calls.size) for metric in metrics
    )


def side_sample_baselines(
    calls: Flags, truth: Flags, called_size: float, passed_size: float, *, metrics: Sequence[str] = BASELINES_REPORTED
) -> tuple[Baseline, ...]:
    """Baselines from labels drawn at random among the `called_size` items called positive, and among the others.

    Intervals are about items to come, so they keep their width even where every item has a label.
    """
    answers = ConfusionCounts.of_calls(calls, truth)
    for size, labels, words in (
        (called_size, int(answers.tp + answers.fp), "called positive"),
        (passed_size, int(answers.fn + answers.tn), "called negative"),
    ):
        if not (size >= max(labels, 1) and float(size).is_integer()):
            raise StratawatchError(
                f"labels drawn apart need the number of items {words}",
                expected=f"a whole number, at least 1 and at least the {labels} that have a label",
                got=f"{size:.15g}",
            )
    return tuple(_baseline(metric, answers, called_size, passed_size) for metric in metrics)


def _baseline(name: str, answers: ConfusionCounts, called_size: float, passed_size: float) -> Baseline:
    n, metric = int(sum(answers)), baseline_metric(name)
    if len(metric.sides) == 1:
        return Baseline(name, share_from_counts(name, answers), "labels drawn apart, Wilson", n)
    evidence = _both(metric, answers, called_size, passed_size)
    return Baseline(name, evidence, f"labels drawn apart, {'MOVER-R' if metric.odds else 'MOVER'}", n)


def _both(
    metric: RatioMetric, answers: ConfusionCounts, called_size: float, passed_size: float
) -> TwoSampleBaseline | Undefined:
    called, passed = share_from_counts("precision", answers), share_from_counts("false_omission_rate", answers)
    if isinstance(called, Undefined):
        return called
    if isinstance(passed, Undefined):
        return passed
    if metric.share(answers)[1] == 0:
        return Undefined(metric.no_members)
    return TwoSampleBaseline(metric.name, called, passed, called_size, passed_size)
