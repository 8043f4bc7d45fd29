"""Baselines by resampling: fit, test and count, for every metric by one method."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from stratawatch.core.baselines.baseline import Baseline
from stratawatch.core.baselines.held_out_predictions import HeldOutPredictions
from stratawatch.core.cells import Flags
from stratawatch.core.metrics import BASELINES_REPORTED, ConfusionCounts
from stratawatch.core.population import Counts
from stratawatch.datetimes import moment
from stratawatch.errors import StratawatchError
from stratawatch.extras import require
from stratawatch.resampling.methods import method_named
from stratawatch.resampling.positive_class import positive_calls, positive_flags, take_rows
from stratawatch.resampling.resampling_method import ResamplingMethod

MOST_SEED: Final = 2**32 - 1


@dataclass(frozen=True)
class ResampledBaselines:
    """Baselines, the held-out predictions behind them, and the counts of the fit to all items if it was tested.

    >>> from sklearn.dummy import DummyClassifier
    >>> always = DummyClassifier(strategy="constant", constant=1)
    >>> measured = measure_baselines(always, [[0]] * 60, [0, 1, 1] * 20, "holdout", seed=1)
    >>> round(measured.of("precision").interval_at(0.95).value, 2)
    0.65
    """

    baselines: tuple[Baseline, ...]
    predictions: HeldOutPredictions
    fitted: ConfusionCounts | None

    def of(self, metric: str) -> Baseline:
        """The baseline of one metric."""
        found = {baseline.metric: baseline for baseline in self.baselines}
        if metric not in found:
            raise StratawatchError(f"no baseline of '{metric}' was measured", expected=f"one of {', '.join(found)}")
        return found[metric]


def measure_baselines(
    estimator: Any,
    X: Any,
    y: Any,
    method: str | ResamplingMethod = "random_subsampling",
    *,
    seed: int,
    metrics: Sequence[str] = BASELINES_REPORTED,
    positive: Any = None,
    cut_off: float | None = None,
    valid_from: str | None = None,
    valid_until: str | None = None,
) -> ResampledBaselines:
    """Measure what a scikit-learn classifier attains on items like these; the estimator itself is not fitted.

    Args:
        estimator: A classifier of scikit-learn, or one with its methods.
        X: The items' features.
        y: Their labels.
        method: "holdout", "random_subsampling", "k_fold", "leave_one_out" or "bootstrap_632".
        seed: scikit-learn's `random_state`.
        metrics: Names of the metrics.
        positive: The positive class, where y is not of 1 and 0.
        cut_off: The least score that is called positive, where the classifier is not used with its own `predict`.
        valid_from: The moment from which the baselines hold.
        valid_until: The moment until which they do.

    Returns:
        Baselines by metric, each with an interval at any confidence.

    Examples:
        >>> import numpy as np
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> X = np.arange(400.0).reshape(-1, 1)
        >>> y = (X[:, 0] % 100 < 30).astype(int)
        >>> measured = measure_baselines(DecisionTreeClassifier(random_state=0), X, y, "k_fold", seed=1)
        >>> measured.of("precision").n
        400
    """
    require("baselines")
    _require_seed(seed)
    for date in (valid_from, valid_until):
        moment(date, "the date of a baseline")
    chosen = method_named(method) if isinstance(method, str) else method
    truth, positive = positive_flags(y, positive)
    labels = np.asarray(y)
    items = X.shape[0] if hasattr(X, "shape") else len(X)
    if items != truth.size:
        raise StratawatchError("X and y do not belong together", expected=f"{truth.size} rows of X", got=str(items))

    def predicted(train: Counts, test: Counts) -> Flags:
        model = _clone(estimator).fit(take_rows(X, train), labels[train])
        return positive_calls(model, take_rows(X, test), positive, cut_off)

    runs = [(test, predicted(train, test)) for train, test in chosen.splits(truth, seed)]
    predictions = HeldOutPredictions.of_runs(runs, truth)
    everything = np.arange(truth.size)
    fitted = ConfusionCounts.of_calls(predicted(everything, everything), truth) if chosen.tests_the_fit_to_all else None
    baselines = tuple(
        Baseline(
            metric=metric,
            evidence=chosen.baseline_share(metric, predictions, fitted),
            method=chosen.description,
            n=truth.size,
            seed=int(seed),
            valid_from=valid_from,
            valid_until=valid_until,
        )
        for metric in metrics
    )
    return ResampledBaselines(baselines, predictions, fitted)


def _require_seed(seed: int) -> None:
    """Refuse seeds that scikit-learn cannot take, also for methods without randomness, as baselines record the seed."""
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or not 0 <= seed <= MOST_SEED:
        raise StratawatchError("this is no seed", expected=f"a whole number from 0 to {MOST_SEED}", got=repr(seed))


def _clone(estimator: Any) -> Any:
    from sklearn.base import clone

    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
        raise StratawatchError(
            f"{type(estimator).__name__} cannot be fitted", expected="a scikit-learn classifier, with fit and predict"
        )
    return clone(estimator)
