"""Shares of known sets of items, stratum by stratum: what labels say of them, and how well they will be known."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.estimate import Estimate, Known, Undefined
from stratawatch.core.estimation.estimates import Request, part
from stratawatch.core.estimation.interval import z
from stratawatch.core.labelled_sample import Labelled
from stratawatch.core.population import Atom, Counts, Floats, Segment
from stratawatch.literature.kumar.allocations import LEAST_LABELS
from stratawatch.literature.kumar.estimation import stratified_share, wald
from stratawatch.literature.kumar.variances import stratified_variance

METHOD: Final = "stratified share, Wald"


@dataclass(frozen=True)
class Share:
    """A metric as the share of a set of items that can be counted without labels.

    The set: what a classifier calls positive, negative, or either. `yes_on` says of a positive and of a negative call
    which answer counts as yes.
    """

    positive: bool
    negative: bool
    yes_on: tuple[bool, bool]

    @property
    def of_all(self) -> bool:
        """Whether it is a share of everything that was judged."""
        return self.positive and self.negative

    @property
    def calls(self) -> str:
        """What the classifier does with the items of the set."""
        return "judged" if self.of_all else f"calls {'positive' if self.positive else 'negative'}"

    def same_items(self, other: "Share") -> bool:
        """Whether both are shares of one set."""
        return (self.positive, self.negative) == (other.positive, other.negative)

    def domain(self, cells: Cells, place: int) -> Flags:
        """The cells of the set."""
        inside = (cells.positive[:, place] & self.positive) | (cells.negative[:, place] & self.negative)
        return np.asarray(inside)

    def counted(self, cells: Cells, place: int, answered: Floats, yes: Floats) -> Floats:
        """Of answers by cell, those that count as yes."""
        flipped = np.where(cells.positive[:, place], not self.yes_on[0], not self.yes_on[1])
        return np.where(flipped, answered - yes, yes)


SHARES: Final[Mapping[str, Share]] = {
    "precision": Share(positive=True, negative=False, yes_on=(True, True)),
    "false_omission_rate": Share(positive=False, negative=True, yes_on=(True, True)),
    "negative_predictive_value": Share(positive=False, negative=True, yes_on=(False, False)),
    "accuracy": Share(positive=True, negative=True, yes_on=(True, False)),
    "prevalence": Share(positive=True, negative=True, yes_on=(True, True)),
}
"""The others are shares of positives, or of negatives, and only labels tell how many there are."""


@dataclass(frozen=True)
class _Counts:
    """A set of items by stratum: how many there are, those with an answer, those whose answer is yes."""

    sizes: Floats
    labels: Floats
    yes: Floats

    @classmethod
    def of(cls, cells: Cells, place: int, share: Share, columns: tuple[Floats, Floats, Floats]) -> "_Counts":
        """From sizes, answers and yes answers by cell."""
        sizes, answered, yes = columns
        inside = share.domain(cells, place)
        said = share.counted(cells, place, answered, yes)
        return cls(*(cells.by_stratum(column * inside) for column in (sizes, answered, said)))


def estimate(
    cells: Cells, atoms: Sequence[Atom], known: Labelled, request: Request, lacks: Callable[[str, str], str]
) -> tuple[Estimate, ...]:
    """Every segment x classifier x metric; `lacks` says why a metric of a classifier is not told, if it is not."""
    answers = known.everywhere
    everything = cells.sizes, answers.answered.sum(axis=0), answers.yes.sum(axis=0)
    found = []
    for segment in request.segments:
        columns = everything if segment is None else _inside(atoms, known, segment)
        where = "" if segment is None else f" in {segment}"
        for place, name in enumerate(cells.classifiers):
            for metric in request.metrics:
                outcome: Known | Undefined
                if why := lacks(metric, name):
                    outcome, labels = Undefined(why), 0
                else:
                    outcome, labels = _read(cells, place, SHARES[metric], columns, request.confidence)
                    if isinstance(outcome, Undefined):
                        outcome = Undefined(outcome.reason + where)
                found.append(Estimate(name, metric, segment, outcome, labels, METHOD, request.confidence))
    return tuple(found)


def expected_half_width(
    cells: Cells, place: int, share: Share, totals: Counts, rates: Floats, confidence: float
) -> float:
    """What an interval should be like with so many labels from each stratum; infinite where some get too few."""
    drawn = cells.sizes * (totals / np.maximum(cells.stratum_sizes, 1))[cells.strata]
    expected = _Counts.of(cells, place, share, (cells.sizes, cells.sizes, cells.sizes * rates))
    served = expected.sizes > 0
    sizes = np.rint(expected.sizes[served]).astype(np.int64)
    labels = cells.by_stratum(drawn * share.domain(cells, place))[served]
    if sizes.size == 0 or (labels < np.minimum(LEAST_LABELS, sizes)).any():
        return np.inf
    variance = stratified_variance(sizes, expected.yes[served] / sizes, labels)
    return min(z(confidence) * float(np.sqrt(max(variance, 0.0))), 0.5)


def _inside(atoms: Sequence[Atom], known: Labelled, segment: Segment) -> tuple[Floats, Floats, Floats]:
    found = part(atoms, known, segment)
    return found.sizes, found.answers.answered.sum(axis=0), found.answers.yes.sum(axis=0)


def _read(
    cells: Cells, place: int, share: Share, columns: tuple[Floats, Floats, Floats], confidence: float
) -> tuple[Known | Undefined, int]:
    counts = _Counts.of(cells, place, share, columns)
    served = counts.sizes > 0
    sizes, labels, yes = (
        np.rint(column[served]).astype(np.int64) for column in (counts.sizes, counts.labels, counts.yes)
    )
    used, without = int(labels.sum()), int((labels == 0).sum())
    if sizes.size == 0:
        return Undefined(f"there is no item that it {share.calls}"), 0
    if without:
        strata = "" if without == len(sizes) else f" in {without} of {len(sizes)} strata"
        return Undefined(f"no label among the items that it {share.calls}{strata}"), used
    return wald(stratified_share(sizes, labels, yes), confidence), used
