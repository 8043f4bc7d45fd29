"""The same splits by scikit-learn's own scorers: every value must be the same.

scikit-learn's table of breast tumours (569 real ones), malignant as the positive class.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer, precision_score, recall_score
from sklearn.model_selection import cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from stratawatch.core.baselines.held_out_predictions import HELD_OUT_WEIGHT, metric_of_pooled_runs
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.resampling import METHODS, measure_baselines

ESTIMATORS: Final[dict[str, Any]] = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": DecisionTreeClassifier(random_state=0),
}
SCORES: Final[dict[str, Callable[..., float]]] = {
    "precision": precision_score,
    "recall": recall_score,
    "false_omission_rate": lambda y, calls: 1 - precision_score(y, calls, pos_label=0),
    "accuracy": accuracy_score,
}


def differences(seed: int, items: int) -> dict[tuple[str, str], float]:
    """The largest difference of any metric, by method and estimator, on the first so many tumours."""
    X, benign = load_breast_cancer(return_X_y=True)
    X, y = X[:items], 1 - benign[:items]
    return {
        (method, name): _largest(estimator, X, y, method, seed)
        for name, estimator in ESTIMATORS.items()
        for method in METHODS
    }


def _largest(estimator: Any, X: Any, y: Any, method: str, seed: int) -> float:
    ours = measure_baselines(estimator, X, y, method, seed=seed)
    theirs = _theirs(estimator, X, y, method, list(METHODS[method].splits(y == 1, seed)))
    found = {metric: ours.of(metric).interval_at() for metric in theirs}
    return max(
        abs(one.value - theirs[name]) if isinstance(one, IntervalEstimate) else 1.0 for name, one in found.items()
    )


def _theirs(estimator: Any, X: Any, y: Any, method: str, splits: Any) -> dict[str, float]:
    if method in ("k_fold", "leave_one_out"):
        calls = cross_val_predict(estimator, X, y, cv=splits)
        return {metric: float(score(y, calls)) for metric, score in SCORES.items()}
    scorers = {metric: make_scorer(score) for metric, score in SCORES.items()}
    by_run = cross_validate(estimator, X, y, cv=splits, scoring=scorers)
    means = {metric: float(by_run[f"test_{metric}"].mean()) for metric in SCORES}
    if method != "bootstrap_632":
        return means
    calls = estimator.fit(X, y).predict(X)
    return {
        metric: HELD_OUT_WEIGHT * mean + (1 - HELD_OUT_WEIGHT) * float(SCORES[metric](y, calls))
        for metric, mean in means.items()
    }


def against_mean_of_folds(seed: int) -> float:
    """Precision on rare positives: scikit-learn's mean of the folds, 0 where a fold calls nothing, less the pooled."""
    rng = np.random.default_rng(seed)
    y = (rng.random(400) < 0.05).astype(int)
    X = rng.normal(size=(400, 3)) + 1.5 * y[:, None]
    ours = measure_baselines(LogisticRegression(), X, y, "k_fold", seed=seed)
    together = metric_of_pooled_runs("precision", ours.predictions)
    if isinstance(together, Undefined):
        return 0.0
    splits = list(METHODS["k_fold"].splits(y == 1, seed))
    scorer = make_scorer(precision_score, zero_division=0.0)
    return float(cross_val_score(LogisticRegression(), X, y, cv=splits, scoring=scorer).mean()) - together.value
