"""The base class of resampling methods: how labelled items are split, and a metric from what the fits answered."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.baselines.held_out_predictions import HeldOutPredictions, metric_of_pooled_runs
from stratawatch.core.cells import Flags
from stratawatch.core.estimate import Undefined
from stratawatch.core.metrics import ConfusionCounts
from stratawatch.core.population import Counts
from stratawatch.errors import StratawatchError

Splits = Iterator[tuple[Counts, Counts]]
"""For every run the rows to fit to, with repeats in a bootstrap draw, and other rows to test on."""


class ResamplingMethod(ABC):
    """A way to use the same labelled items for fitting and for testing."""

    tests_the_fit_to_all: ClassVar[bool] = False
    """Whether the fit to all items is also tested on them."""

    @property
    @abstractmethod
    def description(self) -> str:
        """How the value and its interval come about, in a few words."""

    @abstractmethod
    def splits(self, truth: Flags, seed: int) -> Splits:
        """The runs. Raises StratawatchError for classes that are too small for them."""

    def baseline_share(
        self, metric: str, predictions: HeldOutPredictions, fitted: ConfusionCounts | None
    ) -> BaselineShare | Undefined:
        """A metric from the predictions of all runs together, and from `fitted`, the fit to all items, if it is tested.

        Every item counts: the mean of the runs' metrics would lack runs that the metric is 0/0 in.
        """
        return metric_of_pooled_runs(metric, predictions)


def require_both_classes(truth: Flags, least: int, method: str) -> None:
    """Raise for truths with fewer than `least` items of either class: every fit and every test needs both."""
    positive = int(truth.sum())
    negative = truth.size - positive
    if min(positive, negative) < least:
        raise StratawatchError(
            f"there are too few labelled items for {method}",
            expected=f"at least {least} of either class",
            got=f"{positive} positive and {negative} negative",
        )
