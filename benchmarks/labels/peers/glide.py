"""glide-py: active statistical inference, chances in proportion to uncertainty (Zrnic and Candès 2024)."""

import warnings
from importlib import import_module
from typing import Final

import numpy as np

from benchmarks.labels.peers.peer import CERTAIN, Answer, Ask, Floats, Task, truth_at

_NEARLY_SURE: Final = 1 - 1e-6
"""A chance that rounding cannot lift above 1."""


class Glide:
    name = "glide-py"
    module: str | None = "glide"
    install = "pip install --ignore-requires-python --no-deps glide-py"
    how = "active sampling by |g| sqrt(s (1 - s)), power-tuned mean; recall: a ratio of two means, linearised"

    def prepare(self, task: Task, labels: int) -> Ask:
        sampler = import_module("glide.samplers").ActiveSampler()
        estimator = import_module("glide.estimators").ASIMeanEstimator()
        rows = task.frame
        p = np.clip(task.scores[rows], CERTAIN, 1 - CERTAIN)
        effect = np.abs(task.residual(np.ones_like(p), rows, task.guess))
        uncertainties = capped(effect * np.sqrt(p * (1 - p)), labels)

        def mean(labelled: Floats, proxy: Floats, chances: Floats) -> tuple[float, float, float]:
            found = estimator.estimate(labelled, proxy, chances).confidence_interval
            return float(found.mean), float(found.lower_bound), float(found.upper_bound)

        def ask(rng: np.random.Generator) -> Answer:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                chances, drawn = sampler.sample(uncertainties, labels, random_seed=int(rng.integers(2**31)))
                y = np.where(drawn == 1, truth_at(task, rows), np.nan)
                if task.metric == "precision":
                    return Answer(*mean(y, p, chances), int((drawn == 1).sum()))
                found, everything = task.parts(y, rows).T, task.parts(p, rows).T
                size = mean(found[1], everything[1], chances)[0]
                value = mean(found[0], everything[0], chances)[0] / size
                _, low, high = mean(task.residual(y, rows, value), task.residual(p, rows, value), chances)
            return Answer(value, value + low / size, value + high / size, int((drawn == 1).sum()))

        return ask


def capped(uncertainties: Floats, labels: int) -> Floats:
    """The same in proportion, but none that would be drawn more than surely: what glide's optimiser finds slowly.

    >>> import numpy as np
    >>> capped(np.array([8.0, 1.0, 1.0]), 2).round(3).tolist()
    [1.0, 0.5, 0.5]
    """
    sure = np.zeros(len(uncertainties), dtype=np.bool_)
    while True:
        chances = (labels - sure.sum()) * uncertainties / uncertainties[~sure].sum()
        if not (chances[~sure] > 1).any():
            return np.where(sure, _NEARLY_SURE, np.minimum(chances, _NEARLY_SURE))
        sure |= chances > 1
