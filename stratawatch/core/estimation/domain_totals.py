"""Estimated positives of domains: the two sides of a classifier inside the values of a segment, over several windows.

The positives of a domain are the difference estimator's total over its items,
T_g = sum_a N_ag m_a + sum_h N_h/n_h sum_{i in s_h, g} (y_i - m_a) (Särndal, Swensson and Wretman 1992, ch. 10), clipped
to what its labels leave possible. Windows are added up. Sums of weights times totals have the variance
sum_h N_h^2 (1 - f_h)/n_h max(raw, smooth) of the weighted errors, whatever domains share a stratum; labels that two
windows share count as if they were not the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.difference_estimator import (
    DifferenceEstimator,
    ItemSubset,
    Residuals,
    max_expansion,
    variance_scales,
)
from stratawatch.core.estimation.metric_estimates import segment_items
from stratawatch.core.labelled_sample import LabelCounts, LabelledSample
from stratawatch.core.population import Atom, Floats, Segment


class CountedWindow(NamedTuple):
    """A window's cells and atoms, and the labels of what was drawn from them."""

    cells: Cells
    atoms: Sequence[Atom]
    sample: LabelledSample


@dataclass(frozen=True)
class StratumErrors:
    """Of one window, what variances are made of: errors, squares and prior variance (domains x strata).

    `raw` and `smooth` are what sums of squares are multiplied by, `answers` the labels of every stratum, `prior_labels`
    those that the prior variance counts for; `unlabelled` is N^2/4 of items in strata without an answer, by domain.
    """

    errors: Floats
    squares: Floats
    prior: Floats
    answers: Floats
    raw: Floats
    smooth: Floats
    prior_labels: Floats
    unlabelled: Floats

    def variances(self, rows: Floats) -> Floats:
        """The variance of every row of weights (rows x domains) times the totals of this window."""
        squares, sums = rows**2 @ self.squares, rows @ self.errors
        spread = np.maximum(squares - sums**2 / np.maximum(self.answers, 1), 0)
        smooth = (spread + self.prior_labels * (rows**2 @ self.prior)) * self.smooth
        return np.asarray(np.maximum(spread * self.raw, smooth).sum(axis=1) + rows**2 @ self.unlabelled)


@dataclass(frozen=True)
class DomainTotals:
    """Items and estimated positives of every domain, and its labels, over all windows: parts x sides, flattened.

    The parts are the segments' items in their order, then the items of no segment; the sides are called positive and
    called negative. `items` is everything that was counted, `heaviest` the most items that one label stands for.
    """

    sizes: Floats
    totals: Floats
    labels: Floats
    heaviest: Floats
    items: float
    windows: tuple[StratumErrors, ...]

    @classmethod
    def of(cls, windows: Sequence[CountedWindow], classifier: str, segments: Sequence[Segment] = ()) -> "DomainTotals":
        """Estimate the domains of a classifier; the segments are values of one column."""
        found = [_WindowTotals.of(one, classifier, segments) for one in windows]
        return cls(
            sizes=np.sum([one.sizes for one in found], axis=0),
            totals=np.sum([one.totals for one in found], axis=0),
            labels=np.sum([one.labels for one in found], axis=0),
            heaviest=np.max([one.heaviest for one in found], axis=0),
            items=float(sum(one.cells.sizes.sum() for one in windows)),
            windows=tuple(one.errors for one in found),
        )

    @property
    def rates(self) -> Floats:
        """The share of positives in every domain; 0 in an empty one."""
        return np.asarray(self.totals / np.maximum(self.sizes, 1), dtype=np.float64)

    @property
    def shares(self) -> Floats:
        """Every domain's share of all items."""
        return self.sizes / max(self.items, 1)

    def variances(self, by_rate: Floats) -> Floats:
        """The variances of sums of the rates with these weights (rows x domains)."""
        rows = by_rate / np.maximum(self.sizes, 1)
        return np.asarray(sum((window.variances(rows) for window in self.windows), np.zeros(len(rows))))


class _WindowTotals(NamedTuple):
    """The domains of one window."""

    sizes: Floats
    totals: Floats
    labels: Floats
    heaviest: Floats
    errors: StratumErrors

    @classmethod
    def of(cls, window: CountedWindow, classifier: str, segments: Sequence[Segment]) -> "_WindowTotals":
        cells = window.cells
        evidence = DifferenceEstimator.of(cells, window.sample.everywhere)
        strata, parts = evidence.strata, _parts(evidence, window, segments)
        found = Residuals.of(evidence, parts)
        place = cells.classifiers.index(classifier)
        sides = np.stack([cells.positive[:, place], cells.negative[:, place]]).astype(np.float64)

        def by_domain(values: Floats) -> Floats:
            return np.asarray((values @ sides.T).reshape(-1), dtype=np.float64)

        def by_stratum(values: Floats) -> Floats:
            return strata.sums(values[:, None, :] * sides).reshape(2 * len(parts), -1)

        sizes, labels, yes = by_domain(found.sizes), by_domain(found.answered), by_domain(found.yes)
        raw, smooth, prior_labels = variance_scales(strata, evidence.prior_labels)
        errors = StratumErrors(
            errors=by_stratum(found.errors),
            squares=by_stratum(found.squares),
            prior=by_stratum(found.prior) / np.maximum(strata.sizes, 1),
            answers=strata.answers,
            raw=raw,
            smooth=smooth,
            prior_labels=prior_labels,
            unlabelled=(by_stratum(found.sizes * strata.is_unlabelled) ** 2).sum(axis=1) / 4,
        )
        totals = np.clip(by_domain(found.totals), yes, sizes - (labels - yes))
        heaviest = max_expansion(strata, by_stratum(found.sizes - found.answered))
        return cls(sizes, totals, labels, heaviest, errors)


def _parts(evidence: DifferenceEstimator, window: CountedWindow, segments: Sequence[Segment]) -> list[ItemSubset]:
    """The items of every segment, and those of none."""
    inside = [segment_items(window.atoms, window.sample, segment) for segment in segments]
    whole = evidence.everything
    rest = ItemSubset(
        whole.sizes - sum((part.sizes for part in inside), np.zeros_like(whole.sizes)),
        replace(
            _less(whole.answers, [part.answers for part in inside]),
            weighted=_less(whole.answers.in_estimates, [part.answers.in_estimates for part in inside]),
        ),
    )
    return [*inside, rest]


def _less(whole: LabelCounts, parts: Sequence[LabelCounts]) -> LabelCounts:
    return LabelCounts(
        whole.labelled - sum((part.labelled for part in parts), np.zeros(1)),
        whole.positive - sum((part.positive for part in parts), np.zeros(1)),
    )
