"""activeeval: importance sampling that minimises variance, for precision and recall (Marchant and Rubinstein 2021)."""

from importlib import import_module

import numpy as np

from benchmarks.labels.peers.peer import CERTAIN, Answer, Ask, Task


class Activeeval:
    name = "activeeval"
    module: str | None = "activeeval"
    install = "pip install git+https://github.com/ngmarchant/activeeval"
    how = "static proposal of least variance from the scores; it gives no interval"

    def prepare(self, task: Task, labels: int) -> Ask:
        package, measures = import_module("activeeval"), import_module("activeeval.measures")
        kind = measures.Precision if task.metric == "precision" else measures.Recall
        pool = import_module("activeeval.pools").Pool(features=task.scores[:, None])
        p = np.clip(task.scores, CERTAIN, 1 - CERTAIN)
        response = np.column_stack([1 - p, p])
        proposals = import_module("activeeval.proposals")

        def ask(rng: np.random.Generator) -> Answer:
            measure = kind(task.calls.astype(int))
            seed = int(rng.integers(2**31))
            proposal = proposals.StaticVarMin(pool, measure, response, deterministic=True, random_state=seed)
            evaluator = package.Evaluator(pool, measure, proposal)
            seen: set[int] = set()
            for _ in range(100 * labels):
                if len(seen) >= labels:
                    break
                row, weight = evaluator.query()
                evaluator.update(row, int(task.truth[row]), weight)
                seen.add(int(np.ravel(row)[0]))
            return Answer(float(np.ravel(evaluator.estimate)[0]), np.nan, np.nan, len(seen))

        return ask
