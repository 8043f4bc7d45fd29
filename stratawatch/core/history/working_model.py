"""The working model: a small ridge logistic regression of the labels on what the census knows of a cell."""

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.population import Floats

_STEPS = 50
# Linear predictors are kept inside +-12, where the logistic curve is flat to 1e-5.
_WIDEST = 12.0
_LONGEST = 5.0
_CLOSE_ENOUGH = 1e-7
# Numbers that products of columns may take in memory where there is one set of labels.
_MOST_PRODUCTS = 2**20


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


def standardised_logits(cells: Cells) -> Floats:
    """The logit of the mean score, with mean 0 and variance 1 over the items."""
    x = score_logit(cells)
    weights = np.where(cells.has_call, cells.sizes, 0.0)
    total = max(float(weights.sum()), 1.0)
    mean = float(weights @ x) / total
    spread = float(np.sqrt(weights @ (x - mean) ** 2 / total))
    return np.asarray((x - mean) / spread if spread > 1e-9 else np.zeros_like(x))


def linear_features(cells: Cells) -> Floats:
    """Columns (1, z): what a second phase corrects scores by."""
    z = standardised_logits(cells)
    return np.column_stack([np.ones_like(z), z])


def quadratic_features(cells: Cells) -> Floats:
    """Columns (1, z, 2 votes - 1, z^2 - 1), then a column an auxiliary score: the model that assists estimates.

    A score that says the same everywhere is a column of 0: it must not share the intercept.
    """
    z = standardised_logits(cells)
    telling = (cells.auxiliary_calls != cells.auxiliary_calls[:1]).any(axis=0)
    return np.column_stack([np.ones_like(z), z, 2 * cells.votes - 1, z * z - 1, cells.auxiliary_calls * telling])


def ridge_coefficients(
    columns: Floats, positives: Floats, labelled: Floats, *, penalty: float, start: Floats | None = None
) -> Floats:
    """A logistic regression for every set of labels; the intercept is held by half a label at the pooled rate."""
    pooled, centre = null_model(columns, positives, labelled)
    ridge = np.full(centre.shape, penalty)
    ridge[..., 0] = 0.5 * pooled * (1 - pooled)
    return ridge_logistic(columns, positives, labelled, ridge=ridge, centre=centre, start=start)


def null_model(columns: Floats, positives: Floats, labelled: Floats) -> tuple[Floats, Floats]:
    """The rate of all labels together, and coefficients that say it everywhere: its logit, and slopes of 0."""
    pooled = np.asarray((positives.sum(axis=-1) + 0.5) / (labelled.sum(axis=-1) + 1), dtype=np.float64)
    centre = np.zeros((*pooled.shape, columns.shape[1]))
    centre[..., 0] = np.log(pooled / (1 - pooled))
    return pooled, centre


def ridge_logistic(
    columns: Floats,
    positives: Floats,
    labelled: Floats,
    *,
    ridge: Floats,
    centre: Floats,
    offset: Floats | float = 0.0,
    start: Floats | None = None,
) -> Floats:
    """The beta of greatest log-likelihood(offset + columns beta) - sum of ridge (beta - centre)^2 / 2.

    Labels are counted by cell along the last axis; all leading axes are fitted at once, from `start` if given.
    """
    beta = centre.copy() if start is None else np.broadcast_to(start, centre.shape).copy()
    held = ridge[..., None] * np.eye(columns.shape[1])
    few = columns.size * columns.shape[1] <= _MOST_PRODUCTS
    products = _products(columns) if positives.ndim > 1 or few else None
    for _ in range(_STEPS):
        p = logistic(offset + beta @ columns.T)
        slope = (positives - labelled * p) @ columns - ridge * (beta - centre)
        curvature = _information(columns, products, labelled * p * (1 - p)) + held
        # Far from the maximum the curvature is nearly none and Newton's step overshoots: no cell's linear predictor may
        # move further than _LONGEST. The step is shortened as a whole, for one that is bent need not climb.
        step = np.linalg.solve(curvature, slope[..., None])[..., 0]
        step *= _LONGEST / np.abs(step @ columns.T).max(axis=-1, keepdims=True, initial=_LONGEST)
        beta += step
        if float(np.abs(step).max(initial=0.0)) < _CLOSE_ENOUGH:
            break
    return beta


def _products(columns: Floats) -> Floats:
    """The products of every cell's columns with one another, in a row."""
    return (columns[:, :, None] * columns[:, None, :]).reshape(len(columns), columns.shape[1] ** 2)


def _information(columns: Floats, products: Floats | None, weights: Floats) -> Floats:
    """X^T diag(weights) X, from `products` where there are any: for many sets of weights at once."""
    if products is None:
        return np.asarray((columns * weights[:, None]).T @ columns, dtype=np.float64)
    width = columns.shape[1]
    return np.asarray((weights @ products).reshape(*weights.shape[:-1], width, width), dtype=np.float64)


def offset_correction(
    offset: Floats, columns: Floats, positives: Floats, labelled: Floats, *, penalty: float
) -> Floats:
    """Coefficients of columns to add to a linear predictor so that it fits these labels; the penalty holds all at 0."""
    nothing = np.zeros(columns.shape[1])
    ridge = np.full_like(nothing, penalty)
    return ridge_logistic(columns, positives, labelled, ridge=ridge, centre=nothing, offset=offset)


def intercept_shift(offset: Floats, positives: Floats, labelled: Floats, *, penalty: float) -> float:
    """What to add to a linear predictor so that it fits these labels; `penalty` labels' worth holds it at 0."""
    return float(offset_correction(offset, np.ones((len(offset), 1)), positives, labelled, penalty=penalty)[0])
