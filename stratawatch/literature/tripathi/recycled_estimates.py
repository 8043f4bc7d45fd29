"""Estimates from the labels of recycled sequences: precisions, the parent's false-omission rate, and what follows."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Self

import numpy as np

from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.labelled_sample import LabelledItems, LabelledSample
from stratawatch.core.population import Counts, Floats
from stratawatch.core.sampling import order_by_random_number
from stratawatch.errors import StratawatchError
from stratawatch.literature.paper_design import EstimateResult
from stratawatch.literature.tripathi.derived_metrics import DerivedMetrics
from stratawatch.literature.tripathi.false_omission import false_omission_rate
from stratawatch.literature.tripathi.precisions import NO, NO_ANSWER, YES, estimate_precisions
from stratawatch.literature.tripathi.sequences import ClassifierSequences

SUPPORTED_METRICS: Final = ("precision", "recall", "false_omission_rate")


@dataclass(frozen=True)
class RecycledEstimates:
    """The sequences with the answer of every item in them by its number, and labels and positive labels by atom."""

    sequences: ClassifierSequences
    answers: Counts
    labelled: Floats
    positive: Floats
    confidence: float

    @classmethod
    def of_labels(cls, sequences: ClassifierSequences, sample: LabelledSample, confidence: float) -> Self:
        """From people's labels. An item without a label is left out of every sequence that it is in."""
        if sample.items is None:
            raise StratawatchError("recycled samples are read item by item", expected="items", got="counts")
        answers = _answers(sequences, sample.items)
        return cls(sequences, answers, sample.labelled.sum(axis=0), sample.positive.sum(axis=0), confidence)

    @classmethod
    def expected(cls, sequences: ClassifierSequences, rates: Floats, confidence: float) -> Self:
        """From the labels to expect if every stratum has its expected share of positives."""
        cells = sequences.cells
        sizes = np.maximum(cells.stratum_sizes, 1)
        share = cells.by_stratum(cells.sizes * rates) / sizes
        answers = np.full(sequences.draw.labels, NO_ANSWER, dtype=np.int64)
        for stratum in np.flatnonzero(sequences.pattern_of_stratum >= 0).tolist():
            # Evenly spread: the next answer is a yes where the expected count of them rises above a half.
            expected = np.floor(np.arange(sequences.sequence_totals[stratum] + 1) * share[stratum] + 0.5)
            first = sequences.first_item_number[stratum]
            answers[first : first + len(expected) - 1] = np.where(np.diff(expected) > 0, YES, NO)
        labelled = cells.sizes * (sequences.totals / sizes)[cells.strata]
        return cls(sequences, answers, labelled, labelled * share[cells.strata], confidence)

    def estimate(self, metric: str, place: int) -> EstimateResult:
        """One of SUPPORTED_METRICS of the classifier in this place."""
        exact = self._exact(metric, place)
        if exact is not None:
            return exact
        if metric == "precision":
            return self._metrics.precision(place), self._labels(place), "recycled sample, Wilson"
        if metric == "false_omission_rate" and place == self.sequences.parent:
            return self._metrics.omission, self._omission_labels, "stratified share, FF/MID"
        found = self._metrics.recall(place) if metric == "recall" else self._metrics.false_omission_rate(place)
        method = f"recycled totals, MOVER; {found.note}" if found.note else "recycled totals, MOVER"
        return found.result, self._labels(place, self.sequences.parent) + self._omission_labels, method

    def _exact(self, metric: str, place: int) -> EstimateResult | None:
        """The value, where every item that the metric is about has a label."""
        cells = self.sequences.cells
        a, b = cells.positive[:, place], cells.negative[:, place]
        about = {"precision": a, "recall": a | b, "false_omission_rate": b}[metric]
        part = self.positive[b if metric == "false_omission_rate" else a].sum()
        whole = (self.positive if metric == "recall" else cells.sizes)[about].sum()
        if whole == 0 or (self.labelled[about] < cells.sizes[about]).any():
            return None
        value, items = float(part / whole), float(cells.sizes[about].sum())
        return IntervalEstimate(value, value, value, items), round(items), "all items are labelled"

    @cached_property
    def _metrics(self) -> DerivedMetrics:
        sequences, here = self.sequences, self.sequences.omission_strata
        cells = sequences.cells
        sizes, labels, yes = (cells.by_stratum(each)[here] for each in (cells.sizes, self.labelled, self.positive))
        omission = false_omission_rate(sizes.astype(np.int64), labels, yes, self.confidence)
        found = estimate_precisions(sequences.draw, self.answers)
        return DerivedMetrics(sequences.patterns, sequences.parent, found, omission, self.confidence)

    def _labels(self, *places: int) -> int:
        """Labelled items in the sequences of these classifiers.

        Of several, those that the parent calls negative are left out: `_omission_labels` counts them.
        """
        draw, patterns = self.sequences.draw, self.sequences.patterns
        numbers = np.unique(np.concatenate([draw.items_of(place) for place in places]))
        pattern_of_number = np.repeat(np.arange(len(patterns.names)), draw.totals)
        left_out = patterns.negative[pattern_of_number[numbers], self.sequences.parent] & (len(places) > 1)
        return int(((self.answers[numbers] != NO_ANSWER) & ~left_out).sum())

    @property
    def _omission_labels(self) -> int:
        cells = self.sequences.cells
        return round(float(cells.by_stratum(self.labelled)[self.sequences.omission_strata].sum()))


def _answers(sequences: ClassifierSequences, items: LabelledItems) -> Counts:
    """The answers by number: the smallest digests of a stratum have its numbers, in ascending order."""
    order, strata = order_by_random_number(items.candidates, sequences.cells.strata)
    rank = np.arange(len(strata)) - np.searchsorted(strata, strata)
    number_of = np.full(len(order), -1, dtype=np.int64)
    inside = rank < sequences.sequence_totals[strata]
    number_of[order[inside]] = sequences.first_item_number[strata[inside]] + rank[inside]
    numbers = number_of[items.rows]
    answers = np.full(sequences.draw.labels, NO_ANSWER, dtype=np.int64)
    answers[numbers[numbers >= 0]] = np.where(items.positive[numbers >= 0] > 0, YES, NO)
    return answers
