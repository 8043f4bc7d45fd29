"""What a resampling method is: ways to divide the labelled items, and a metric from what the fits answered."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from stratawatch.core.baselines.intervals import BaselineShare
from stratawatch.core.baselines.resampled import HeldOutPredictions
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import ConfusionCounts
from stratawatch.core.population import Counts


class TrainTestSplit(NamedTuple):
    """Rows to fit to, with repeats in a bootstrap draw, and other rows to test on."""

    train: Counts
    test: Counts


class ResamplingMethod(Protocol):
    """One way to use the same labelled items for fitting and for testing."""

    @property
    def description(self) -> str:
        """How the value and its interval come about, in a few words."""
        ...

    @property
    def tests_the_fit_to_all(self) -> bool:
        """Whether the fit to all items is also asked about them."""
        ...

    def splits(self, truth: Flags, seed: int) -> Iterator[TrainTestSplit]:
        """The runs; a class that is too small for them is refused."""
        ...

    def share(
        self, metric: str, trials: HeldOutPredictions, fitted: ConfusionCounts | None
    ) -> BaselineShare | Undefined:
        """A metric from the runs' answers, and from those of the fit to all items where that is tested."""
        ...
