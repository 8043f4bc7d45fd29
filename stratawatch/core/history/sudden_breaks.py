"""Rates after a sudden break, where a period's labels speak of one.

Sums of mistakes notice a break late: most of their scatter comes from what history is unsure of. Two kinds of breaks
show in labels that it was sure of, and move its rates most there, which no shift of their logits does. Positives that a
classifier calls turn false, all alike; or positives lie blindly in what nobody calls.

Where rates are known beforehand and labels are independent, labels are ten times likelier under a break of one kind in
one of ten periods at most (Markov's inequality), whenever they are looked at (Ville's), and however many classifiers
there are: they are held against one alternative, or against the mean of one for each.
"""

from math import log
from typing import Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Floats
from stratawatch.core.tuning import BORROWED

_RAREST: Final = 0.0001
_MOST: Final = 0.99
"""The lowest rate that misses are held against, and the highest that they lead to."""
_PARTS: Final = np.linspace(0.02, 0.8, 40)
_TIMES: Final = np.geomspace(0.125, 8.0, 25)
"""Sizes that are tried where there is a break: parts that turn false, and times what blind misses are noticed by."""


def after_false_calls(rates: Floats, calls: Flags, positive: Floats, labelled: Floats) -> Floats:
    """The rates of rows, a part lower for what one classifier calls or for what any of them does.

    They stay as they are where labels are not ten times likelier after a tenth of a classifier's true positives turned
    false. `calls` has a column a classifier. However sure history was, one false call is no break.
    """

    def log_ratios(part: float) -> Floats:
        by_row = positive * np.log1p(-part) + (labelled - positive) * np.log1p(part * odds)
        return np.asarray(by_row @ groups, dtype=np.float64)

    odds = np.minimum(rates / (1 - rates), (BORROWED.times_likelier - 1) / BORROWED.turned_false)
    groups = np.column_stack([calls, calls.any(axis=1)]).astype(np.float64)
    found = log_ratios(BORROWED.turned_false)
    if np.logaddexp.reduce(found) - log(len(found)) <= log(BORROWED.times_likelier):
        return rates
    by_part = np.array([log_ratios(part) for part in _PARTS.tolist()])
    part, group = np.unravel_index(int(by_part.argmax()), by_part.shape)
    return np.where(groups[:, group] > 0, rates * (1 - _PARTS[part]), rates)


def after_blind_misses(rates: Floats, calls: Flags, sizes: Floats, positive: Floats, labelled: Floats) -> Floats:
    """The rates of rows, as much higher wherever nobody calls; `sizes` are the items of each row that somebody judged.

    They stay as they are where labels are not ten times likelier after a twentieth of all positives lay there, as often
    everywhere. The ratio is that of Poisson counts.
    """

    def log_ratio(more: float) -> float:
        return float((positive * np.log1p(more / known) - labelled * more)[quiet].sum())

    quiet = ~calls.any(axis=1) & (sizes > 0)
    items = float(sizes[quiet].sum())
    usual = BORROWED.blindly_missed * float(sizes @ rates) / items if items > 0 else 0.0
    known = np.maximum(rates, _RAREST)
    if log_ratio(usual) <= log(BORROWED.times_likelier):
        return rates
    more = max((usual * _TIMES).tolist(), key=log_ratio)
    return np.where(quiet, np.maximum(rates, np.minimum(rates + more, _MOST)), rates)
