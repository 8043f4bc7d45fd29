"""From the labels of atoms to the tally that estimates are made of: unanswered cells merged, variances smoothed."""

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.sides import Tally
from stratawatch.core.population import Counts, Floats
from stratawatch.core.working_model import curve, fit

_PENALTY = 0.5
_PRIOR_LABELS = 4.0


def model_variance(cells: Cells, answered: Floats, yes: Floats) -> Floats:
    """v0 = m (1 - m), m the working model fitted to these very labels and kept inside [.001, .999]."""
    if answered.sum() == 0:
        return np.full_like(cells.sizes, 0.25)
    model = np.clip(fit(curve(cells), yes, answered, penalty=_PENALTY), 0.001, 0.999)
    return model * (1 - model)


def population_tally(cells: Cells, answered: Floats, yes: Floats, model: Floats) -> Tally:
    """The tally of everything."""
    return segment_tally(cells, cells.sizes, answered, yes, model, answered)


def segment_tally(
    cells: Cells, sizes: Floats, answered: Floats, yes: Floats, model: Floats, everywhere: Floats
) -> Tally:
    """The tally of a segment with its own sizes and answers; `everywhere` are the answers of the whole atoms.

    A cell without an answer joins the nearest answered cell of its pattern. The smoothed variance of a label is
    (4 v0 + n p (1 - p))/(3 + n): a few answers that agree do not make a cell certain.
    """
    homes = _homes(cells, sizes, answered)
    merged = _summed(sizes, homes)
    mixed = np.where(merged > 0, _summed(sizes * model, homes) / np.maximum(merged, 1e-300), model)
    p = yes / np.maximum(answered, 1)
    smooth = (_PRIOR_LABELS * mixed + answered * p * (1 - p)) / (_PRIOR_LABELS - 1 + answered)
    stands_for = np.zeros_like(sizes)
    np.maximum.at(stands_for, homes, np.where(sizes > 0, _stands_for(cells, everywhere), 0.0))
    return Tally(merged, answered, yes, smooth, stands_for)


def _stands_for(cells: Cells, answered: Floats) -> Floats:
    """Items that one label of each atom speaks for, atoms without an answer merged."""
    homes = _homes(cells, cells.sizes, answered)
    return np.asarray((_summed(cells.sizes, homes) / np.maximum(answered, 1))[homes], dtype=np.float64)


def _summed(values: Floats, homes: Counts) -> Floats:
    return np.bincount(homes, weights=values, minlength=len(values)).astype(np.float64)


def _homes(cells: Cells, sizes: Floats, answered: Floats) -> Counts:
    """The cell that each cell is estimated in: itself, or its nearest answered neighbour of the same pattern."""
    homes = np.arange(len(sizes))
    scored = ~np.isnan(cells.scores)
    answers = np.flatnonzero((answered > 0) & scored)
    for cell in np.flatnonzero((sizes > 0) & (answered == 0) & scored):
        near = [other for other in answers if cells.patterns[other] == cells.patterns[cell]]
        if near:
            homes[cell] = min(near, key=lambda other: abs(float(cells.scores[other] - cells.scores[cell])))
    return homes
