"""What a peer is asked: one metric of one classifier, with n distinct labels; and what it answers."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
Metric = Literal["precision", "recall"]

CERTAIN: Final = 1e-3
"""Scores are kept this far off 0 and 1 where a peer divides by what they leave open."""


@dataclass(frozen=True)
class Task:
    """One metric of one classifier; `scores` are its linked scores. Labels are read from `truth` row by row."""

    metric: Metric
    calls: Flags
    scores: Floats
    truth: Flags

    @cached_property
    def frame(self) -> Integers:
        """The rows that are worth a label: the positive calls for precision, everything for recall."""
        return np.flatnonzero(self.calls) if self.metric == "precision" else np.arange(len(self.calls))

    @cached_property
    def value(self) -> float:
        """The truth."""
        domain = self.calls if self.metric == "precision" else self.truth
        return float((self.calls & self.truth).sum() / domain.sum())

    @cached_property
    def guess(self) -> float:
        """The metric as the scores would have it; designs need one before any label."""
        found = float(self.scores[self.calls].sum())
        return found / (float(self.calls.sum()) if self.metric == "precision" else float(self.scores.sum()))

    def parts(self, labels: Floats, rows: Integers) -> Floats:
        """Columns whose means make the metric: the label on the frame of precision; y I and y for recall."""
        if self.metric == "precision":
            return labels[:, None]
        return np.column_stack([labels * self.calls[rows], labels])

    def residual(self, labels: Floats, rows: Integers, value: float) -> Floats:
        """What the metric's error is the mean of, up to a factor: y, or y (I - r)."""
        return labels if self.metric == "precision" else labels * (self.calls[rows] - value)


@dataclass(frozen=True)
class Answer:
    """An estimate and its 95% interval; a peer that gives no interval leaves it not a number."""

    value: float
    low: float
    high: float
    labels: int


Ask = Callable[[np.random.Generator], Answer]


class Peer(Protocol):
    """Another way to spend the labels. `module` is what must be importable; `how` says what was asked of it."""

    name: str
    module: str | None
    install: str
    how: str

    def prepare(self, task: Task, labels: int) -> Ask:
        """What need be done only once; the result is asked again and again."""
        ...


def installed(peer: Peer) -> bool:
    """Whether the peer can be asked here."""
    return peer.module is None or find_spec(peer.module) is not None


def truth_at(task: Task, rows: Integers) -> Floats:
    """The labels of these rows."""
    return task.truth[rows].astype(np.float64)


def wald(value: float, variance: float, labels: int) -> Answer:
    """The interval of a normal estimate."""
    width = 1.959963984540054 * float(np.sqrt(max(variance, 0.0)))
    return Answer(value, value - width, value + width, labels)
