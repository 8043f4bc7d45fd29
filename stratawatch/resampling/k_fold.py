"""k-fold cross-validation: every item is tested once, by a fit to the other folds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from stratawatch.core.baselines.intervals import BaselineShare
from stratawatch.core.baselines.resampled import HeldOutPredictions, pooled_share
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import ConfusionCounts
from stratawatch.errors import StratawatchError
from stratawatch.resampling.required_classes import require_both_classes
from stratawatch.resampling.resampling_method import TrainTestSplit


@dataclass(frozen=True)
class KFold:
    """Folds by class (StratifiedKFold, shuffled); the answers of all folds are counted together."""

    folds: int = 10
    tests_the_fit_to_all: ClassVar = False

    def __post_init__(self) -> None:
        """Check that there is something to fit to."""
        if self.folds < 2:
            raise StratawatchError("no such folds can be made", expected="at least 2 folds", got=str(self.folds))

    @property
    def description(self) -> str:
        """The number of folds."""
        return f"stratified {self.folds}-fold, Wilson"

    def splits(self, truth: Flags, seed: int) -> Iterator[TrainTestSplit]:
        """As scikit-learn divides them."""
        from sklearn.model_selection import StratifiedKFold

        require_both_classes(truth, self.folds, f"{self.folds} folds by class")
        for train, test in StratifiedKFold(self.folds, shuffle=True, random_state=seed).split(truth, truth):
            yield TrainTestSplit(train, test)

    def share(
        self, metric: str, trials: HeldOutPredictions, fitted: ConfusionCounts | None
    ) -> BaselineShare | Undefined:
        """Of all items; the mean of the folds' precisions would lack those that call nothing positive."""
        return pooled_share(metric, trials)
