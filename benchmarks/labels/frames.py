"""Real labelled data sets: calls and scores of several classifiers, and every item's true label."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.labels.cycle import Period
from benchmarks.labels.peers.peer import Metric, Task
from benchmarks.labels.worlds import Flags, Floats, Items

VOTE: Final = "vote"
"""A majority has no score of its own: the shipped one is a mean of the others'."""


@dataclass(frozen=True)
class Frame:
    """A data set; `calls` and `scores` have a column a classifier, scores are linked and NaN for a vote."""

    classifiers: tuple[str, ...]
    calls: Flags
    scores: Floats
    truth: Flags

    def task(self, classifier: str, metric: Metric) -> Task:
        """One metric of one classifier, as peers see it."""
        column = self.classifiers.index(classifier)
        return Task(metric, self.calls[:, column], self.scores[:, column], self.truth)

    def period(self, *classifiers: str) -> Period:
        """The items with some of the classifiers (none named: all), as the product sees them."""
        named = classifiers or self.classifiers
        columns = [self.classifiers.index(name) for name in named]
        z = np.nanmean(self.scores[:, columns], axis=1)
        return Period(named, Items(self.calls[:, columns], z, self.truth, np.full(len(z), np.nan)))


def load(path: Path) -> Frame:
    """Read a data set: columns label, score_NAME and pred_NAME; scores outside [0, 1] are margins."""
    import duckdb

    with duckdb.connect() as session:
        table = session.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchnumpy()
    names = tuple(name.removeprefix("pred_") for name in table if name.startswith("pred_"))
    return Frame(
        classifiers=names,
        calls=np.column_stack([np.asarray(table[f"pred_{name}"]) == 1 for name in names]),
        scores=np.column_stack([_linked(name, np.asarray(table[f"score_{name}"], dtype=np.float64)) for name in names]),
        truth=np.asarray(table["label"]) == 1,
    )


def _linked(name: str, scores: Floats) -> Floats:
    if name == VOTE:
        return np.full(len(scores), np.nan)
    if scores.min() < 0 or scores.max() > 1:
        return np.asarray(1 / (1 + np.exp(-np.clip(scores, -700, 700))), dtype=np.float64)
    return scores
