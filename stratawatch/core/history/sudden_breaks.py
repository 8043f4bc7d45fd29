"""Rates after a sudden break, where a period's labels speak of one.

Sums of mistakes notice a break late: most of their scatter comes from what history is unsure of. Two kinds of breaks
show in labels that it was sure of, and move its rates most there, which no shift of their logits does. Positives that a
classifier calls turn false, all alike; or positives lie blindly in what nobody calls.
"""

from math import log
from typing import Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Floats
from stratawatch.core.tuning import BORROWED

_SUREST: Final = 0.0001, 0.99
"""Certainty that a rate is allowed: one false call among sure ones is no break."""
_PARTS: Final = np.linspace(0.02, 0.8, 40)
_TIMES: Final = np.geomspace(0.125, 8.0, 25)
"""Sizes that are tried where there is a break: parts that turn false, and times what blind misses are noticed by."""


def after_sudden_breaks(rates: Floats, calls: Flags, sizes: Floats, positive: Floats, labelled: Floats) -> Floats:
    """The rates of rows, or those of a break under which the labels are ten times likelier.

    `calls` has a column a classifier, and `sizes` are the items of each row. Where the rates are right, labels are so
    much likelier under a break of either kind in one of ten periods at most, however many classifiers there are: they
    are held against one alternative, or against the mean of one for each.
    """
    moved = _turned_false(rates, calls, positive, labelled)
    return _blindly_missed(moved, rates, np.asarray(~calls.any(axis=1)), sizes, positive, labelled)


def _turned_false(rates: Floats, calls: Flags, positive: Floats, labelled: Floats) -> Floats:
    """A part less, for what one classifier calls or for what any of them does."""

    def evidence(part: float) -> Floats:
        by_row = positive * np.log1p(-part) + (labelled - positive) * np.log1p(part * odds)
        return np.asarray(by_row @ groups, dtype=np.float64)

    p = np.minimum(rates, _SUREST[1])
    odds = p / (1 - p)
    groups = np.column_stack([calls, calls.any(axis=1)]).astype(np.float64)
    if _log_mean(evidence(BORROWED.turned_false)) <= log(BORROWED.break_ratio):
        return rates
    by_part = np.array([evidence(part) for part in _PARTS.tolist()])
    part, group = np.unravel_index(int(by_part.argmax()), by_part.shape)
    return np.where(groups[:, group] > 0, rates * (1 - _PARTS[part]), rates)


def _blindly_missed(
    moved: Floats, rates: Floats, quiet: Flags, sizes: Floats, positive: Floats, labelled: Floats
) -> Floats:
    """So much more wherever nobody calls; the ratio is that of Poisson counts."""

    def evidence(more: float) -> float:
        return float((positive * np.log1p(more / p) - labelled * more)[quiet].sum())

    items = float(sizes[quiet].sum())
    usual = BORROWED.blindly_missed * float(sizes @ rates) / items if items > 0 else 0.0
    if usual == 0:
        return moved
    p = np.maximum(rates, _SUREST[0])
    if evidence(usual) <= log(BORROWED.break_ratio):
        return moved
    more = max((usual * _TIMES).tolist(), key=evidence)
    return np.where(quiet, moved + more, moved)


def _log_mean(logs: Floats) -> float:
    """The log of the mean of what these are the logs of."""
    highest = float(logs.max())
    return highest + log(float(np.exp(logs - highest).mean()))
