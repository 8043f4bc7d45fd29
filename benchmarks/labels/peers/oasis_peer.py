"""oasis: adaptive importance sampling for the weighted F-measure (Marchant and Rubinstein 2017)."""

import warnings
from importlib import import_module
from typing import Final

import numpy as np

from benchmarks.labels.peers.peer import Answer, Ask, Task

_STRATA: Final = {"stratification_n_strata": 30, "stratification_n_bins": 1000}
"""Given, because its own way to find them needs a SciPy of years ago."""


class Oasis:
    name = "oasis"
    module: str | None = "oasis"
    install = "pip install oasis tables"
    how = "alpha 1 for precision, 0 for recall; 30 strata by its rule; it gives no interval"

    def prepare(self, task: Task, labels: int) -> Ask:
        sampler = import_module("oasis").OASISSampler
        alpha = 1.0 if task.metric == "precision" else 0.0
        predictions, truth = task.calls.astype(int), task.truth.astype(int)

        def ask(rng: np.random.Generator) -> Answer:
            np.random.seed(int(rng.integers(2**31)))  # noqa: NPY002 - oasis draws from the global generator
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                one = sampler(
                    alpha, predictions, task.scores, truth.__getitem__, proba=True, max_iter=100 * labels, **_STRATA
                )
                one.sample_distinct(labels)
            return Answer(float(np.ravel(one.estimate_[one.t_ - 1])[0]), np.nan, np.nan, labels)

        return ask
