"""svy: a stratified survey with Taylor linearisation, as a statistics office would do it."""

from importlib import import_module
from typing import Final

import numpy as np

from benchmarks.labels.peers.peer import Answer, Ask, Integers, Task, truth_at

_STRATA: Final = 5


class Svy:
    name = "svy"
    module: str | None = "svy"
    install = "pip install svy"
    how = "5 strata of equal size by score, proportional; proportion with a logit interval, recall as a ratio"

    def prepare(self, task: Task, labels: int) -> Ask:
        svy, polars = import_module("svy"), import_module("polars")
        groups = [np.sort(group) for group in np.array_split(task.frame[np.argsort(task.scores[task.frame])], _STRATA)]
        shares = _shares(labels, np.array([len(group) for group in groups]))

        def ask(rng: np.random.Generator) -> Answer:
            drawn = [rng.choice(group, n, replace=False) for group, n in zip(groups, shares, strict=True)]
            rows, stratum = np.concatenate(drawn), np.repeat(np.arange(_STRATA), shares)
            sizes = np.array([len(group) for group in groups], dtype=np.float64)[stratum]
            y = truth_at(task, rows)
            columns = {"stratum": stratum, "weight": sizes / np.array(shares)[stratum], "size": sizes, "y": y}
            data = polars.DataFrame(columns | {"found": y * task.calls[rows]})
            survey = svy.Sample(data, svy.Design(stratum="stratum", wgt="weight", pop_size="size")).estimation
            if task.metric == "precision" and len(np.unique(y)) == 1:
                return Answer(float(y[0]), float(y[0]), float(y[0]), labels)
            found = (survey.prop("y") if task.metric == "precision" else survey.ratio("found", "y")).to_polars()
            row = found.row(len(found) - 1, named=True)
            return Answer(row["est"], row["lci"], row["uci"], labels)

        return ask


def _shares(labels: int, sizes: Integers) -> list[int]:
    """Labels in proportion to sizes; the first strata get what is left over."""
    shares = labels * sizes // sizes.sum()
    shares[: labels - shares.sum()] += 1
    return [int(n) for n in shares]
