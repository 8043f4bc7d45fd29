"""Why a metric cannot be estimated, in words for people."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.metrics import A, B, RatioMetric
from stratawatch.core.population import Floats
from stratawatch.formatting import count, whole_percent

MAX_UNLABELLED_SHARE: Final = 0.10
"""Largest share of a metric's items that may lie in strata without any answer."""

Place = tuple[int, ...]


def is_defined(metric: RatioMetric, sides: SideEstimates) -> Flags:
    """Where the labels suffice to estimate the metric."""
    found = np.zeros(sides.sizes.shape[:-1], dtype=np.bool_)
    for flags, _ in _obstacles(metric, sides, None):
        found |= flags
    return ~found


def undefined_reason(metric: RatioMetric, sides: SideEstimates, place: Place) -> str:
    """The first reason why the metric cannot be estimated at this place."""
    return next(words for flags, words in _obstacles(metric, sides, place) if flags[place])


def _obstacles(metric: RatioMetric, sides: SideEstimates, place: Place | None) -> Iterator[tuple[Flags, str]]:
    """Where each obstacle is met, and the words for it at one place (None: no words)."""
    of = list(metric.sides)
    both = len(of) > 1
    whole = "it judged" if both else f"it calls {_whose(of[0])}"
    sizes, labels, unseen = sides.sizes[..., of], sides.labels[..., of], sides.unlabelled_strata[..., of].sum(axis=-1)
    size, answers = sizes.sum(axis=-1), labels.sum(axis=-1)
    items, used, hidden = ("", "", "") if place is None else _words(size[place], answers[place], unseen[place])
    yield size == 0, "it judged no item" if both else f"it calls no item {_whose(of[0])}"
    yield answers == 0, f"no label among the {items} items {whole}"
    for i, side in enumerate(of if both else []):
        here = "" if place is None else count(sizes[(*place, i)])
        flags = (sizes[..., i] > 0) & (labels[..., i] == 0)
        yield flags, f"no label among the {here} items it calls {_whose(side)}"
    most, too_many = whole_percent(MAX_UNLABELLED_SHARE), unseen > MAX_UNLABELLED_SHARE * size
    yield too_many, f"{hidden} of the items {whole} are in groups without a label; at most {most} may be"
    members, word = _members_at_least(metric, sides)
    yield members == 0, f"no {word} among the {used} labels"


def _members_at_least(metric: RatioMetric, sides: SideEstimates) -> tuple[Floats, str]:
    """Items that are surely among those that the metric is a share of, and the verdict that their labels must have.

    Where both outcomes of a side are members, all its items are, whatever labels say; else those with the right label.
    """
    tp, fp, fn, tn = metric.members
    found, words = np.zeros(sides.sizes.shape[:-1]), set()
    for side, positive, negative in ((A, tp, fp), (B, fn, tn)):
        if positive and negative:
            found = found + sides.sizes[..., side]
        elif positive or negative:
            words.add("positive" if positive else "negative")
            found = found + (sides.yes if positive else sides.labels - sides.yes)[..., side]
    return found, " or ".join(sorted(words, reverse=True))


def _words(size: float, answers: float, unseen: float) -> tuple[str, str, str]:
    return count(size), count(answers), whole_percent(unseen / max(size, 1))


def _whose(side: int) -> str:
    return "positive" if side == A else "negative"
