"""Section 6: how often the intervals of recall and false-omission rate cover, for an ensemble and its three models.

The paper reports none. One population of 200,000 items, 8% positive; the models' scores are noisy copies of the truth,
the parent is their majority. Precisions by Algorithm 1 with 1,068 draws each; the parent's false-omission rate from a
stratified draw of its B (patterns that call it negative, the all-negative one in six score strata), half of the labels
in proportion to size and half evenly. Beside it the same without Cov(p_1, p_c).
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from benchmarks.papers.tripathi.labelling import answers, patterns_of, runs
from benchmarks.shape import Options, Result, Verdict
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.population import Counts, Floats
from stratawatch.literature.tripathi.derived_metrics import DerivedMetrics
from stratawatch.literature.tripathi.false_omission import allocate_omission_labels, false_omission_rate
from stratawatch.literature.tripathi.panel_draw import draw_panel
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns
from stratawatch.literature.tripathi.precisions import PrecisionEstimates, estimate_precisions

FULL, QUICK = 3000, 150
N: Final = 200_000
STRATA: Final = 6
WANTED: Final = 1068
OMISSION_LABELS: Final = (2000, 500, 150)
NAMES: Final = ("the parent", "ML1", "ML2", "ML3")
METRICS: Final = ("recall", "false_omission_rate")


@dataclass(frozen=True)
class World:
    """Patterns and strata of B of the parent, each with its positives."""

    patterns: CallPatterns
    yes: Counts
    strata: Counts
    strata_yes: Counts

    def truth(self, metric: str) -> Floats:
        """Of every classifier."""
        found, all_ = self.yes @ self.patterns.positive, self.yes.sum()
        value = found / all_ if metric == "recall" else (all_ - found) / self.patterns.called_negative
        return np.asarray(value, dtype=np.float64)


def run(options: Options) -> Result:
    """Coverage by number of labels in B, metric and classifier."""
    trials = runs(options, FULL, QUICK)
    rows, lowest = [], 1.0
    for labels in OMISSION_LABELS:
        told, apart = simulate(options.seed, trials, labels)
        for metric, name in enumerate(METRICS):
            for classifier, who in enumerate(NAMES):
                one, other = told[:, metric, classifier], apart[:, metric, classifier]
                rows.append(_row(labels, name, who, one, other))
                lowest = min(lowest, float(np.nanmean(one[:, 0])))
    error = 4 * (0.05 * 0.95 / trials) ** 0.5
    return Result(rows, [Verdict("section 6: lowest coverage", "must", lowest, 0.95 - error, ">=")])


@cache
def simulate(seed: int, trials: int, labels: int) -> tuple[Floats, Floats]:
    """(covered, half-width, clipped) by trial, metric and classifier, with the covariances and without."""
    rng = np.random.default_rng([seed, 5, labels])
    population = world(np.random.default_rng([seed, 6]))
    none = np.zeros_like(population.strata)
    told, apart = (np.full((trials, 2, 4, 3), np.nan) for _ in range(2))
    for trial in range(trials):
        draw = draw_panel(population.patterns, np.full(4, WANTED), 0, rng)
        found = estimate_precisions(draw, answers(draw, population.yes, rng))
        alone = PrecisionEstimates(found.shares, np.diag(np.diag(found.covariance)))
        sizes, count = population.strata, allocate_omission_labels(population.strata, none, labels)
        yes = rng.hypergeometric(population.strata_yes, sizes - population.strata_yes, count)
        f = false_omission_rate(sizes, count, yes)
        told[trial] = _read(population, DerivedMetrics(population.patterns, 0, found, f))
        apart[trial] = _read(population, DerivedMetrics(population.patterns, 0, alone, f))
    return told, apart


def world(rng: np.random.Generator) -> World:
    """The population."""
    truth = rng.random(N) < 0.08
    shared = rng.normal(size=N)
    scores = np.stack([2.6 * truth + 0.6 * shared + 0.8 * rng.normal(size=N) for _ in range(3)], axis=1)
    models = scores > np.array([1.6, 1.9, 1.75])
    calls = np.column_stack([models.sum(axis=1) >= 2, models])
    patterns, cells = patterns_of(calls)
    quiet = ~calls.any(axis=1)
    mean = scores.mean(axis=1)
    edges = np.quantile(mean[quiet], [0.5, 0.75, 0.88, 0.95, 0.98])
    # Strata of B: the other negative patterns first, then the all-negative one by score.
    stratum = np.where(quiet, len(patterns.names) + np.searchsorted(edges, mean), cells)[~calls[:, 0]]
    count = len(patterns.names) + STRATA
    sizes, yes = (np.bincount(part, minlength=count) for part in (stratum, stratum[truth[~calls[:, 0]]]))
    kept = sizes > 0
    hits = np.bincount(cells[truth], minlength=len(patterns.names))
    return World(patterns, hits, sizes[kept], yes[kept])


def _read(population: World, made: DerivedMetrics) -> Floats:
    rows = np.full((2, 4, 3), np.nan)
    for m, metric in enumerate(METRICS):
        truth = population.truth(metric)
        for c in range(4):
            derived = made.recall(c) if metric == "recall" else made.false_omission_rate(c)
            if isinstance(known := derived.result, IntervalEstimate):
                rows[m, c] = known.low <= truth[c] <= known.high, known.half_width, bool(derived.note)
    return rows


def _row(labels: int, metric: str, who: str, told: Floats, apart: Floats) -> dict[str, object]:
    known = told[~np.isnan(told[:, 0])]
    return {
        "labels in B": labels,
        "section 6": metric,
        "of": who,
        "coverage": float(known[:, 0].mean()),
        "+-": (0.05 * 0.95 / len(known)) ** 0.5,
        "half-width": float(known[:, 1].mean()),
        "clipped %": 100 * float(known[:, 2].mean()),
        "undefined %": 100 * (1 - len(known) / len(told)),
        "without the covariance": float(np.nanmean(apart[:, 0])),
        "its half-width": float(np.nanmean(apart[:, 1])),
    }
