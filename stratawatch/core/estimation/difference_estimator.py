"""The difference estimator: totals from a working model's predictions and the mean error of the predictions.

A total is what the model predicts for all items, and the mean error of its predictions, expanded stratum by stratum
(Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, ch. 6). The model that predicts a label was not
fitted to it: five folds, each predicted by a model of the other four.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.collapsed_strata import CollapsedStrata
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.history.sided_rates import SidedRates, sided_rates
from stratawatch.core.history.working_model import (
    intercept_shift,
    logistic,
    logit,
    quadratic_features,
    ridge_coefficients,
)
from stratawatch.core.labelled_sample import LabelCounts
from stratawatch.core.population import Floats

_PENALTY: Final = 0.5
_PRIOR_LABELS: Final = 4.0
# A model of earlier labels counts as 20 labels in a stratum's variance, or as 2 of its rarer verdict if more.
_PRIOR_LABELS_BY_HISTORY, _PRIOR_POSITIVES = 20.0, 2.0
_SUREST, _SUREST_BY_HISTORY = 0.001, 0.00001
_SHIFT_PENALTY: Final = 20.0
_ROUNDING: Final = 1e-12
LEAST_FREEDOM: Final = 0.25
"""Least that the weights of several labels count beyond one label, when their spread is divided by it."""


@dataclass(frozen=True)
class ItemSubset:
    """The population or a segment of it: its items by cell, and the answers inside it."""

    sizes: Floats
    answers: LabelCounts


@dataclass(frozen=True)
class DifferenceEstimator:
    """Cells with their label counts, and the rates that working models predict for them.

    `folds` (folds x cells) are the rates by the fold models, `overall` those by the model of all labels, which smooths
    variances: the smoothed variance of a stratum counts `prior_labels` more labels that have these rates.
    """

    cells: Cells
    answers: LabelCounts
    folds: Floats
    overall: Floats
    prior_labels: Floats

    @classmethod
    def of(cls, cells: Cells, answers: LabelCounts) -> "DifferenceEstimator":
        """Predict by the cells' prior rates, if earlier labels gave them any, else by a model fitted to these labels.

        Prior rates need no folds: few of these labels, those of items that persist, have a part in them.
        """
        if cells.prior_rate is not None:
            return cls._by_history(cells, answers, cells.prior_rate)
        given = answers.given or answers
        useful = np.flatnonzero(given.labelled.any(axis=0))
        every = quadratic_features(cells)
        columns = every[useful]
        answered, yes = given.labelled[:, useful], given.positive[:, useful]
        n, k = answered.sum(axis=0), yes.sum(axis=0)
        whole = ridge_coefficients(columns, k, n, penalty=_PENALTY)
        others = ridge_coefficients(columns, k - yes, n - answered, penalty=_PENALTY, start=whole)
        overall = np.clip(logistic(every @ whole), _SUREST, 1 - _SUREST)
        return cls(cells, answers, logistic(others @ every.T), overall, np.full(cells.stratum_count, _PRIOR_LABELS))

    @classmethod
    def _by_history(cls, cells: Cells, answers: LabelCounts, prior_rate: Floats) -> "DifferenceEstimator":
        given = answers.given or answers
        n, k = given.labelled.sum(axis=0), given.positive.sum(axis=0)
        linear = logit(prior_rate)
        recent = logistic(linear + intercept_shift(linear, k, n, penalty=_SHIFT_PENALTY))
        folds = np.tile(prior_rate, (len(answers.labelled), 1))
        return cls(cells, answers, folds, prior_rate, np.zeros(cells.stratum_count)).smoothed_by(recent)

    def smoothed_by(self, rates: Floats) -> "DifferenceEstimator":
        """With these rates of earlier labels to smooth variances by; they count as more labels where they are rarer."""
        cells, overall = self.cells, np.clip(rates, _SUREST_BY_HISTORY, 1 - _SUREST_BY_HISTORY)
        usual = cells.by_stratum(cells.sizes * overall) / np.maximum(cells.stratum_sizes, 1)
        rarer = np.clip(np.minimum(usual, 1 - usual), _SUREST_BY_HISTORY, 0.5)
        prior_labels = np.maximum(_PRIOR_LABELS_BY_HISTORY, _PRIOR_POSITIVES / rarer)
        return replace(self, overall=overall, prior_labels=prior_labels)

    @cached_property
    def sided_rates(self) -> SidedRates:
        """With a history: what it expects of every cell, moved to these labels, and after the breaks they speak of."""
        given, cells = self.answers.given or self.answers, self.cells
        positive, labelled = given.positive.sum(axis=0), given.labelled.sum(axis=0)
        # By history all folds predict alike: what its model says.
        return sided_rates(self.folds[0], cells.positive, cells.sizes * cells.has_call, positive, labelled)

    @cached_property
    def strata(self) -> CollapsedStrata:
        """The strata, those without an answer joined to others."""
        return CollapsedStrata.of(self.cells, self.answers.in_estimates.labelled)

    @cached_property
    def everything(self) -> ItemSubset:
        """The whole population."""
        return ItemSubset(self.cells.sizes, self.answers)

    def sides(self, parts: Sequence[ItemSubset]) -> SideEstimates:
        """Both sides of every classifier in every part (parts x classifiers x sides)."""
        found = Residuals.of(self, parts)
        members = np.stack([self.cells.positive, self.cells.negative], axis=-1).astype(np.float64)
        has_prior = self.cells.prior_rate is not None
        return _sides(self.strata, found, members, self.prior_labels, has_prior=has_prior)

    def variances(self, rows: Floats) -> tuple[Floats, Floats]:
        """Raw and smooth variance of sums of labels weighted by rows (rows x cells)."""
        strata, found = self.strata, Residuals.of(self, [self.everything])
        squares, sums = strata.sums(rows**2 * found.squares), strata.sums(rows * found.errors)
        prior = strata.sums(rows**2 * found.prior) / np.maximum(strata.sizes, 1)
        spread = np.maximum(squares - sums**2 / np.maximum(strata.answers, 1), 0)
        raw, smooth, prior_labels = variance_scales(strata, self.prior_labels)
        return spread @ raw, (spread + prior_labels * prior) @ smooth


@dataclass(frozen=True)
class Residuals:
    """Sums by cell (parts x cells): items, answers, yes, estimated positives, and the model's errors and their squares.

    Answers and yes are counted one by one; in the others a label counts what joining the rounds makes it count.
    `prior` is the items times the variance of one label that the model of all answers suggests.
    """

    sizes: Floats
    answered: Floats
    yes: Floats
    totals: Floats
    errors: Floats
    squares: Floats
    prior: Floats

    @classmethod
    def of(cls, evidence: DifferenceEstimator, parts: Sequence[ItemSubset]) -> "Residuals":
        """Compare the predictions with the labels of every part."""
        strata, models = evidence.strata, evidence.folds
        sizes = np.stack([part.sizes for part in parts])
        answered = np.stack([part.answers.labelled for part in parts])
        yes = np.stack([part.answers.positive for part in parts])
        counted = answered.sum(axis=1), yes.sum(axis=1)
        if evidence.answers.weighted is not None:
            answered = np.stack([part.answers.in_estimates.labelled for part in parts])
            yes = np.stack([part.answers.in_estimates.positive for part in parts])
        n, k = answered.sum(axis=1), yes.sum(axis=1)
        predicted = (answered * models).sum(axis=1)
        errors = k - predicted
        squares = ((1 - 2 * models) * yes + models**2 * answered).sum(axis=1)
        # The prediction of an item without a label mixes the fold models in the shares that the folds have of its
        # stratum's labels: where a model predicts one rate for a whole stratum, its plain mean remains.
        mixed = (strata.shares[:, strata.stratum_of_cell] * models).sum(axis=0)
        totals = predicted + (sizes - n) * mixed + strata.expansions[strata.stratum_of_cell] * errors
        totals = np.where(strata.is_unlabelled, sizes / 2, totals)
        prior = sizes * evidence.overall * (1 - evidence.overall)
        return cls(sizes, *counted, totals, errors, np.maximum(squares, 0), prior)


def variance_scales(strata: CollapsedStrata, prior_labels: Floats) -> tuple[Floats, Floats, Floats]:
    """What a stratum's sum of squares is multiplied by: N^2 (1 - f)/n over n - 1, and over k - 1 + n; and k itself."""
    n = np.maximum(strata.answers, 1)
    scale = np.where(strata.answers > 0, strata.sizes**2 * strata.sampling_correction / n, 0.0)
    k = np.full(len(n), _PRIOR_LABELS)
    k[strata.joined] = prior_labels
    # Weights may sum to a little less than the labels: a hair more than one label is one label.
    freedom = np.where(n > 1, np.maximum(n - 1, LEAST_FREEDOM), 1.0)
    return scale / freedom, scale / (k - 1 + n), k


def _sides(
    strata: CollapsedStrata, found: Residuals, members: Floats, prior_labels: Floats, *, has_prior: bool
) -> SideEstimates:
    """Sums over the cells of each side. V = sum N^2 (1 - f)/n of s^2; raw ss/(n - 1), smooth (k v0 + ss)/(k - 1 + n).

    Each stratum with items of a side and no label among them adds N_c^2/4: a total there may be anything.
    """
    raw, smooth, k = variance_scales(strata, prior_labels)
    homes, classifiers = strata.stratum_of_cell, members.shape[1]
    flat = members.reshape(len(members), 2 * classifiers)
    linear = np.stack(
        [
            found.sizes,
            found.totals,
            found.answered,
            found.yes,
            found.sizes * strata.is_unlabelled,
            found.squares * raw[homes],
            (found.squares + (k / np.maximum(strata.sizes, 1))[homes] * found.prior) * smooth[homes],
        ]
    )
    sizes, totals, labels, yes, unseen, raw_squares, smooth_squares = (linear @ flat).reshape(
        7, len(found.sizes), classifiers, 2
    )
    # Sums that are linear in the cells are one product with the sides' members; squares of sums need strata first.
    by_cell = np.stack([found.errors, found.sizes, found.answered])[:, :, None, :] * flat.T
    errors, items, answers = strata.sums(by_cell).reshape(3, len(found.sizes), classifiers, 2, len(raw))
    weights = max_expansion(strata, items - answers)
    return SideEstimates(
        sizes=sizes,
        totals=_possible(totals, yes, sizes - (labels - yes), sizes),
        labels=labels,
        yes=yes,
        max_weight=weights,
        unlabelled_strata=unseen,
        variance=_form(raw_squares, errors, raw / np.maximum(strata.answers, 1)),
        smoothed_variance=_form(smooth_squares, errors, smooth / np.maximum(strata.answers, 1)),
        unsampled_variance=(np.where(answers > 0, 0.0, items) ** 2).sum(axis=-1) / 4,
        joint_max_weight=max_expansion(strata, (items - answers).sum(axis=-2)),
        surprise_weight=np.zeros_like(weights) if has_prior else weights,
    )


def _possible(totals: Floats, least: Floats, most: Floats, sizes: Floats) -> Floats:
    """Totals clipped to what the labels leave possible, and freed of rounding beside 0 and all items."""
    kept = np.clip(totals, least, most)
    kept = np.where(kept < _ROUNDING * sizes, 0.0, kept)
    return np.where(sizes - kept < _ROUNDING * sizes, sizes, kept)


def _form(squares: Floats, errors: Floats, scale: Floats) -> Floats:
    """Variances and covariance (A, A with B, B) from sums of squares and the sums that are subtracted from them."""
    a, b = errors[..., 0, :], errors[..., 1, :]
    parts = (squares[..., 0] - (a * a) @ scale, -(a * b) @ scale, squares[..., 1] - (b * b) @ scale)
    return np.stack(parts, axis=-1)


def max_expansion(strata: CollapsedStrata, unlabelled: Floats) -> Floats:
    """w: the most items that a label stands for, min(N/n, unlabelled items) sqrt(1 - f) over strata that have such."""
    return np.asarray(
        (np.minimum(strata.expansions, unlabelled) * np.sqrt(strata.sampling_correction)).max(axis=-1, initial=0.0)
    )
