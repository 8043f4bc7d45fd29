"""From populations to a table and to verdicts."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

import numpy as np

from benchmarks.cold_goals.cycles import HELD, Found
from benchmarks.coverage.scores import surely_below
from benchmarks.shape import Row, Verdict

MOST: Final = 1.2
"""Labels that goals may take, of the smallest budget that holds them."""
COVERED: Final = 0.94
MOST_LEAN: Final = 0.08
"""Standard errors by which the values of a metric may be off on average, as in `benchmarks.coverage`."""


def rows(found: Sequence[Found]) -> list[Row]:
    """A row for each population."""
    return [
        {
            "group": one.world.group,
            "population": one.world.name,
            "positives": one.world.family.prevalence,
            "margins": ", ".join(f"{goal.metric} {100 * goal.margin:.4g}" for goal in one.world.goals),
            "forecast": one.forecast,
            "labels": float(one.goals.labels.mean()),
            "90%": float(np.quantile(one.goals.labels, 0.9)),
            "budget": one.budget,
            "of budget": one.ratio,
            "held": float(one.goals.held.mean()),
            "widest goal, median": float(np.median(one.goals.widths.max(axis=1))),
            "coverage": float(np.nanmean(one.goals.right)),
        }
        for one in found
    ]


def verdicts(found: Sequence[Found]) -> list[Verdict]:
    """Labels and goals of every population of a group, coverage of all together."""
    answer = []
    for group, members in groupby(found, key=lambda one: one.world.group):
        several = list(members)
        short = sum(surely_below(int(one.goals.held.sum()), len(one.goals.held), HELD) for one in several)
        lowest = min(float(one.goals.held.mean()) for one in several)
        answer += [
            Verdict(f"{group}: labels of the smallest budget, most", "must", max(_ratios(several)), MOST, "<="),
            Verdict(f"{group}: the same, mean", "aim", float(np.mean(_ratios(several))), 1.1, "<="),
            Verdict(f"{group}: populations surely held below {HELD}, of {len(several)}", "must", short, 0, "<="),
            Verdict(f"{group}: all goals held, least", "aim", lowest, HELD, ">="),
        ]
    covered = float(np.mean([np.nanmean(one.goals.right) for one in found]))
    return [*answer, Verdict("coverage", "must", covered, COVERED, ">="), *_leans(found)]


def _leans(found: Sequence[Found]) -> Iterator[Verdict]:
    """By how much the values of each metric are off on average, over all goals of all populations.

    An aim: later rounds go where goals are open, which depends on the labels of earlier ones.
    """
    by_metric: dict[str, list[float]] = {}
    for one in found:
        each = np.split(one.goals.leans, len(one.world.goals))
        for goal, of_goal in zip(one.world.goals, each, strict=True):
            by_metric.setdefault(goal.metric, []).extend(of_goal.tolist())
    for metric, leans in sorted(by_metric.items()):
        name = f"{metric.replace('_', ' ')}: mean lean of values, in standard errors"
        yield Verdict(name, "aim", abs(float(np.nanmean(leans))), MOST_LEAN, "<=")


def _ratios(found: Sequence[Found]) -> list[float]:
    return [one.ratio for one in found]
