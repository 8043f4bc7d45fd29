"""How many labels one window needs that proves a stream inside its limit, read off the forecasts of budgets."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil, exp, log

from stratawatch.core.designs.budget_forecasts import BudgetPoint
from stratawatch.engine.model.limit_outlook import LabelsToProve, LimitOutlook


def with_labels_to_prove(outlooks: Sequence[LimitOutlook], curve: Sequence[BudgetPoint]) -> tuple[LimitOutlook, ...]:
    """The outlooks, each that is inside and not proven with the labels that would prove it."""
    return tuple(
        one
        if one.is_proven or one.half_width is None
        else replace(one, labels_to_prove=_labels_to_prove(one, one.half_width, curve))
        for one in outlooks
    )


def _labels_to_prove(one: LimitOutlook, half_width: float, curve: Sequence[BudgetPoint]) -> LabelsToProve:
    most = max((step.labels for step in curve), default=0)
    if one.key.segment is not None:
        return LabelsToProve(None, most, "no intervals are forecast inside segments")
    key = (one.key.classifier, one.key.metric)
    widths = [(step.labels, step.half_widths[key]) for step in curve if key in step.half_widths and step.labels]
    if not widths:
        return LabelsToProve(None, most, f"no interval is forecast of {one.key.metric.replace('_', ' ')}")
    return LabelsToProve(fewest_labels(widths, half_width), most, fewer_may_do=widths[0][1] <= half_width)


def fewest_labels(widths: Sequence[tuple[int, float]], most: float) -> int | None:
    """The labels from which on half-widths are at most so wide, by (labels, half-width) with rising labels; None: none.

    Between two budgets the half-width is a power of the labels.

    >>> [fewest_labels([(100, 0.10), (400, 0.05)], most) for most in (0.2, 0.0707, 0.01)]
    [100, 201, None]
    """
    if widths[0][1] <= most:
        return widths[0][0]
    for (fewer, wide), (more, narrow) in pairwise(widths):
        if narrow <= most:
            if not narrow:
                return more
            share = log(wide / most) / log(wide / narrow)
            return ceil(exp(log(fewer) + share * log(more / fewer)))
    return None
