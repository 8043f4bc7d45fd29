"""Leave-one-out: every item is tested by a fit to all others."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from stratawatch.core.baselines.intervals import BaselineShare
from stratawatch.core.baselines.resampled import HeldOutPredictions, pooled_share
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import ConfusionCounts
from stratawatch.resampling.required_classes import require_both_classes
from stratawatch.resampling.resampling_method import TrainTestSplit


@dataclass(frozen=True)
class LeaveOneOut:
    """As many fits as items; no seed matters."""

    tests_the_fit_to_all: ClassVar = False
    description: ClassVar = "leave-one-out, Wilson"

    def splits(self, truth: Flags, seed: int) -> Iterator[TrainTestSplit]:
        """As scikit-learn divides them."""
        from sklearn.model_selection import LeaveOneOut as Splitter

        require_both_classes(truth, 2, "leave-one-out")
        for train, test in Splitter().split(truth):
            yield TrainTestSplit(train, test)

    def share(
        self, metric: str, trials: HeldOutPredictions, fitted: ConfusionCounts | None
    ) -> BaselineShare | Undefined:
        """Of all items."""
        return pooled_share(metric, trials)
