"""Prior rates: a small logistic model of earlier labels, evaluated at the cells of the present population."""

from collections.abc import Sequence

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.history.past_labels import History
from stratawatch.core.history.working_model import intercept_shift, logistic, logit, null_model, ridge_logistic
from stratawatch.core.population import NEGATIVE, POSITIVE, Counts, Floats
from stratawatch.core.tuning import BORROWED, HISTORY, PLANNER


def has_enough_labels(history: History) -> bool:
    """Whether there are enough earlier labels to plan by."""
    return int((history.ages <= HISTORY.max_age).sum()) >= HISTORY.min_labels


def prior_rate(cells: Cells, history: History) -> Floats | None:
    """The share of positives that the model expects in every cell; None without enough history."""
    if not has_enough_labels(history):
        return None
    return _PriorModel(history).at(cells.patterns, cells.imputed_scores)


def prior_rate_at(history: History, past: History) -> Floats:
    """The rates that the model of `past` expects for the rows of another history."""
    return _PriorModel(past).at(history.patterns, imputed_scores(history))


def past_label_counts(cells: Cells, history: History) -> tuple[Floats, Floats]:
    """Discounted positives and labels of earlier periods by stratum.

    Labels of items that can be drawn again are left out: they would decide how often they are drawn.
    """
    yes, answered = np.zeros(cells.stratum_count), np.zeros(cells.stratum_count)
    rows = np.flatnonzero((history.ages <= HISTORY.max_age) & ~history.drawable)
    if rows.size:
        near = nearest_cells(cells, [history.patterns[row] for row in rows.tolist()], imputed_scores(history)[rows])
        found, homes = near >= 0, cells.strata[near]
        weights = HISTORY.count_discount ** history.ages[rows].astype(np.float64)
        np.add.at(answered, homes[found], weights[found])
        np.add.at(yes, homes[found], (weights * history.positive[rows])[found])
    return yes, answered


def known_share(cells: Cells, history: History) -> Floats:
    """A floor of the share of positives in every cell, by truth that came by itself: k/(n + 20).

    The twenty items that count as negative keep a cell of few items from a large share.
    """
    floor, known = np.zeros(len(cells.sizes)), history.known
    if known is not None and known.patterns:
        called = np.array([POSITIVE in pattern[: history.classifiers] for pattern in known.patterns])
        near = nearest_cells(cells, known.patterns, _imputed(known.scores, called))
        found = near >= 0
        positives, items = (np.bincount(near[found], n[found], len(floor)) for n in (known.positives, known.items))
        floor = positives / (items + PLANNER.prior_labels)
    return floor


def nearest_cells(cells: Cells, patterns: Sequence[str], scores: Floats) -> Counts:
    """The cell that is nearest in score among those of the same pattern; -1: no such pattern."""
    homes = np.full(len(patterns), -1)
    of_cell, names = np.array(cells.patterns), np.array(patterns)
    for name in np.unique(names):
        here = np.flatnonzero(of_cell == name)
        if here.size:
            rows = np.flatnonzero(names == name)
            order = here[np.argsort(cells.imputed_scores[here], kind="stable")]
            centres = cells.imputed_scores[order]
            place = np.searchsorted((centres[1:] + centres[:-1]) / 2, scores[rows])
            homes[rows] = order[place]
    return homes


def imputed_scores(history: History) -> Floats:
    """Scores with a stand-in where there is none: .5 where any classifier says yes, else .05."""
    return _imputed(history.scores, (history.calls == POSITIVE).any(axis=1))


def _imputed(scores: Floats, called: Flags) -> Floats:
    return np.where(np.isnan(scores), np.where(called, 0.5, 0.05), scores)


class _PriorModel:
    """Ridge logistic on the logit of the linked score, its square, one hinge, and every letter of the pattern.

    With many labels the low scores have a hinge of their own, what is called by anyone a level and a slope, and how
    many call it a level: misses are few and lie there, and a model without these has their share wrong by a tenth.

    Slopes come from up to 30 periods, discounted .97 a period; then the intercept alone follows the last ones
    (discount .7, penalty 20), because prevalence drifts faster than what scores mean.
    """

    def __init__(self, history: History) -> None:
        young = history.ages <= HISTORY.max_age
        ages = history.ages[young].astype(np.float64)
        scores = np.round(np.clip(logit(imputed_scores(history)[young]), -12, 12) * HISTORY.grid) / HISTORY.grid
        names = np.array(history.patterns)[young]
        said = history.positive[young].astype(np.float64)
        _, kind = np.unique(names, return_inverse=True)
        # Rows of one pattern and one rounded score are pooled: the key is unique, as |8 x logit| is at most 96.
        key = kind * 4096 + (scores * HISTORY.grid).astype(np.int64) + 2048
        _, first, group = np.unique(key, return_index=True, return_inverse=True)
        self._classifiers, self._is_rich = history.classifiers, len(said) >= BORROWED.rich_from
        self._mean, self._spread = float(scores.mean()), max(float(scores.std()), 1 / HISTORY.grid)
        columns = self._columns(list(names[first]), scores[first])
        slow, fast = HISTORY.slope_discount**ages, HISTORY.intercept_discount**ages
        count = len(first)
        n, yes = _sums(group, slow, count), _sums(group, slow * said, count)
        ridge = np.r_[1e-3, np.full(columns.shape[1] - 1, HISTORY.slope_penalty)]
        self._beta = ridge_logistic(columns, yes, n, ridge=ridge, centre=null_model(columns, yes, n)[1])
        n, yes = _sums(group, fast, count), _sums(group, fast * said, count)
        self._beta[0] += intercept_shift(columns @ self._beta, yes, n, penalty=HISTORY.intercept_penalty)

    def at(self, patterns: Sequence[str], scores: Floats) -> Floats:
        """The share of positives for these patterns and linked scores."""
        return logistic(self._columns(patterns, np.clip(logit(scores), -12, 12)) @ self._beta)

    def _columns(self, patterns: Sequence[str], scores: Floats) -> Floats:
        width = len(patterns[0]) if len(patterns) else 0
        letters = np.array(patterns, dtype=f"U{max(width, 1)}").view("U1").reshape(len(patterns), max(width, 1))
        votes = (letters == POSITIVE).astype(np.float64) - (letters == NEGATIVE)
        x = (scores - self._mean) / self._spread
        bends = [np.ones_like(x), x, x * x - 1, np.maximum(x, 0)]
        if not self._is_rich:
            return np.column_stack([*bends, votes])
        calls = letters[:, : self._classifiers]
        yes = (calls == POSITIVE).sum(axis=1)
        called = (yes > 0).astype(np.float64)
        slopes = [np.maximum(-x - 0.5, 0), called, called * x, (yes / max(calls.shape[1], 1) - 0.5) * x]
        counts = [(yes == many).astype(np.float64) for many in range(2, calls.shape[1])]
        return np.column_stack([*bends, *slopes, votes, *counts])


def _sums(group: Counts, values: Floats, count: int) -> Floats:
    return np.bincount(group, values, count).astype(np.float64)
