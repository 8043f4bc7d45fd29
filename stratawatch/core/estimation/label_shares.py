"""Labels as members of the set that a metric is a share of: how far each moves a plain share of labels.

A design that takes the share itself, stratum by stratum, does not use how many items a classifier calls positive: a
customer of many positive calls moves its recall, accuracy or prevalence also where all of its calls are as right as
others'. So a label's move is its distance from the mean of the set, and not from that of its side.
"""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.label_table import LabelRows
from stratawatch.core.population import Floats

Members = Callable[[Flags, Flags, Flags], tuple[Flags, Flags]]
"""(called positive, called negative, yes) -> (labels in the set, those of them that count)."""

MEMBERS: Final[Mapping[str, Members]] = {
    "precision": lambda a, b, yes: (a, yes),  # noqa: ARG005 - one shape for all
    "recall": lambda a, b, yes: ((a | b) & yes, a),
    "false_omission_rate": lambda a, b, yes: (b, yes),  # noqa: ARG005
    "f1": lambda a, b, yes: (a | (b & yes), a & yes),
    "accuracy": lambda a, b, yes: (a | b, a == yes),
    "specificity": lambda a, b, yes: ((a | b) & ~yes, b),
    "negative_predictive_value": lambda a, b, yes: (b, ~yes),  # noqa: ARG005
    "prevalence": lambda a, b, yes: (a | b, yes),
}
"""F1 is read off the share J of what is called positive or is: F1 = 2 J/(1 + J)."""


def moves(rows: LabelRows, metric: str, place: int, inside: Floats) -> Floats:
    """The z of every label: (counts or not - the share in its stratum)/(items in the set); 0 outside of the set.

    Sums of w z, w the items that a label stands for, are the linearised error of a stratified share of the set, and
    of a ratio of two sums where labels say who is in it (Cochran 1977, 6.4).
    """
    a, b = (side[rows.atoms, place] for side in (rows.cells.positive, rows.cells.negative))
    members, counted = MEMBERS[metric](a, b, rows.yes > 0)
    there, counts = inside * members, inside * (members & counted)
    weights = rows.strata().weights
    sums, sizes = (np.bincount(rows.homes, weights=each) for each in (counts, there))
    size = float(weights @ there)
    if size <= 0:
        return np.zeros(len(there))
    share = (sums / np.maximum(sizes, 1))[rows.homes]
    slope = 2 / (1 + float(weights @ counts) / size) ** 2 if metric == "f1" else 1.0
    return np.asarray(slope * (counts - share * there) / size, dtype=np.float64)
