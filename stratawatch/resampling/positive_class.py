"""Flags of the positive items, by their labels and by a fitted model's calls."""

from typing import Any

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Counts
from stratawatch.errors import StratawatchError


def positive_flags(y: Any, positive: Any = None) -> tuple[Flags, Any]:
    """Flags of the positive items, and the label of the positive class: True or 1 where none is named."""
    labels = np.asarray(y)
    found = sorted(set(labels.tolist()), key=str) if labels.ndim == 1 else []
    if len(found) != 2:
        raise StratawatchError("y does not tell two classes apart", expected="one label an item, of two kinds")
    if positive is None:
        if found != [0, 1]:
            raise StratawatchError(
                "y does not say which class is the positive one",
                expected="true and false, or 1 and 0",
                got=" and ".join(map(str, found)),
                hint=f"name it: positive={found[1]!r}",
            )
        positive = found[1]
    if positive not in found:
        raise StratawatchError("no item is positive", expected=f"{positive!r} in y", got=" and ".join(map(str, found)))
    return np.asarray(labels == positive, dtype=np.bool_), positive


def take_rows(table: Any, places: Counts) -> Any:
    """Rows of a frame, of an array or of a list."""
    if hasattr(table, "iloc"):
        return table.iloc[places]
    return table[places] if hasattr(table, "shape") else [table[place] for place in places]


def positive_calls(model: Any, X: Any, positive: Any, cut_off: float | None) -> Flags:
    """What a fitted model calls positive: what it predicts, or what scores at least the cut-off."""
    if cut_off is None:
        return np.asarray(np.asarray(model.predict(X)) == positive, dtype=np.bool_)
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X)[:, list(model.classes_).index(positive)] >= cut_off, dtype=np.bool_)
    if hasattr(model, "decision_function"):
        sign = 1.0 if model.classes_[1] == positive else -1.0
        return np.asarray(sign * model.decision_function(X) >= cut_off, dtype=np.bool_)
    raise StratawatchError(
        f"{type(model).__name__} has no score to set a cut-off on", expected="predict_proba or decision_function"
    )
