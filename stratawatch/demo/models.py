"""Three classifiers that look at overlapping signals, their cut-offs, and the vote of the majority."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.demo.messages import SIGNALS, Booleans, Messages, Signals

Scores = NDArray[np.float64]

SIGNALS_READ: Final[Mapping[str, tuple[str, ...]]] = {
    "logistic": ("wording", "links", "payment", "urgency"),
    "trees": ("wording", "links", "sender_age", "images", "tempo"),
    "bayes": ("wording", "sender_age", "payment", "images"),
}
"""The signals that each classifier is fitted to. Only `logistic` reads urgency."""
SCORED_CLASSIFIERS: Final = tuple(SIGNALS_READ)
MAJORITY_VOTE: Final = "vote"
CLASSIFIERS: Final = (*SCORED_CLASSIFIERS, MAJORITY_VOTE)

_GOAL_PRECISION: Final = {"logistic": 0.84, "trees": 0.86, "bayes": 0.82}


@dataclass(frozen=True)
class TrainedModels:
    """Fitted classifiers and the least scores that they call positive."""

    fitted: Mapping[str, Any]
    cut_offs: Mapping[str, float]

    def scores(self, signals: Signals) -> Scores:
        """Scores, a column a scored classifier."""
        return np.column_stack([_score(self.fitted[name], name, signals) for name in SCORED_CLASSIFIERS])

    def call(self, name: str, signals: Signals) -> Booleans:
        """The calls of one scored classifier."""
        return np.greater_equal(_score(self.fitted[name], name, signals), self.cut_offs[name])

    def calls(self, scores: Scores) -> Booleans:
        """Calls, a column a classifier, the vote last."""
        singles = scores >= np.array([self.cut_offs[name] for name in SCORED_CLASSIFIERS])
        return np.column_stack([singles, singles.sum(axis=1) >= 2])


def train_models(labelled: Messages, tuning: Messages) -> TrainedModels:
    """Fit the classifiers on labelled messages, choose their cut-offs on a period of their own."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    untrained = {
        "logistic": LogisticRegression(),
        "trees": HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=8, random_state=0),
        "bayes": GaussianNB(),
    }
    fitted = {name: model.fit(_view(name, labelled.signals), labelled.is_scam) for name, model in untrained.items()}
    cut_offs = {
        name: lowest_cut_off(_score(model, name, tuning.signals), tuning.is_scam, _GOAL_PRECISION[name])
        for name, model in fitted.items()
    }
    return TrainedModels(fitted, cut_offs)


def lowest_cut_off(scores: Scores, truth: Booleans, precision: float) -> float:
    """The lowest score from which on the calls are at least this precise."""
    order = np.argsort(-scores, kind="stable")
    precise = np.cumsum(truth[order]) / np.arange(1, len(order) + 1) >= precision
    return float(scores[order[np.flatnonzero(precise)[-1]]])


def _view(name: str, signals: Signals) -> Signals:
    return signals[:, [SIGNALS.index(signal) for signal in SIGNALS_READ[name]]]


def _score(model: Any, name: str, signals: Signals) -> Scores:
    probability: Scores = model.predict_proba(_view(name, signals))[:, 1].astype(np.float64)
    return probability
