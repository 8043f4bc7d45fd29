"""The .632 bootstrap: fit to items drawn with replacement, test on those that were not drawn."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.baselines.held_out_predictions import HeldOutPredictions, bootstrap_632
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import ConfusionCounts
from stratawatch.errors import StratawatchError
from stratawatch.resampling.resampling_method import ResamplingMethod, Splits, require_both_classes


@dataclass(frozen=True)
class Bootstrap632(ResamplingMethod):
    """`runs` draws of as many items as there are; one without both classes, or of all items, is drawn again."""

    runs: int = 50
    tests_the_fit_to_all: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.runs < 1:
            raise StratawatchError("no such bootstrap can be drawn", expected="at least one run", got=str(self.runs))

    @property
    def description(self) -> str:
        """The number of draws."""
        return f".632 bootstrap, {self.runs} draws, Wilson on distinct items"

    def splits(self, truth: Flags, seed: int) -> Splits:
        """The rows drawn, and the rows left out."""
        require_both_classes(truth, 2, "bootstrap draws")
        rng = np.random.default_rng(seed)
        made = 0
        while made < self.runs:
            train = rng.integers(truth.size, size=truth.size)
            test = np.setdiff1d(np.arange(truth.size), train)
            if 0 < truth[train].sum() < truth.size and test.size:
                made += 1
                yield train, test

    def baseline_share(
        self, metric: str, predictions: HeldOutPredictions, fitted: ConfusionCounts | None
    ) -> BaselineShare | Undefined:
        """.632 times the metric of the items left out and .368 times that of the fit to all."""
        if fitted is None:
            raise StratawatchError("the .632 bootstrap needs the answers of the fit to all items")
        return bootstrap_632(metric, predictions, fitted)
