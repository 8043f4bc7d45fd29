"""Simple random sampling, and Wilson's interval."""

from math import sqrt

import numpy as np

from benchmarks.labels.peers.peer import Answer, Ask, Task, truth_at

_Z = 1.959963984540054


class PlainSampling:
    name = "plain sampling"
    module: str | None = None
    install = ""
    how = "a random sample of the positive calls, or of everything for recall; Wilson"

    def prepare(self, task: Task, labels: int) -> Ask:
        def ask(rng: np.random.Generator) -> Answer:
            rows = rng.choice(task.frame, labels, replace=False)
            y = truth_at(task, rows)
            asked = len(rows) if task.metric == "precision" else int(y.sum())
            return wilson(int((y * task.calls[rows]).sum()), asked, labels)

        return ask


def wilson(yes: int, asked: int, labels: int) -> Answer:
    """Wilson's interval; nothing asked is everything possible.

    >>> answer = wilson(8, 10, 10)
    >>> answer.value, round(answer.low, 3), round(answer.high, 3)
    (0.8, 0.49, 0.943)
    """
    if asked == 0:
        return Answer(0.5, 0.0, 1.0, labels)
    p, square = yes / asked, _Z**2
    centre = (p + square / (2 * asked)) / (1 + square / asked)
    width = _Z * sqrt(p * (1 - p) / asked + square / (4 * asked**2)) / (1 + square / asked)
    return Answer(p, max(centre - width, 0.0), min(centre + width, 1.0), labels)
