"""Holdout: fit to a part, test on the rest, once."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from stratawatch.core.baselines.intervals import BaselineShare
from stratawatch.core.baselines.resampled import HeldOutPredictions, pooled_share
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import ConfusionCounts
from stratawatch.resampling.random_subsampling import RandomSubsampling
from stratawatch.resampling.resampling_method import TrainTestSplit


@dataclass(frozen=True)
class Holdout:
    """One split by class; what is measured is the fit to the training part, not the one to all items."""

    test_share: float = 1 / 3
    tests_the_fit_to_all: ClassVar = False

    @property
    def description(self) -> str:
        """The share tested."""
        return f"holdout of {self.test_share:.3g}, Wilson"

    def splits(self, truth: Flags, seed: int) -> Iterator[TrainTestSplit]:
        """The first of the random splits."""
        yield from RandomSubsampling(runs=1, test_share=self.test_share).splits(truth, seed)

    def share(
        self, metric: str, trials: HeldOutPredictions, fitted: ConfusionCounts | None
    ) -> BaselineShare | Undefined:
        """Of the items tested."""
        return pooled_share(metric, trials)
