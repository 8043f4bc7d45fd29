"""Estimates as people get them: their order, their words, their segments."""

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.metric_estimates import EstimationRequest, estimate_metrics
from stratawatch.core.labelled_sample import FOLDS, LabelCounts, LabelledSample
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Atom, Segment

NORTH, SOUTH = Segment("region", "north"), Segment("region", "south")
ATOMS = (
    Atom("11", 900, 1000, 400, 0.9, {NORTH: 100, SOUTH: 300}, 0),
    Atom("10", 500, 899, 200, 0.7, {NORTH: 50, SOUTH: 150}, 1),
    Atom("00", 0, 899, 9400, 0.02, {NORTH: 2350, SOUTH: 7050}, 2),
)
CELLS = Cells.of_atoms(("a", "b"), ATOMS)


def made(answered, yes, north=0.25) -> LabelledSample:
    n, k = (np.tile(np.array(column) / FOLDS, (FOLDS, 1)) for column in (answered, yes))
    parts = {NORTH: LabelCounts(north * n, north * k), SOUTH: LabelCounts((1 - north) * n, (1 - north) * k)}
    return LabelledSample(np.array(answered), n, k, segments=parts)


def asked(known, metrics=("precision",), segments=(None,)):
    return estimate_metrics(CELLS, ATOMS, known, EstimationRequest(0.95, metrics, segments))


PLENTY = made((200, 100, 1000), (190, 60, 10))


def test_come_by_segment_then_classifier_then_metric():
    found = asked(PLENTY, ("recall", "precision"), (None, SOUTH))
    assert [(e.segment, e.classifier, e.metric) for e in found] == [
        (segment, name, metric) for segment in (None, SOUTH) for name in "ab" for metric in ("recall", "precision")
    ]


def test_parts_that_are_alike_are_estimated_alike():
    """A quarter of everything lives in the north, and answers there as everybody does."""
    whole, north = (asked(PLENTY, tuple(METRICS), (part,)) for part in (None, NORTH))
    for one, part in zip(whole, north, strict=True):
        assert part.result.value == pytest.approx(one.result.value)
        assert part.result.half_width > one.result.half_width
        assert part.labels_used == pytest.approx(one.labels_used / 4)


@pytest.mark.parametrize(
    ("known", "method"),
    [
        (made((200, 100, 1000), (150, 60, 10)), "difference estimate, logit"),
        (made((200, 100, 1000), (200, 100, 10)), "difference estimate, FF/MID"),
        (made((200, 100, 1000), (194, 90, 10)), "difference estimate, FF/MID blended with logit"),
    ],
)
def test_say_how_they_came_about(known, method):
    assert asked(known)[0].method == method


def test_what_cannot_be_told_says_where():
    nothing = made((200, 100, 1000), (190, 60, 10), north=0.0)
    told, untold = asked(nothing, segments=(SOUTH, NORTH))[::2]
    assert isinstance(told.result, IntervalEstimate)
    assert untold.result == Undefined("no label among the 150 items it calls positive in region=north")


def test_without_any_label_nothing_can_be_told():
    for estimate in asked(made((0, 0, 0), (0, 0, 0)), tuple(METRICS)):
        assert isinstance(estimate.result, Undefined)
        assert estimate.labels_used == 0


def test_without_any_item_nothing_can_be_told():
    cells = Cells.of_atoms(("a",), ())
    nothing = np.zeros((FOLDS, 0))
    found = estimate_metrics(
        cells,
        (),
        LabelledSample(np.zeros(0, dtype=int), nothing, nothing),
        EstimationRequest(0.95, tuple(METRICS), (None,)),
    )
    assert len(found) == len(METRICS)
    assert all(isinstance(estimate.result, Undefined) for estimate in found)
