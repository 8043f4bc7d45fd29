"""The own score bins of candidates: which of a classifier's scores would be at or above a cut-off."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stratawatch.core.population import Floats
from stratawatch.core.score_bins import own_bins_of
from stratawatch.engine.model.panel_spec import ClassifierSpec, PanelSpec

# Beyond it the logistic function is 0 or 1 to the last bin; the exponential of more has no double.
_FARTHEST = 700.0


def scored_classifiers(panel: PanelSpec) -> list[ClassifierSpec]:
    """The classifiers that have a score, in the panel's order."""
    return [one for one in panel.classifiers if one.score is not None]


def own_score_bins(panel: PanelSpec, scores: Sequence[Sequence[Any]]) -> list[Mapping[str, int]]:
    """The bin of each score by the classifier's name, for rows of scores of all scored classifiers; not of nulls."""
    classifiers = scored_classifiers(panel)
    found: list[dict[str, int]] = [{} for _ in scores]
    table = np.array(scores, dtype=np.float64).reshape(len(scores), len(classifiers))
    for one, column in zip(classifiers, table.T, strict=True):
        rows = np.flatnonzero(~np.isnan(column))
        bins = own_bins_of(_as_probabilities(one, column[rows]))
        for row, number in zip(rows.tolist(), bins.tolist(), strict=True):
            found[row][one.name] = number
    return list(found)


def _as_probabilities(classifier: ClassifierSpec, scores: Floats) -> Floats:
    if classifier.score_kind == "probability":
        return scores
    return np.asarray(1 / (1 + np.exp(-np.clip(scores, -_FARTHEST, _FARTHEST))), dtype=np.float64)
