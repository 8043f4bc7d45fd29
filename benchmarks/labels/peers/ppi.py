"""ppi-python: prediction-powered inference with power tuning, PPI++ (Angelopoulos, Duchi and Zrnic 2023)."""

from importlib import import_module

import numpy as np

from benchmarks.labels.peers.peer import Answer, Ask, Task, truth_at


class Ppi:
    name = "ppi-python"
    module: str | None = "ppi_py"
    install = "pip install ppi-python"
    how = "a random sample, power-tuned mean; recall: a ratio of two means, interval of the linearised mean"

    def prepare(self, task: Task, labels: int) -> Ask:
        ppi = import_module("ppi_py")
        rows, p = task.frame, task.scores[task.frame]

        def ask(rng: np.random.Generator) -> Answer:
            order = rng.permutation(len(rows))
            chosen, rest = order[:labels], order[labels:]
            y = truth_at(task, rows[chosen])
            parts = [
                ppi.ppi_mean_pointestimate(
                    task.parts(y, rows[chosen])[:, part],
                    task.parts(p[chosen], rows[chosen])[:, part],
                    task.parts(p[rest], rows[rest])[:, part],
                )
                for part in range(1 if task.metric == "precision" else 2)
            ]
            size = 1.0 if task.metric == "precision" else float(np.ravel(parts[1])[0])
            value = float(np.ravel(parts[0])[0]) / size
            low, high = ppi.ppi_mean_ci(
                task.residual(y, rows[chosen], value),
                task.residual(p[chosen], rows[chosen], value),
                task.residual(p[rest], rows[rest], value),
                alpha=0.05,
            )
            offset = 0.0 if task.metric == "precision" else value
            return Answer(
                value, offset + float(np.ravel(low)[0]) / size, offset + float(np.ravel(high)[0]) / size, labels
            )

        return ask
