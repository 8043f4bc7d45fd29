"""The labels of a cycle when a round is planned, and which further labels would cost anything."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.labelled_sample import LabelledSample
from stratawatch.core.population import Counts, Floats


class LabelCosts(Protocol):
    """What the totals of a plan cost, where some labels are there already."""

    @property
    def asked(self) -> int:
        """The items that people were asked about before."""
        ...

    @property
    def unlabelled(self) -> Flags:
        """Which of the items that it knows of cost a label."""
        ...

    def unlabelled_in(self, totals: Counts) -> Counts:
        """How many of the first totals[h] items of every stratum h cost a label."""
        ...


@dataclass(frozen=True)
class UnlabelledCandidates:
    """Which candidates of the pools cost a label when they are drawn: the labels of the others are there already.

    `strata` and `unlabelled` have a row for every candidate, by (stratum, random number); `asked` counts the items
    that people were asked about before.
    """

    asked: int
    strata: Counts
    unlabelled: Flags

    def unlabelled_in(self, totals: Counts) -> Counts:
        """How many of the first totals[h] candidates of every stratum h cost a label."""
        starts = np.searchsorted(self.strata, np.arange(len(totals) + 1))
        ends = np.minimum(starts[:-1] + totals, starts[1:])
        return np.asarray(self._cumulated[ends] - self._cumulated[starts[:-1]], dtype=np.int64)

    @cached_property
    def _cumulated(self) -> Counts:
        return np.concatenate([[0], np.cumsum(self.unlabelled)]).astype(np.int64)


@dataclass(frozen=True)
class LabelsSoFar:
    """The labels of a cycle when a round is planned.

    `ordinal` is the round's number, from 1; `drawn` counts items by stratum, `labelled` and `positives` labels by atom;
    `half_widths` are those of the intervals that these labels give. Without `costs` every label is a new one.
    `earlier`: today's labels of the items that each of the last rounds had drawn, cumulative; only as many rounds as
    the design remembers.
    """

    ordinal: int
    drawn: Counts
    labelled: Floats
    positives: Floats
    half_widths: Mapping[tuple[str, str], float] = field(default_factory=dict)
    costs: LabelCosts | None = None
    earlier: tuple[LabelledSample, ...] = ()

    def new_label_cost(self, totals: Counts) -> int:
        """The items of cumulative totals that people have been, or would have to be, asked about."""
        if self.costs is None:
            return int(totals.sum())
        return self.costs.asked + int(self.costs.unlabelled_in(totals).sum())
