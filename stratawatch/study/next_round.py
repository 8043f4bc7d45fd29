"""The next round of a study: at most two, or as many as the goals need when looks are paid for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, pi
from typing import Final

from stratawatch.core.design import Design
from stratawatch.core.history import History
from stratawatch.core.ledger import Ledger
from stratawatch.core.results import Commission, Goal, Known, Plan
from stratawatch.core.rounds import most_rounds
from stratawatch.study.progress import Progress

_LEAST_ADDED: Final = 10
_LEAST_SHARE: Final = 0.05
"""Smallest later round of a sequential study: looks cost confidence, so none is spent on a handful of labels."""
_TIGHTER: Final = 0.9
_MOST_TIGHTENINGS: Final = 60
_POOL_FACTOR: Final = 3


def look_confidence(confidence: float, look: int) -> float:
    """The confidence of the r-th look: 1 - alpha 6/(pi^2 r^2). All looks together miss at most alpha (Bonferroni).

    >>> [round(look_confidence(0.95, look), 4) for look in (1, 2, 3)]
    [0.9696, 0.9924, 0.9966]
    """
    return 1 - (1 - confidence) * 6 / (pi**2 * max(look, 1) ** 2)


@dataclass(frozen=True)
class TwoRounds:
    """The rounds of a cycle: one for small budgets, two otherwise."""

    commission: Commission
    history: History

    def next(self, design: Design, progress: Progress) -> Plan | None:
        """The plan of the next round; None when there is none."""
        ordinal = len(progress.rounds) + 1
        if ordinal > most_rounds(self.commission):
            return None
        return _planned(design, self.commission, progress, ordinal, self.history)


@dataclass(frozen=True)
class UntilGoalsHold:
    """Rounds until every goal holds at the confidence that its look leaves, or until nothing is left to label.

    `margins` are those that labels can reach; `larger` makes the same design with pools of at least these sizes.
    """

    commission: Commission
    history: History
    margins: Mapping[tuple[str, str], float]
    larger: Callable[[Sequence[int]], Design]

    def next(self, design: Design, progress: Progress) -> Plan | None:
        """The plan of the next round; None when the goals hold or cannot be brought nearer."""
        look = len(progress.rounds)
        wanted = replace(self.commission, confidence=look_confidence(self.commission.confidence, look + 1))
        if look == 0:
            return _planned(design, wanted, progress, 1, self.history)
        if self._hold(design, progress, look_confidence(self.commission.confidence, look)):
            return None
        drawn = progress.rounds[-1].plan.totals
        design = self.larger([_POOL_FACTOR * total for total in drawn])
        enough = sum(drawn) + max(_LEAST_ADDED, ceil(_LEAST_SHARE * sum(drawn)))
        best: Plan | None = None
        for step in range(_MOST_TIGHTENINGS):
            plan = _planned(design, _tightened(wanted, _TIGHTER**step), progress, 2, self.history)
            if best is None or plan.labels > best.labels:
                best = plan
            if plan.labels >= enough:
                break
        return best

    def _hold(self, design: Design, progress: Progress, confidence: float) -> bool:
        """Whether every goal's interval is narrow enough."""
        metrics = list(dict.fromkeys(metric for _, metric in self.margins))
        found = design.estimate(Ledger(progress.verdicts), progress.drawn, confidence=confidence, metrics=metrics)
        widths = {
            (one.classifier, one.metric): one.outcome.half_width for one in found if isinstance(one.outcome, Known)
        }
        return all(widths.get(name, inf) <= margin for name, margin in self.margins.items())


def _planned(design: Design, commission: Commission, progress: Progress, ordinal: int, history: History) -> Plan:
    return design.plan(
        commission,
        Ledger(progress.verdicts),
        progress.drawn,
        ordinal=ordinal,
        history=history,
        reused=progress.reused,
    )


def _tightened(commission: Commission, factor: float) -> Commission:
    goals = tuple(Goal(goal.metric, goal.margin * factor, goal.of) for goal in commission.goals)
    return replace(commission, goals=goals)
