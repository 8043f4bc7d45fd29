"""Ten unlike populations with the truth about every item; the same numbers on every machine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_UNLABELLED: Final = 0.02
"""Share of the items about which people cannot decide."""


@dataclass(frozen=True)
class Population:
    """A frame, what a study is told about its columns, and what people would say about every item."""

    frame: pd.DataFrame
    columns: Mapping[str, Any]
    truth: Mapping[str, bool | None]
    budget: int
    margin: float
    classifiers: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Shape:
    """What makes one population unlike another."""

    seed: int
    items: int
    classifiers: int = 3
    intercept: float = -2.0
    noise: float = 0.8
    cut_off: float = 0.4
    budget: int = 200
    margin: float = 0.08
    null_calls: float = 0.0
    null_scores: float = 0.0
    unscored: int = 0
    clusters: int = 0
    segments: bool = False
    auxiliary: int = 0
    margins: bool = False


SHAPES: Final[Mapping[str, Shape]] = {
    "one classifier": Shape(1, 4_000, classifiers=1),
    "three classifiers": Shape(2, 8_000),
    "twelve classifiers": Shape(3, 4_000, classifiers=12, budget=600, margin=0.1),
    "rare positives": Shape(4, 20_000, intercept=-5.5, noise=0.5, cut_off=0.2, budget=300, margin=0.12),
    "null calls": Shape(5, 5_000, classifiers=4, null_calls=0.25, null_scores=0.15, unscored=1),
    "clusters": Shape(6, 6_000, classifiers=2, clusters=150, margin=0.07),
    "segments": Shape(7, 6_000, segments=True, budget=300),
    "auxiliary scores": Shape(8, 6_000, classifiers=2, auxiliary=2, unscored=1, noise=1.5),
    "margins": Shape(9, 5_000, classifiers=4, margins=True, noise=0.5, budget=150),
    "few items": Shape(10, 160, classifiers=2, intercept=0.5, budget=100, margin=0.05),
}


@cache
def population(name: str, period: int) -> Population:
    """A population in a period: half of its items are those of the period before, and positives become more."""
    shape = SHAPES[name]
    first = _items(shape, shape.seed, 0, 0.0)
    if period == 0:
        return _population(shape, first)
    later = _items(shape, 100 + shape.seed, 1, 0.3)
    return _population(shape, pd.concat([first.iloc[::2], later.iloc[1::2]], ignore_index=True))


def _population(shape: Shape, frame: pd.DataFrame) -> Population:
    names = tuple(f"c{number}" for number in range(shape.classifiers))
    scored = shape.classifiers - shape.unscored
    columns: dict[str, Any] = {
        "item": "id",
        "classifiers": {
            name: (f"score_{name}" if number < scored else None, f"call_{name}") for number, name in enumerate(names)
        },
        "segments": ["country", "product"] if shape.segments else [],
        "auxiliary": [f"helper_{number}" for number in range(shape.auxiliary)],
        "score_kind": "margin" if shape.margins else "probability",
        "cluster": "customer" if shape.clusters else None,
    }
    truth = {
        str(item): None if undecided else bool(true)
        for item, true, undecided in zip(frame["id"], frame["true"], frame["undecided"], strict=True)
    }
    shown = frame.drop(columns=["true", "undecided"])
    return Population(shown, columns, truth, shape.budget, shape.margin, names)


def _items(shape: Shape, seed: int, period: int, shift: float) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    customer = rng.integers(max(shape.clusters, 1), size=shape.items)
    mood = rng.normal(size=max(shape.clusters, 1)) * (1.2 if shape.clusters else 0.0)
    risk = shape.intercept + shift + 1.8 * rng.normal(size=shape.items)
    columns: dict[str, Any] = {
        "id": [f"p{period}-{number}" for number in range(shape.items)],
        "true": rng.random(shape.items) < _logistic(risk + mood[customer]),
        "undecided": rng.random(shape.items) < _UNLABELLED,
    }
    for number in range(shape.classifiers):
        margin = risk + shape.noise * (1 + 0.1 * number) * rng.normal(size=shape.items)
        score = np.where(rng.random(shape.items) < shape.null_scores, np.nan, margin)
        called = margin > np.log(shape.cut_off / (1 - shape.cut_off)) + 0.15 * (number % 5)
        silent = rng.random(shape.items) < shape.null_calls
        columns[f"score_c{number}"] = score if shape.margins else _logistic(score)
        said = [None if quiet else bool(call) for quiet, call in zip(silent, called, strict=True)]
        columns[f"call_c{number}"] = said if shape.null_calls else called
    for number in range(shape.auxiliary):
        columns[f"helper_{number}"] = _logistic((1 - 0.6 * number) * risk + 0.5 * rng.normal(size=shape.items))
    if shape.clusters:
        columns["customer"] = [f"k{number}" for number in customer]
    if shape.segments:
        columns["country"] = rng.choice(["DE", "FR", "IT"], shape.items, p=[0.6, 0.3, 0.1])
        missing = rng.random(shape.items) < 0.2
        products = rng.choice(["a", "b"], shape.items)
        columns["product"] = [None if gone else str(one) for gone, one in zip(missing, products, strict=True)]
    return pd.DataFrame(columns)


def _logistic(values: Floats) -> Floats:
    return 1 / (1 + np.exp(-values))
