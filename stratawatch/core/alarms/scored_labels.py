"""The labels of windows beside a classifier's own scores: what each stands for, and the errors of sums over them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stratawatch.core.alarms.moved import LabelledWindow
from stratawatch.core.cells import Flags
from stratawatch.core.estimation.difference_estimator import (
    DifferenceEstimator,
    Residuals,
    max_expansion,
    variance_scales,
)
from stratawatch.core.estimation.label_table import LabelTable
from stratawatch.core.population import NO_BIN, Counts, Floats
from stratawatch.core.score_bins import OWN_BIN_COUNT
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class ScoredWindow:
    """A window's labels, and the own score bin of every candidate that has one, by item."""

    labelled: LabelledWindow
    bins: Mapping[str, int]


@dataclass(frozen=True)
class CallCounts:
    """How many items of a window are called at a cut-off, from its candidates by stratum and today's call.

    `domains` numbers the stratum and call of every candidate, `sizes` are the items of every domain.
    """

    domains: Counts
    bins: Counts
    sizes: Floats
    candidates: Floats
    called: Flags

    @classmethod
    def of(cls, window: ScoredWindow, classifier: str) -> "CallCounts":
        """Count a window's candidates of a classifier."""
        cells, pool = window.labelled.design.cells, window.labelled.design.candidates
        place = cells.classifiers.index(classifier)
        judged = cells.positive[:, place] | cells.negative[:, place]
        domain = 2 * cells.strata + cells.positive[:, place]
        called = np.arange(2 * cells.stratum_count) % 2 == 1
        domains = domain[pool.atoms]
        sizes, candidates = (
            np.bincount(of, weights, called.size).astype(np.float64)
            for of, weights in ((domain, cells.sizes * judged), (domains, judged[pool.atoms]))
        )
        for alike in (called, ~called):
            # Items of a domain without a candidate are counted like those of the other domains that are called alike.
            there = alike & (candidates > 0)
            grown = sizes[alike].sum() / max(float(sizes[there].sum()), 1.0)
            sizes[alike] = np.where(candidates[alike] > 0, sizes[alike] * grown, 0.0)
        return cls(domains, _own_bins(window, classifier), sizes, candidates, called)

    @property
    def by_bin(self) -> Floats:
        """The items that a cut-off at the foot of every own bin calls."""
        weights = (self.sizes / np.maximum(self.candidates, 1))[self.domains]
        inside = self.bins != NO_BIN
        found = np.bincount(self.bins[inside], weights[inside], OWN_BIN_COUNT)
        return np.asarray(np.cumsum(found[::-1])[::-1], dtype=np.float64)

    def at_least(self, bin_: int | None) -> tuple[float, float]:
        """The items that a cut-off at the foot of this bin calls, and the variance; None: that are called."""
        if bin_ is None:
            return float(self.sizes @ self.called), 0.0
        n = np.maximum(self.candidates, 1)
        hits = np.bincount(self.domains, self.bins >= bin_, len(n))
        # One candidate more of either kind keeps a share that all candidates agree on from being certain.
        share = (hits + 1) / (n + 2)
        error = self.sizes * np.maximum(self.sizes - self.candidates, 0) * share * (1 - share) / n
        return float(self.sizes @ (hits / n)), float(error[self._is_open(bin_)].sum())

    def _is_open(self, bin_: int) -> Flags:
        """The domains that a cut-off may divide: it leaves the others as they are called."""
        raised = self.by_bin[bin_] < float(self.sizes @ self.called)
        return np.asarray(self.called == raised)


def _own_bins(window: ScoredWindow, classifier: str) -> Counts:
    """The own score bin of every candidate that the classifier judged; NO_BIN for the others."""
    cells, pool = window.labelled.design.cells, window.labelled.design.candidates
    place = cells.classifiers.index(classifier)
    judged = (cells.positive[:, place] | cells.negative[:, place])[pool.atoms]
    bins = np.array([window.bins.get(item, NO_BIN) for item in pool.items], dtype=np.int64)
    return np.where(judged, bins, NO_BIN)


@dataclass(frozen=True)
class ScoredLabels:
    """The labels of one window in the order of the draw, and what their strata say of them."""

    table: LabelTable
    bins: Counts
    called: Floats
    calls: CallCounts
    judged: float
    positives: float
    rates: Floats
    prior_labels: Floats

    @classmethod
    def of(cls, window: ScoredWindow, classifier: str) -> "ScoredLabels":
        """A window's labels beside a classifier's scores."""
        cells, _, sample = window.labelled.counted
        evidence = DifferenceEstimator.of(cells, sample.everywhere)
        if sample.items is None:
            raise StratawatchError("cut-offs need labels item by item")
        table = LabelTable.of(evidence, sample.items)
        place = cells.classifiers.index(classifier)
        judged = cells.positive[:, place] | cells.negative[:, place]
        found = Residuals.of(evidence, [evidence.everything])
        return cls(
            table=table,
            bins=_own_bins(window, classifier)[sample.items.rows[table.rows]],
            called=cells.positive[table.atoms, place].astype(np.float64),
            calls=CallCounts.of(window, classifier),
            judged=float(cells.sizes @ judged),
            positives=float(found.totals[0] @ judged),
            rates=evidence.overall[table.atoms],
            prior_labels=evidence.prior_labels,
        )

    @property
    def weights(self) -> Floats:
        """The items that every label stands for."""
        return self.table.evidence.strata.expansions[self.table.strata_of_labels] * self.table.weights

    def would_call(self, bin_: int | None) -> Floats:
        """1 for labelled items that a cut-off at the foot of this bin would call positive; None: as they are called."""
        return self.called if bin_ is None else (self.bins >= bin_).astype(np.float64)

    def variance(self, on_call: Floats, on_all: float, precision: float) -> float:
        """The variance of sums of `on_call` (y - precision) + `on_all` (y - m) over all items."""
        table = self.table
        strata, homes = table.evidence.strata, table.strata_of_labels
        errors = on_call * (table.yes - precision) + on_all * table.errors
        spread = (on_call + on_all) ** 2 * self.rates * (1 - self.rates)
        n = np.maximum(strata.answers, 1)
        sums, squares, prior = (
            np.bincount(homes, table.weights * each, len(n)).astype(np.float64) for each in (errors, errors**2, spread)
        )
        around_mean = np.maximum(squares - sums**2 / n, 0)
        raw, smooth, prior_labels = variance_scales(strata, self.prior_labels)
        both = around_mean * raw, (around_mean + prior_labels * prior / n) * smooth
        return float(np.maximum(*both).sum())

    def heaviest(self, called: Floats) -> float:
        """The most items that a label among the called ones stands for."""
        strata = self.table.evidence.strata
        inside = np.bincount(self.table.strata_of_labels, called, len(strata.answers)) > 0
        return float(max_expansion(strata, np.where(inside, strata.sizes - strata.answers, 0)))
