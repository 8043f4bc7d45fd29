"""Counts of a stratified sample: items drawn, labels, and the labels that count as yes."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class StratumCounts:
    """Cumulative counts by stratum: items sent to people, those with a label, and those whose label counts as yes.

    Strata lie along the last axis; simulations put runs side by side on axes before it.
    """

    drawn: Counts
    labels: Counts
    yes: Counts

    def __post_init__(self) -> None:
        check_counts(self.drawn, self.labels, self.yes)

    @classmethod
    def none_drawn(cls, *shape: int) -> Self:
        """Before the first item is drawn; the shape is (..., strata)."""
        return cls.all_answered(np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64))

    @classmethod
    def all_answered(cls, labels: Counts, yes: Counts) -> Self:
        """Every item that was drawn has a label."""
        return cls(labels, labels, yes)


def check_counts(items: Counts | Floats, labels: Counts | Floats, yes: Counts | Floats) -> None:
    """Raise StratawatchError unless 0 <= yes <= labels <= items in every stratum."""
    fit = items.shape == labels.shape == yes.shape
    if not fit or bool(np.any((yes < 0) | (yes > labels) | (labels > items))):
        raise StratawatchError("counts contradict one another", expected="0 <= yes <= labels <= items in every stratum")
