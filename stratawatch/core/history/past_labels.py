"""Labels of earlier periods, and how well the model of the labels before them had predicted each period."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.population import Counts, Floats


@dataclass(frozen=True)
class KnownPositives:
    """Cells of earlier windows: so many of their `items`, drawn at random, became known to be positive by themselves.

    Columns of equal length; a score is the binned variable, NaN where there is none. Only some positives become known,
    so the share of those that did is at most the share of positives.
    """

    patterns: tuple[str, ...]
    scores: Floats
    items: Floats
    positives: Floats


@dataclass(frozen=True)
class GoalRatios:
    """How a period's variances compare with the model's, by metric and classifier.

    `ratios` are the squared errors of the labels over what the model expected of them, `variances` the variance that
    such a quotient has where the model is right; NaN where a period's labels say nothing about a goal.
    """

    ratios: Mapping[str, Floats]
    variances: Mapping[str, Floats]


@dataclass(frozen=True)
class History:
    """Columns of equal length, one row a labelled item of an earlier period of the same panel.

    `ages` counts periods back: 1 is the period before this one. `scores` is the binned variable z, NaN where there
    is none; `weights` the items that each label stood for. `drawable` marks items that may be drawn
    now: their labels may come again, so plans must not read them one by one. `ratios` holds, by age and metric, how
    much larger a period's variance was than the model of the periods before expected (see model_trust.py);
    `with_variance_ratios` adds those of ages that are missing, and to `goal_ratios` the same for every goal by itself.
    `first_use` marks labels that no earlier period had used (None: all of them). The first `classifiers` letters of a
    pattern are calls (None: all); those after them are what auxiliary scores lean to. `known` is truth that came by
    itself: plans raise rates to it, and no estimate reads it. `numbers` are the random numbers of the drawable items
    whose label costs nothing any more, NaN in other rows; only forecasts read them (None: nobody looked). `called` is,
    by age, the part of a period's items that some classifier called (None: nobody counted).
    """

    ages: Counts
    patterns: tuple[str, ...]
    scores: Floats
    positive: NDArray[np.bool_]
    weights: Floats
    drawable: NDArray[np.bool_]
    ratios: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    goal_ratios: Mapping[int, GoalRatios] = field(default_factory=dict)
    first_use: NDArray[np.bool_] | None = None
    classifiers: int | None = None
    known: KnownPositives | None = None
    numbers: Floats | None = None
    called: Mapping[int, float] | None = None

    def __len__(self) -> int:
        return len(self.patterns)

    @property
    def calls(self) -> NDArray[np.str_]:
        """The calls of every row, a column a classifier."""
        longest = max(map(len, self.patterns), default=0)
        letters = np.array(self.patterns, dtype=f"U{max(longest, 1)}").view("U1").reshape(len(self), max(longest, 1))
        return letters[:, : self.classifiers]


NO_HISTORY: Final = History(
    ages=np.zeros(0, dtype=np.int64),
    patterns=(),
    scores=np.zeros(0),
    positive=np.zeros(0, dtype=np.bool_),
    weights=np.zeros(0),
    drawable=np.zeros(0, dtype=np.bool_),
)
