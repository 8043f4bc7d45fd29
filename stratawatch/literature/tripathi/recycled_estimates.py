"""What labels say about recycled sequences: precisions, the parent's false-omission rate, and the rest from totals."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.labelled_sample import LabelledItems, LabelledSample
from stratawatch.core.population import Counts, Floats
from stratawatch.core.sampling import order_by_random_number
from stratawatch.errors import StratawatchError
from stratawatch.literature.tripathi.derived_metrics import DerivedMetrics
from stratawatch.literature.tripathi.false_omission import false_omission_rate
from stratawatch.literature.tripathi.precisions import NO, NO_ANSWER, YES, estimate_precisions
from stratawatch.literature.tripathi.sequences import ClassifierSequences

SUPPORTED_METRICS: Final = ("precision", "recall", "false_omission_rate")


@dataclass(frozen=True)
class RecycledEstimate:
    """The outcome of a metric, how many labels it rests on, and how it came about."""

    result: IntervalEstimate | Undefined
    labels: int
    method: str


@dataclass(frozen=True)
class RecycledEstimates:
    """The sequences, the answer of every item in them by its number, and answers and yes answers by atom."""

    sequences: ClassifierSequences
    answers: Counts
    answered: Floats
    yes: Floats
    confidence: float

    @classmethod
    def of_labels(cls, sequences: ClassifierSequences, known: LabelledSample, confidence: float) -> "RecycledEstimates":
        """What people said. An item without an answer is left out of every sequence that it is in."""
        if known.items is None:
            raise StratawatchError("recycled samples are read item by item", expected="items", got="counts")
        answers = _answers(sequences, known.items)
        return cls(sequences, answers, known.labelled.sum(axis=0), known.positive.sum(axis=0), confidence)

    @classmethod
    def expected(cls, sequences: ClassifierSequences, rates: Floats, confidence: float) -> "RecycledEstimates":
        """What they would say if every stratum had its expected share of positives."""
        cells = sequences.cells
        sizes = np.maximum(cells.stratum_sizes, 1)
        share = cells.by_stratum(cells.sizes * rates) / sizes
        answers = np.full(sequences.draw.labels, NO_ANSWER, dtype=np.int64)
        for stratum in np.flatnonzero(sequences.pattern_of_stratum >= 0).tolist():
            # Evenly spread: the next answer is a yes where the expected count of them passes a half.
            passed = np.floor(np.arange(sequences.sequence_totals[stratum] + 1) * share[stratum] + 0.5)
            first = sequences.first_number[stratum]
            answers[first : first + len(passed) - 1] = np.where(np.diff(passed) > 0, YES, NO)
        answered = cells.sizes * (sequences.totals / sizes)[cells.strata]
        return cls(sequences, answers, answered, answered * share[cells.strata], confidence)

    def estimate(self, metric: str, place: int) -> RecycledEstimate:
        """One of SERVED, of the classifier in this place."""
        exact = self._exact(metric, place)
        if exact is not None:
            return exact
        if metric == "precision":
            return RecycledEstimate(self._totals.precision(place), self._labels(place), "recycled sample, Wilson")
        if metric == "false_omission_rate" and place == self.sequences.parent:
            return RecycledEstimate(self._totals.omission, self._omission_labels, "stratified share, FF/MID")
        found = self._totals.recall(place) if metric == "recall" else self._totals.false_omission_rate(place)
        words = f"recycled totals, MOVER; {found.note}" if found.note else "recycled totals, MOVER"
        return RecycledEstimate(found.result, self._labels(place, self.sequences.parent) + self._omission_labels, words)

    def _exact(self, metric: str, place: int) -> RecycledEstimate | None:
        """The value, where every item that the metric is about has its answer."""
        cells = self.sequences.cells
        a, b = cells.positive[:, place], cells.negative[:, place]
        about = {"precision": a, "recall": a | b, "false_omission_rate": b}[metric]
        part = self.yes[b if metric == "false_omission_rate" else a].sum()
        whole = (self.yes if metric == "recall" else cells.sizes)[about].sum()
        if whole == 0 or (self.answered[about] < cells.sizes[about]).any():
            return None
        value, items = float(part / whole), float(cells.sizes[about].sum())
        return RecycledEstimate(IntervalEstimate(value, value, value, items), round(items), "all items are labelled")

    @cached_property
    def _totals(self) -> DerivedMetrics:
        sequences, here = self.sequences, self.sequences.omission_strata
        cells = sequences.cells
        sizes, answered, yes = (cells.by_stratum(each)[here] for each in (cells.sizes, self.answered, self.yes))
        missed = false_omission_rate(sizes.astype(np.int64), answered, yes, self.confidence)
        found = estimate_precisions(sequences.draw, self.answers)
        return DerivedMetrics(sequences.patterns, sequences.parent, found, missed, self.confidence)

    def _labels(self, *places: int) -> int:
        """Answered items in their sequences; of several, without what the parent calls negative: that counts apart."""
        draw, patterns = self.sequences.draw, self.sequences.patterns
        numbers = np.unique(np.concatenate([draw.items_of(place) for place in places]))
        homes = np.repeat(np.arange(len(patterns.names)), draw.totals)[numbers]
        apart = patterns.negative[homes, self.sequences.parent] & (len(places) > 1)
        return int(((self.answers[numbers] != NO_ANSWER) & ~apart).sum())

    @property
    def _omission_labels(self) -> int:
        cells = self.sequences.cells
        return round(float(cells.by_stratum(self.answered)[self.sequences.omission_strata].sum()))


def _answers(sequences: ClassifierSequences, known: LabelledItems) -> Counts:
    """By number: the next smallest digest of a stratum has the next number."""
    order, strata = order_by_random_number(known.candidates, sequences.cells.strata)
    rank = np.arange(len(strata)) - np.searchsorted(strata, strata)
    number_of = np.full(len(order), -1, dtype=np.int64)
    inside = rank < sequences.sequence_totals[strata]
    number_of[order[inside]] = sequences.first_number[strata[inside]] + rank[inside]
    numbers = number_of[known.rows]
    answers = np.full(sequences.draw.labels, NO_ANSWER, dtype=np.int64)
    answers[numbers[numbers >= 0]] = np.where(known.positive[numbers >= 0] > 0, YES, NO)
    return answers
