"""Many runs of one rule side by side, from the first label to the last."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.bennett.populations import Bins
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.population import Counts, Floats
from stratawatch.literature.bennett.precision_estimate import bin_shares, weighted_mean, weighted_mean_variance
from stratawatch.literature.bennett.sampling_rounds import (
    SamplingProgress,
    StoppingRule,
    next_totals,
    progress_after,
)
from stratawatch.literature.stratum_counts import StratumCounts


@dataclass(frozen=True)
class Ended:
    """Where runs ended: labels, estimate, and half the interval's length."""

    labels: Counts
    values: Floats
    half_widths: Floats

    def covered(self, truth: float) -> float:
        """How often the interval held the truth."""
        return float(np.mean(np.abs(self.values - truth) <= self.half_widths))


def converge(rule: StoppingRule, populations: list[Bins], runs: int, rng: np.random.Generator) -> list[Ended]:
    """Draw, label and look until every run on every population is over; all of them have as many bins."""
    pairs = [(one.sizes, one.rates) for one in populations]
    bins = Bins(*(np.repeat(np.stack(of), runs, axis=0) for of in zip(*pairs, strict=True)))
    labels, values, half_widths = np.zeros(len(bins.sizes), dtype=np.int64), *np.zeros((2, len(bins.sizes)))
    running, progress = np.arange(len(bins.sizes)), SamplingProgress.start(*bins.sizes.shape)
    while running.size:
        totals = next_totals(rule, bins.sizes, progress, rng)
        yes = _yes(rule, bins, progress.counts, totals, rng)
        progress = progress_after(rule, bins.sizes, progress, StratumCounts.all_answered(totals, yes))
        if progress.over.any():
            over, on = progress.over, ~progress.over
            labels[running[over]] = totals[over].sum(axis=-1)
            values[running[over]] = weighted_mean(bins.sizes, progress.rates(bins.sizes, rule))[over]
            half_widths[running[over]] = progress.half_widths(bins.sizes, rule)[over]
            running, progress, bins = running[on], _those(progress, on), Bins(bins.sizes[on], bins.rates[on])
    parts = (np.split(of, len(populations)) for of in (labels, values, half_widths))
    return [Ended(*part) for part in zip(*parts, strict=True)]


def at_once(totals: Counts, bins: Bins, runs: int, rng: np.random.Generator) -> Ended:
    """One draw with replacement and one look, whatever it shows."""
    labels = np.tile(totals, (runs, 1))
    yes = rng.binomial(labels, bins.rates)
    rates = bin_shares(bins.sizes, labels, yes, replacement=True)
    half_widths = normal_quantile(0.95) * np.sqrt(weighted_mean_variance(bins.sizes, labels, rates, replacement=True))
    return Ended(labels.sum(axis=-1), weighted_mean(bins.sizes, rates), half_widths)


def _yes(rule: StoppingRule, bins: Bins, before: StratumCounts, totals: Counts, rng: np.random.Generator) -> Counts:
    """Cumulative yes, after people have judged what is new."""
    new = totals - before.labels
    if rule.replacement:
        return before.yes + rng.binomial(new, bins.rates)
    positives = np.round(bins.sizes * bins.rates).astype(np.int64) - before.yes
    return before.yes + rng.hypergeometric(positives, bins.sizes - before.labels - positives, new)


def _those(progress: SamplingProgress, rows: NDArray[np.bool_]) -> SamplingProgress:
    counts = StratumCounts.all_answered(progress.counts.labels[rows], progress.counts.yes[rows])
    return SamplingProgress(counts, progress.narrow_rounds[rows], progress.over[rows])
