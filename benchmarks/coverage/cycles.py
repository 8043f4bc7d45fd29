"""Cycles of the product on a counted population: its cut, its pools, its plans; only the items are left out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from benchmarks.coverage.draws import pools
from benchmarks.coverage.population import Letters, Population
from stratawatch.core.cells import Cells
from stratawatch.core.designs.frozen import pool_sizes
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.interval import MetricIntervals, metric_intervals
from stratawatch.core.estimation.round_weights import mean_scores, weights_of_counts
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.estimation.undefined import is_defined
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.labelled_sample import LabelCounts, LabelledSample
from stratawatch.core.metrics import RatioMetric, metric_named
from stratawatch.core.planning.labels_so_far import LabelsSoFar, UnlabelledCandidates
from stratawatch.core.planning.round_planner import RoundPlanner
from stratawatch.core.planning.round_sizes import most_rounds
from stratawatch.core.population import Atom, Counts, Floats
from stratawatch.core.score_bins import BIN_COUNT
from stratawatch.core.stratification.stratify import stratify


@dataclass(frozen=True)
class Frozen:
    """A population as a cycle freezes it; `home` is the atom of every census row.

    `yes` are the positives of every atom, which only the benchmark knows.
    """

    atoms: tuple[Atom, ...]
    cells: Cells
    home: Counts
    yes: Counts
    pools: Counts
    planner: RoundPlanner

    @classmethod
    def of(cls, population: Population, survey: SurveySpec, history: History = NO_HISTORY) -> "Frozen":
        """Cut, and size the pools."""
        census = population.census
        atoms = stratify(census, survey, history)
        cells = Cells.of_atoms(census.classifiers, atoms)
        wanted = pool_sizes(atoms, census.classifiers, survey, history)
        home = homes(atoms, census.patterns, census.bins)
        yes = np.bincount(home, weights=population.yes, minlength=len(atoms)).astype(np.int64)
        return cls(atoms, cells, home, yes, np.array(wanted, dtype=np.int64), RoundPlanner(cells, survey, history))

    def cycles(self, rng: np.random.Generator, runs: int) -> Iterator[LabelledSample]:
        """So many cycles, every label answered."""
        frozen = pools(rng, self.cells.strata, self.cells.sizes.astype(np.int64), self.yes, self.pools.tolist(), runs)
        # Nothing is known before the first round: its plan is the same in all runs.
        totals = np.broadcast_to(self.first, (runs, len(self.first)))
        rounds = [frozen.counted(totals)]
        for ordinal in range(2, most_rounds(self.planner.survey) + 1):
            samples = list(self._joined(rounds, totals))
            after = np.array([self.later(ordinal, sample) for sample in samples])
            if (after == totals).all():
                yield from samples
                return
            totals = after
            rounds.append(frozen.counted(totals))
        yield from self._joined(rounds, totals)

    def joined(self, labels: LabelledSample, before: Sequence[Counts]) -> LabelledSample:
        """The labels of all rounds, joined as the product joins them; `before` are the counts after earlier ones.

        Rounds that drew nothing count for none.
        """
        ends = [*(np.stack([one.sum(axis=2), one[:, :, 1]]) for one in before), _columns(labels)]
        each = np.diff(np.stack([np.zeros_like(ends[0]), *ends]), axis=0)
        each = each[each[:, 0].sum(axis=(1, 2)) > 0]
        if len(each) < 2:
            return labels
        by_round = [self.cells.by_stratum(one[0].sum(axis=0)) for one in each]
        weights = weights_of_counts(np.stack(by_round, axis=1), self.cells.stratum_sizes, mean_scores(self.cells))
        answered, yes = np.einsum("rkfa,ar->kfa", each, weights[self.cells.strata])
        return replace(labels, weighted=LabelCounts(answered, yes))

    def _joined(self, rounds: Sequence[Counts], totals: Counts) -> Iterator[LabelledSample]:
        """Every run's labels; `rounds` are the counts of all runs after each round."""
        for run, labels in enumerate(labelled(rounds[-1], totals)):
            yield self.joined(labels, [one[run] for one in rounds[:-1]])

    @cached_property
    def first(self) -> Counts:
        """Totals of the first round, by stratum."""
        nothing = np.zeros(len(self.atoms))
        return self._totals(LabelsSoFar(1, np.zeros_like(self.pools), nothing, nothing))

    def later(self, ordinal: int, labels: LabelledSample) -> Counts:
        """Totals of a round after the first one."""
        answered, yes = labels.labelled.sum(axis=0), labels.positive.sum(axis=0)
        widths = self._half_widths(labels)
        return self._totals(LabelsSoFar(ordinal, labels.drawn, answered, yes, widths, self._costs(labels.drawn)))

    def _costs(self, drawn: Counts) -> UnlabelledCandidates | None:
        """What is drawn costs nothing again: plans for goals look at that, plans of a budget come out the same."""
        if not self.planner.survey.stop_at_goals:
            return None
        strata = np.repeat(np.arange(len(self.pools)), self.pools)
        places = np.arange(len(strata)) - np.searchsorted(strata, strata)
        return UnlabelledCandidates(int(drawn.sum()), strata, places >= drawn[strata])

    def _half_widths(self, labels: LabelledSample) -> dict[tuple[str, str], float]:
        """What goals are held against; where a budget is spent nothing is."""
        survey = self.planner.survey
        if not survey.stop_at_goals:
            return {}
        reading = SideIntervals(both_sides(self.cells, labels), survey.confidence)
        metrics = dict.fromkeys(goal.metric for goal in survey.goals)
        return half_widths(
            reading.sides, lambda metric: metric_intervals(metric, reading), self.cells.classifiers, metrics
        )

    def _totals(self, so_far: LabelsSoFar) -> Counts:
        return self.planner.totals(so_far, self.pools)


def both_sides(cells: Cells, labels: LabelledSample) -> SideEstimates:
    """What the product makes of one run's labels, before intervals."""
    evidence = DifferenceEstimator.of(cells, labels.everywhere)
    return evidence.sides([evidence.everything])


def half_widths(
    sides: SideEstimates,
    intervals: Callable[[RatioMetric], MetricIntervals],
    classifiers: Sequence[str],
    metrics: Iterable[str],
) -> dict[tuple[str, str], float]:
    """Half-widths of one run that the product would report; NaN where it reports none."""
    found: dict[tuple[str, str], float] = {}
    for name in metrics:
        metric = metric_named(name)
        widths = np.where(is_defined(metric, sides), intervals(metric).half_width, np.nan)
        found |= {(who, name): float(width) for who, width in zip(classifiers, widths[0], strict=True)}
    return found


def labelled(counts: Counts, totals: Counts) -> Iterator[LabelledSample]:
    """Every run's counts (folds x atoms x no, yes) as the product reads them."""
    for drawn, kinds in zip(totals, counts.astype(np.float64), strict=True):
        yield LabelledSample(drawn, kinds.sum(axis=2), kinds[:, :, 1])


def homes(atoms: tuple[Atom, ...], patterns: Sequence[str] | Letters, bins: Counts) -> Counts:
    """The atom of each (pattern, bin): atoms are sorted so, and each begins at its first bin."""
    known = sorted({atom.pattern for atom in atoms})
    starts = _keys(known, [atom.pattern for atom in atoms], np.array([atom.first_bin for atom in atoms]))
    return np.searchsorted(starts, _keys(known, patterns, bins), side="right") - 1


def _keys(known: Sequence[str], patterns: Sequence[str] | Letters, bins: Counts) -> Counts:
    return np.searchsorted(known, patterns) * (BIN_COUNT + 1) + bins + 1


def _columns(labels: LabelledSample) -> Floats:
    return np.stack([labels.labelled, labels.positive])
