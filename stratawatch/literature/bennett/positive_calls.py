"""The bins of the items that one classifier calls positive: all that the method looks at."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.population import Atom, Census, Counts, Floats
from stratawatch.core.stratification.atoms import atoms_of_groups
from stratawatch.literature.bennett.bins import BINNINGS, bin_numbers
from stratawatch.literature.bennett.sampling_rounds import RoundLabels as Told

_UNSCORED, _UNCALLED = -1, -2


def cut_into_bins(census: Census, place: int, binning: str, bins: int) -> tuple[Atom, ...]:
    """Up to so many bins of the items that the classifier at this place calls positive.

    Those of them that have no score are one bin more, and all other items a stratum without labels.
    """
    cells = Cells.of_census(census)
    called = cells.positive[:, place]
    scored = called & ~np.isnan(cells.scores) & (census.counts > 0)
    group = np.where(called, _UNSCORED, _UNCALLED)
    if scored.any():
        scores, items = cells.scores[scored], cells.sizes[scored]
        group[scored] = bin_numbers(scores, BINNINGS[binning](scores, items, bins))
    return atoms_of_groups(census, group)


@dataclass(frozen=True)
class SamplingFrame:
    """The bins among the strata."""

    cells: Cells
    place: int

    @cached_property
    def flags(self) -> Flags:
        """Cells that the classifier calls positive."""
        return np.asarray(self.cells.positive[:, self.place])

    @cached_property
    def strata(self) -> Counts:
        """The numbers of the bins."""
        return np.flatnonzero(self.cells.by_stratum(self.cells.sizes * self.flags) > 0)

    @cached_property
    def sizes(self) -> Counts:
        """N_k, their items."""
        return self.cells.stratum_sizes[self.strata].astype(np.int64)

    def rates(self, rates: Floats) -> Floats:
        """Expected precision by bin."""
        found = self.cells.by_stratum(self.cells.sizes * self.flags * rates)[self.strata]
        return np.asarray(found / self.sizes, dtype=np.float64)

    def counts(self, known: LabelledSample) -> Told:
        """What was drawn and answered, by bin."""
        answered, yes = (self.cells.by_stratum(part.sum(axis=0)) for part in (known.labelled, known.positive))
        return Told(*(np.rint(column[self.strata]).astype(np.int64) for column in (known.drawn, answered, yes)))

    def over_all_strata(self, totals: Counts) -> Counts:
        """The same totals by all strata; none outside the bins."""
        every = np.zeros(self.cells.stratum_count, dtype=np.int64)
        every[self.strata] = totals
        return every
