"""Every metric of every classifier, over everything and inside segments, from one set of labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stratawatch.core.cells import Cells, Flags
from stratawatch.core.estimation.metrics import metric_named
from stratawatch.core.estimation.sides import Moments, Side, moments, sides
from stratawatch.core.estimation.tallies import model_variance, population_tally, segment_tally
from stratawatch.core.labelled import Labelled
from stratawatch.core.population import Atom, Floats, Segment
from stratawatch.core.results import Estimate, Undefined


@dataclass(frozen=True)
class Request:
    """What is to be estimated; the segment None stands for everything."""

    confidence: float
    metrics: tuple[str, ...]
    segments: tuple[Segment | None, ...]


def estimates(cells: Cells, atoms: Sequence[Atom], known: Labelled, request: Request) -> tuple[Estimate, ...]:
    """One estimate for every segment x classifier x metric, in that order."""
    model = model_variance(cells, known.answered, known.yes)
    members = both_sides(cells)
    rows = [_moments(cells, atoms, known, model, members, segment) for segment in request.segments]
    found = iter(sides(rows, request.confidence))
    answer: list[Estimate] = []
    for segment in request.segments:
        positive = [next(found) for _ in cells.classifiers]
        negative = [next(found) for _ in cells.classifiers]
        for name, called, passed in zip(cells.classifiers, positive, negative, strict=True):
            answer += [_estimate(name, metric, segment, (called, passed), request) for metric in request.metrics]
    return tuple(answer)


def both_sides(cells: Cells) -> Flags:
    """Membership of cells in A of every classifier, then in B of every classifier."""
    return np.concatenate([cells.positive.T, cells.negative.T])


def _moments(
    cells: Cells, atoms: Sequence[Atom], known: Labelled, model: Floats, members: Flags, segment: Segment | None
) -> Moments:
    if segment is None:
        return moments(population_tally(cells, known.answered, known.yes, model), members)
    sizes = np.array([atom.segments.get(segment, 0) for atom in atoms], dtype=np.float64)
    answered, yes = known.inside(segment)
    return moments(segment_tally(cells, sizes, answered, yes, model, known.answered), members)


def _estimate(
    classifier: str, name: str, segment: Segment | None, pair: tuple[Side, Side], request: Request
) -> Estimate:
    metric = metric_named(name)
    positive, negative = pair
    outcome = metric.outcome(positive, negative, request.confidence)
    if segment is not None and isinstance(outcome, Undefined):
        outcome = Undefined(f"{outcome.reason} in {segment}")
    used = metric.labels(positive, negative)
    return Estimate(classifier, name, segment, outcome, used, metric.method, request.confidence)
