"""What else could look like a classifier that got worse: other input, late labels, annotators apart, moved scores."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from stratawatch.core.population import Counts
from stratawatch.formatting import count, whole_percent

CauseKind = Literal["volume", "label delay", "agreement", "score drift"]

_LEAST_MOVE: Final[dict[CauseKind, float]] = {"volume": 0.25, "label delay": 0.5, "agreement": 0.05, "score drift": 0.1}
"""From which change on a cause is not ruled out: shares of before for volume and delay, else differences."""


@dataclass(frozen=True)
class OtherCause:
    """One of the other causes with its number before and after.

    `volume` is items a window, `label delay` the median hours from a batch to its labels, `agreement` the share of
    pairs of answers to one item that agree, `score drift` the share of a classifier's scores that lie elsewhere than
    before (so that before is 0).
    """

    kind: CauseKind
    before: float
    after: float

    @property
    def is_ruled_out(self) -> bool:
        """Whether it moved too little to be the cause."""
        size = self.before if self.kind in ("volume", "label delay") else 1.0
        return abs(self.after - self.before) < _LEAST_MOVE[self.kind] * size

    @property
    def sentence(self) -> str:
        """The number in words, with what it was before.

        >>> OtherCause("volume", 100_000, 101_000).sentence, OtherCause("score drift", 0, 0.04).sentence
        ('volume as before: 101,000 items a window, was 100,000', 'scores as before: 4% of them moved')
        >>> OtherCause("label delay", 20, 70).sentence
        'labels took longer: 70 hours, was 20'
        """
        if self.kind == "volume":
            head = self._head("volume as before", "fewer items", "more items")
            return f"{head}: {count(self.after)} items a window, was {count(self.before)}"
        if self.kind == "label delay":
            head = self._head("labels as quick as before", "labels came sooner", "labels took longer")
            return f"{head}: {self.after:.0f} hours, was {self.before:.0f}"
        if self.kind == "agreement":
            head = self._head("annotators agree as before", "annotators agree less", "annotators agree more")
            return f"{head}: {whole_percent(self.after)} of pairs of answers, was {whole_percent(self.before)}"
        return f"{self._head('scores as before', '', 'scores moved')}: {whole_percent(self.after)} of them moved"

    def _head(self, same: str, less: str, more: str) -> str:
        return same if self.is_ruled_out else less if self.after < self.before else more


def score_drift(before: Counts, after: Counts) -> float | None:
    """The share of scores that lie in other bins than before, half the sum of differences; None without any.

    >>> score_drift(np.array([50, 50]), np.array([50, 150]))
    0.25
    """
    sizes = float(before.sum()), float(after.sum())
    if not all(sizes):
        return None
    return float(np.abs(before / sizes[0] - after / sizes[1]).sum() / 2)
