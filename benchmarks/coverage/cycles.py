"""Cycles of the product on a counted population: its cut, its pools, its two plans; only the items are left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from benchmarks.coverage.draws import pools
from benchmarks.coverage.population import Letters, Population
from stratawatch.core.cells import Cells
from stratawatch.core.designs.frozen import pool_sizes
from stratawatch.core.estimation.round_weights import mean_scores, weights_of_counts
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.labelled_sample import LabelCounts, LabelledSample
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.planning.round_planner import RoundPlanner
from stratawatch.core.planning.round_sizes import most_rounds
from stratawatch.core.population import Atom, Counts
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
        first = frozen.counted(totals)
        if most_rounds(self.planner.survey) == 1:
            yield from labelled(first, totals)
            return
        totals = np.array([self.second(labels) for labels in labelled(first, totals)])
        both = frozen.counted(totals)
        for labels, before in zip(labelled(both, totals), first, strict=True):
            yield self.joined(labels, before)

    def joined(self, labels: LabelledSample, before: Counts) -> LabelledSample:
        """The labels of both rounds, joined as the product joins them; `before` are the counts of the first one."""
        earlier = np.stack([before.sum(axis=2), before[:, :, 1]])
        later = np.stack([labels.labelled, labels.positive]) - earlier
        by_round = [self.cells.by_stratum(one[0].sum(axis=0)) for one in (earlier, later)]
        weights = weights_of_counts(np.stack(by_round, axis=1), self.cells.stratum_sizes, mean_scores(self.cells))
        of_atoms = weights[self.cells.strata]
        answered, yes = earlier * of_atoms[:, 0] + later * of_atoms[:, 1]
        return replace(labels, weighted=LabelCounts(answered, yes))

    @cached_property
    def first(self) -> Counts:
        """Totals of the first round, by stratum."""
        nothing = np.zeros(len(self.atoms))
        return self._totals(LabelsSoFar(1, np.zeros_like(self.pools), nothing, nothing))

    def second(self, labels: LabelledSample) -> Counts:
        """Totals of the second round."""
        return self._totals(LabelsSoFar(2, labels.drawn, labels.labelled.sum(axis=0), labels.positive.sum(axis=0)))

    def _totals(self, so_far: LabelsSoFar) -> Counts:
        return self.planner.totals(so_far, self.pools)


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
