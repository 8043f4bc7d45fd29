"""Cross-validation: every item is tested once, by a fit to items of other folds."""

from dataclasses import dataclass

from stratawatch.core.cells import Flags
from stratawatch.errors import StratawatchError
from stratawatch.resampling.resampling_method import ResamplingMethod, Splits, require_both_classes


@dataclass(frozen=True)
class KFold(ResamplingMethod):
    """Shuffled folds by class (StratifiedKFold); the predictions of all folds are counted together."""

    folds: int = 10

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise StratawatchError("no such folds can be made", expected="at least 2 folds", got=str(self.folds))

    @property
    def description(self) -> str:
        """The number of folds."""
        return f"stratified {self.folds}-fold, Wilson"

    def splits(self, truth: Flags, seed: int) -> Splits:
        """The folds of scikit-learn."""
        from sklearn.model_selection import StratifiedKFold

        require_both_classes(truth, self.folds, f"{self.folds} folds by class")
        yield from StratifiedKFold(self.folds, shuffle=True, random_state=seed).split(truth, truth)


@dataclass(frozen=True)
class LeaveOneOut(ResamplingMethod):
    """As many fits as items, each to all others; the seed does not matter."""

    description = "leave-one-out, Wilson"

    def splits(self, truth: Flags, seed: int) -> Splits:
        """The splits of scikit-learn."""
        from sklearn.model_selection import LeaveOneOut as Splitter

        require_both_classes(truth, 2, "leave-one-out")
        yield from Splitter().split(truth)
