"""Random subsampling and holdout: random splits by class into items to fit to and items to test on."""

from dataclasses import dataclass

import numpy as np

from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.baselines.held_out_predictions import HeldOutPredictions, mean_of_runs
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import ConfusionCounts
from stratawatch.errors import StratawatchError
from stratawatch.resampling.resampling_method import ResamplingMethod, Splits, require_both_classes


@dataclass(frozen=True)
class RandomSubsampling(ResamplingMethod):
    """`runs` random splits by class (StratifiedShuffleSplit); the metric is the mean of the runs'."""

    runs: int = 20
    test_share: float = 1 / 3

    def __post_init__(self) -> None:
        if self.runs < 1 or not 0 < self.test_share < 1:
            raise StratawatchError(
                "no such splits can be made",
                expected="at least one run, and a share tested inside (0, 1)",
                got=f"{self.runs} runs of {self.test_share:g}",
            )

    @property
    def description(self) -> str:
        """The runs and the share tested."""
        return f"random subsampling, {self.runs} runs of {self.test_share:.3g}, Wilson on distinct items"

    def splits(self, truth: Flags, seed: int) -> Splits:
        """The splits of scikit-learn."""
        from sklearn.model_selection import StratifiedShuffleSplit

        require_both_classes(truth, 2, "a random split")
        tested = int(np.ceil(self.test_share * truth.size))
        if min(tested, truth.size - tested) < 2:
            raise StratawatchError(
                "a random split would leave out a class",
                expected="at least 2 items to test and 2 to fit to",
                got=f"{tested} and {truth.size - tested}",
            )
        yield from StratifiedShuffleSplit(self.runs, test_size=self.test_share, random_state=seed).split(truth, truth)

    def baseline_share(
        self, metric: str, predictions: HeldOutPredictions, fitted: ConfusionCounts | None
    ) -> BaselineShare | Undefined:
        """The mean of the runs' metrics."""
        return mean_of_runs(metric, predictions)


@dataclass(frozen=True)
class Holdout(ResamplingMethod):
    """One random split by class; it measures the fit to the training part, not the one to all items."""

    test_share: float = 1 / 3

    @property
    def description(self) -> str:
        """The share tested."""
        return f"holdout of {self.test_share:.3g}, Wilson"

    def splits(self, truth: Flags, seed: int) -> Splits:
        """The first split of random subsampling."""
        return RandomSubsampling(1, self.test_share).splits(truth, seed)
