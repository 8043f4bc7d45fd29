"""Strata by how sure a classifier is of its own calls, and the items that are not asked about apart."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.metrics import RatioMetric
from stratawatch.core.planning.labels_so_far import LabelsSoFar
from stratawatch.core.population import Atom, Census, Counts, Floats
from stratawatch.core.stratification.atoms import atoms_of_groups
from stratawatch.literature.kumar.share_estimates import counted_labels, in_domain
from stratawatch.literature.kumar.stratification import cut_points, stratum_of
from stratawatch.literature.kumar.stratum_counts import StratumCounts
from stratawatch.literature.kumar.weighted_values import call_probability

_UNSCORED, _LEFT_OUT = -1, -2


def stratify_by_certainty(
    census: Census, place: int, share: RatioMetric, stratifier: str, strata: int
) -> tuple[Atom, ...]:
    """Up to so many strata of the items that a share of the classifier at this place is of.

    Those of them that have no score are one stratum more, and all others another, without labels.
    """
    cells = Cells.of_census(census)
    inside = in_domain(share, cells, place)
    scored = inside & ~np.isnan(cells.scores) & (census.counts > 0)
    group = np.where(inside, _UNSCORED, _LEFT_OUT)
    if scored.any():
        sure = call_probability(cells.scores[scored], cells.positive[scored, place])
        group[scored] = stratum_of(sure, cut_points(sure, cells.sizes[scored], strata, stratifier))
    return atoms_of_groups(census, group)


@dataclass(frozen=True)
class ShareFrame:
    """The strata of the items that a share is of: all that the method looks at."""

    cells: Cells
    place: int
    share: RatioMetric

    @cached_property
    def strata(self) -> Counts:
        """Their numbers."""
        return np.flatnonzero(self.cells.by_stratum(self.cells.sizes * self.flags) > 0)

    @cached_property
    def flags(self) -> Flags:
        """Their cells."""
        return in_domain(self.share, self.cells, self.place)

    @cached_property
    def sizes(self) -> Counts:
        """N_k, their items."""
        return self.cells.stratum_sizes[self.strata].astype(np.int64)

    def counts(self, so_far: LabelsSoFar) -> StratumCounts:
        """What was drawn and answered, and what of it the share counts."""
        yes = self._counted(so_far.labelled, so_far.positives)
        columns = (so_far.drawn, self.cells.by_stratum(so_far.labelled), self.cells.by_stratum(yes))
        return StratumCounts(*(np.rint(column[self.strata]).astype(np.int64) for column in columns))

    def expected_deviations(self, rates: Floats) -> Floats:
        """The expected standard deviation of an answer within each stratum."""
        yes = self.cells.by_stratum(self._counted(self.cells.sizes, self.cells.sizes * rates))[self.strata]
        return np.asarray(np.sqrt(yes / self.sizes * (1 - yes / self.sizes)), dtype=np.float64)

    def _counted(self, answered: Floats, yes: Floats) -> Floats:
        return counted_labels(self.share, self.cells, self.place, answered, yes) * self.flags

    def over_all_strata(self, totals: Counts) -> Counts:
        """The same totals by all strata; none outside."""
        every = np.zeros(self.cells.stratum_count, dtype=np.int64)
        every[self.strata] = totals
        return every
