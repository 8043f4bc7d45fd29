"""From the labels of atoms to the tally that estimates are made of: unanswered cells merged, variances smoothed."""

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.sides import Tally
from stratawatch.core.population import Floats
from stratawatch.core.working_model import curve, fit

_PENALTY = 0.5
_PRIOR_LABELS = 4.0


def model_variance(cells: Cells, answered: Floats, yes: Floats) -> Floats:
    """v0 = m (1 - m), m the working model fitted to these very labels and kept inside [.001, .999]."""
    if answered.sum() == 0:
        return np.full_like(cells.sizes, 0.25)
    model = np.clip(fit(curve(cells), yes, answered, penalty=_PENALTY), 0.001, 0.999)
    return model * (1 - model)


def tally(cells: Cells, sizes: Floats, answered: Floats, yes: Floats, model: Floats) -> Tally:
    """The tally of a population, or of a segment with its own sizes and answers.

    A cell without an answer joins the nearest answered cell of its pattern. The smoothed variance of a label is
    (4 v0 + n p (1 - p))/(3 + n): a few answers that agree do not make a cell certain.
    """
    merged, model = _merge_unanswered(cells, sizes, answered, model)
    p = yes / np.maximum(answered, 1)
    smooth = (_PRIOR_LABELS * model + answered * p * (1 - p)) / (_PRIOR_LABELS - 1 + answered)
    return Tally(merged, answered, yes, smooth)


def _merge_unanswered(cells: Cells, sizes: Floats, answered: Floats, model: Floats) -> tuple[Floats, Floats]:
    merged, weighted = sizes.copy(), model * sizes
    answers = (answered > 0) & ~np.isnan(cells.scores)
    for cell in np.flatnonzero((sizes > 0) & (answered == 0) & ~np.isnan(cells.scores)):
        pattern = cells.patterns[cell]
        near = [other for other in np.flatnonzero(answers) if cells.patterns[other] == pattern]
        if near:
            nearest = min(near, key=lambda other: abs(float(cells.scores[other] - cells.scores[cell])))
            merged[nearest] += merged[cell]
            weighted[nearest] += weighted[cell]
            merged[cell] = weighted[cell] = 0.0
    return merged, np.where(merged > 0, weighted / np.maximum(merged, 1e-300), model)
