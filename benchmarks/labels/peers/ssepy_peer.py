"""ssepy: stratify by k-means on the proxies, Neyman allocation, difference estimator (Fogliato et al. 2024)."""

import random
from copy import copy
from importlib import import_module
from typing import Any, Final

import numpy as np

from benchmarks.labels.peers.peer import Answer, Ask, Integers, Task, truth_at, wald

_STRATA: Final = 10
_LEAST_VARIANCE: Final = 1e-4


class Ssepy:
    name = "ssepy"
    module: str | None = "ssepy"
    install = "pip install --no-deps ssepy"
    how = "10 k-means strata, Neyman from the scores, difference estimator; recall: a ratio of two means, linearised"

    def prepare(self, task: Task, labels: int) -> Ask:
        from sklearn.cluster import KMeans

        rows, p = task.frame, task.scores[task.frame]
        proxies = task.parts(p, rows)
        evaluator = import_module("ssepy").ModelPerformanceEvaluator(Yh=proxies, budget=labels)
        evaluator.stratify_data(KMeans(n_clusters=_STRATA, random_state=0, n_init="auto"), X=proxies)
        effect = task.residual(np.ones_like(p), rows, task.guess) ** 2
        variances = effect * np.maximum(p * (1 - p), _LEAST_VARIANCE)
        strata = np.unique(evaluator.strata_labels, return_inverse=True)[1]
        means = np.bincount(strata, weights=variances) / np.bincount(strata)

        def ask(rng: np.random.Generator) -> Answer:
            seed = int(rng.integers(2**31))
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002 - ssepy draws from the global generators
            one = copy(evaluator)
            one.allocate_budget("neyman", variances=means)
            chosen = one.sample("ssrs")
            y = truth_at(task, rows[chosen])
            means_found, _ = one.compute_estimate(task.parts(y, rows[chosen]), estimator="df")
            value = float(means_found[0] / (means_found[1] if len(means_found) > 1 else 1.0))
            size = float(means_found[1]) if len(means_found) > 1 else 1.0
            return wald(value, _variance(task, one, rows, chosen, value) / size**2, len(chosen))

        return ask


def _variance(task: Task, evaluator: Any, rows: Integers, chosen: Integers, value: float) -> float:
    """The variance of the mean residual, by a second difference estimate from the same labels."""
    sampler = copy(evaluator.sampler)
    sampler.Yh = task.residual(task.scores[rows], rows, value)[:, None]
    residual = copy(evaluator)
    residual.sampler = sampler
    y = truth_at(task, rows[chosen])
    return float(residual.compute_estimate(task.residual(y, rows[chosen], value), estimator="df")[1][0])
