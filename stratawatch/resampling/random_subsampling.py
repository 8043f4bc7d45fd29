"""Random subsampling: holdout many times over, and the mean."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stratawatch.core.baselines.intervals import BaselineShare
from stratawatch.core.baselines.resampled import HeldOutPredictions, mean_of_runs
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import ConfusionCounts
from stratawatch.errors import StratawatchError
from stratawatch.resampling.required_classes import require_both_classes
from stratawatch.resampling.resampling_method import TrainTestSplit


@dataclass(frozen=True)
class RandomSubsampling:
    """`runs` random splits by class (StratifiedShuffleSplit), each run's metric counting the same."""

    runs: int = 20
    test_share: float = 1 / 3
    tests_the_fit_to_all: ClassVar = False

    def __post_init__(self) -> None:
        """Check what no split can be made with."""
        if self.runs < 1 or not 0 < self.test_share < 1:
            raise StratawatchError(
                "no such splits can be made",
                expected="at least one run, and a share tested inside (0, 1)",
                got=f"{self.runs} runs of {self.test_share:g}",
            )

    @property
    def description(self) -> str:
        """Runs and the share tested."""
        return f"random subsampling, {self.runs} runs of {self.test_share:.3g}, Wilson on distinct items"

    def splits(self, truth: Flags, seed: int) -> Iterator[TrainTestSplit]:
        """As scikit-learn divides them."""
        from sklearn.model_selection import StratifiedShuffleSplit

        require_both_classes(truth, 2, "a random split")
        tested = int(np.ceil(self.test_share * truth.size))
        if min(tested, truth.size - tested) < 2:
            raise StratawatchError(
                "a random split would leave out a class",
                expected="at least 2 items to test and 2 to fit to",
                got=f"{tested} and {truth.size - tested}",
            )
        splitter = StratifiedShuffleSplit(n_splits=self.runs, test_size=self.test_share, random_state=seed)
        for train, test in splitter.split(truth, truth):
            yield TrainTestSplit(train, test)

    def share(
        self, metric: str, trials: HeldOutPredictions, fitted: ConfusionCounts | None
    ) -> BaselineShare | Undefined:
        """The mean of the runs."""
        return mean_of_runs(metric, trials)
