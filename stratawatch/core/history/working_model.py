"""The working model: a small ridge logistic regression of the labels on what the census knows of a cell."""

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.population import Floats

_STEPS = 25
_WIDEST = 12.0
"""Linear predictors are kept inside +-12, where the logistic curve is flat to 1e-5."""
_CLOSE_ENOUGH = 1e-7


def logistic(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), with x kept inside +-12."""
    return np.asarray(1 / (1 + np.exp(np.minimum(np.maximum(-x, -_WIDEST), _WIDEST))), dtype=np.float64)


def logit(p: Floats) -> Floats:
    """log(p / (1 - p)), with p kept inside [1e-6, 1 - 1e-6]."""
    inside = np.clip(p, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(inside / (1 - inside)), dtype=np.float64)


def score_logit(cells: Cells) -> Floats:
    """The logit of the mean score, inside +-7."""
    return np.clip(logit(cells.imputed_scores), -7, 7)


def standardised(cells: Cells) -> Floats:
    """The logit of the mean score, with mean 0 and variance 1 over the items."""
    x = score_logit(cells)
    weights = np.where(cells.has_call, cells.sizes, 0.0)
    total = max(float(weights.sum()), 1.0)
    mean = float(weights @ x) / total
    spread = float(np.sqrt(weights @ (x - mean) ** 2 / total))
    return np.asarray((x - mean) / spread if spread > 1e-9 else np.zeros_like(x))


def linear_features(cells: Cells) -> Floats:
    """Columns (1, z): what a second phase corrects scores by."""
    z = standardised(cells)
    return np.column_stack([np.ones_like(z), z])


def quadratic_features(cells: Cells) -> Floats:
    """Columns (1, z, 2 votes - 1, z^2 - 1), then a column an auxiliary score: the model that assists estimates.

    A score that says the same everywhere is a column of 0: it must not share the intercept.
    """
    z = standardised(cells)
    telling = (cells.auxiliary_calls != cells.auxiliary_calls[:1]).any(axis=0)
    return np.column_stack([np.ones_like(z), z, 2 * cells.votes - 1, z * z - 1, cells.auxiliary_calls * telling])


def fit(columns: Floats, yes: Floats, answered: Floats, *, penalty: float) -> Floats:
    """Fitted probabilities of every cell; `yes` and `answered` may hold several sets of labels, one a row."""
    return logistic(coefficients(columns, yes, answered, penalty=penalty) @ columns.T)


def coefficients(
    columns: Floats, yes: Floats, answered: Floats, *, penalty: float, start: Floats | None = None
) -> Floats:
    """A logistic regression for every set of labels; the intercept is held by half a label at the pooled rate.

    Newton steps, each coefficient's step limited to 1, for: sum of log-likelihoods - penalty/2 |slopes|^2.
    Labels are counted by cell along the last axis; all leading axes are fitted at once, from `start` if given.
    """
    width = columns.shape[1]
    pooled = (yes.sum(axis=-1) + 0.5) / (answered.sum(axis=-1) + 1)
    ridge = np.full((*pooled.shape, width), penalty)
    ridge[..., 0] = 0.5 * pooled * (1 - pooled)
    centre = np.zeros_like(ridge)
    centre[..., 0] = np.log(pooled / (1 - pooled))
    products = (columns[:, :, None] * columns[:, None, :]).reshape(len(columns), width * width)
    held = ridge[..., None] * np.eye(width)
    beta = centre.copy() if start is None else np.broadcast_to(start, centre.shape).copy()
    for _ in range(_STEPS):
        p = logistic(beta @ columns.T)
        slope = (yes - answered * p) @ columns - ridge * (beta - centre)
        curvature = ((answered * p * (1 - p)) @ products).reshape(*pooled.shape, width, width) + held
        step = np.clip(np.linalg.solve(curvature, slope[..., None])[..., 0], -1, 1)
        beta += step
        if float(np.abs(step).max(initial=0.0)) < _CLOSE_ENOUGH:
            break
    return beta


def correction(linear: Floats, columns: Floats, yes: Floats, answered: Floats, *, penalty: float) -> Floats:
    """Coefficients of columns to add to a linear predictor so that it fits these labels; the penalty holds all at 0."""
    beta = np.zeros(columns.shape[1])
    held = penalty * np.eye(len(beta))
    for _ in range(_STEPS):
        p = logistic(linear + columns @ beta)
        slope = (yes - answered * p) @ columns - penalty * beta
        curvature = (columns * (answered * p * (1 - p))[:, None]).T @ columns + held
        step = np.clip(np.linalg.solve(curvature, slope), -1, 1)
        beta += step
        if float(np.abs(step).max(initial=0.0)) < _CLOSE_ENOUGH:
            break
    return beta


def intercept_shift(linear: Floats, yes: Floats, answered: Floats, *, penalty: float) -> float:
    """The same for an intercept alone; `penalty` labels' worth holds it at 0."""
    return float(correction(linear, np.ones((len(linear), 1)), yes, answered, penalty=penalty)[0])
