"""Strata by how sure a classifier is of its own calls, and the items that it did not judge apart."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.methods.kumar.stratification import cut_points, stratum_of
from stratawatch.core.methods.kumar.tally import Tally
from stratawatch.core.methods.kumar.values import probability_of_the_call
from stratawatch.core.planner import Seen
from stratawatch.core.population import Atom, Census, Counts, Floats
from stratawatch.core.runs import atoms_in

_UNSCORED, _UNJUDGED = -1, -2


def cut(census: Census, place: int, stratifier: str, strata: int) -> tuple[Atom, ...]:
    """Up to so many strata of the items that the classifier at this place judged.

    Judged items that have no score are one stratum more, and those that it did not judge another, without labels.
    """
    cells = Cells.of_census(census)
    judged = cells.positive[:, place] | cells.negative[:, place]
    scored = judged & ~np.isnan(cells.scores) & (census.counts > 0)
    group = np.where(judged, _UNSCORED, _UNJUDGED)
    if scored.any():
        sure = probability_of_the_call(cells.scores[scored], cells.positive[scored, place])
        group[scored] = stratum_of(sure, cut_points(sure, cells.sizes[scored], strata, stratifier))
    return atoms_in(census, group)


@dataclass(frozen=True)
class Judged:
    """The strata of the items that one classifier judged: all that the method looks at."""

    cells: Cells
    place: int

    @cached_property
    def strata(self) -> Counts:
        """Their numbers."""
        return np.flatnonzero(self.cells.by_stratum(self.cells.sizes * self.flags) > 0)

    @cached_property
    def flags(self) -> Flags:
        """Cells that it judged."""
        return np.asarray(self.cells.positive[:, self.place] | self.cells.negative[:, self.place])

    @cached_property
    def sizes(self) -> Counts:
        """N_k, their items."""
        return self.cells.stratum_sizes[self.strata].astype(np.int64)

    def right(self, answered: Floats, yes: Floats) -> Floats:
        """Of the answers in each cell, those with which the classifier agrees."""
        return np.where(self.cells.positive[:, self.place], yes, answered - yes) * self.flags

    def tally(self, seen: Seen) -> Tally:
        """What was drawn and answered; yes is a right call."""
        right = self.cells.by_stratum(self.right(seen.answered, seen.yes))
        columns = (seen.drawn, self.cells.by_stratum(seen.answered), right)
        return Tally(*(np.rint(column[self.strata]).astype(np.int64) for column in columns))

    def spread(self, rates: Floats) -> Floats:
        """The expected standard deviation of being right within each stratum."""
        share = self.cells.by_stratum(self.right(self.cells.sizes, self.cells.sizes * rates))[self.strata] / self.sizes
        return np.asarray(np.sqrt(share * (1 - share)), dtype=np.float64)

    def everywhere(self, totals: Counts) -> Counts:
        """The same totals by all strata; none where it judged nothing."""
        every = np.zeros(self.cells.count, dtype=np.int64)
        every[self.strata] = totals
        return every
