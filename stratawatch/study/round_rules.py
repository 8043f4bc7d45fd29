"""The next round of a study: one of a cycle's, or of as many as the goals need, each at a cost in confidence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, pi
from typing import Final

import numpy as np

from stratawatch.core.designs import design_of
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import History
from stratawatch.core.plan import Plan
from stratawatch.core.sampling import order_by_random_number
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.study.study_progress import StudyProgress

_LEAST_ADDED: Final = 10
_LEAST_GROWTH: Final = 0.05
# Later rounds of a sequential study, as shares of what is drawn: looks cost confidence, and forecasts may err.
_MOST_GROWTH: Final = 1.0
_POOL_FACTOR: Final = 3


def look_confidence(confidence: float, look: int) -> float:
    """The confidence of the r-th look: 1 - alpha 6/(pi^2 r^2). All looks together miss at most alpha (Bonferroni).

    >>> [round(look_confidence(0.95, look), 4) for look in (1, 2, 3)]
    [0.9696, 0.9924, 0.9966]
    """
    return 1 - (1 - confidence) * 6 / (pi**2 * max(look, 1) ** 2)


@dataclass(frozen=True)
class CycleRounds:
    """The rounds of a cycle: one for small budgets, two otherwise, up to three where goals decide.

    `larger` makes the same design with pools of at least these sizes: where goals decide, no pool ends a study before
    they hold.
    """

    survey: SurveySpec
    history: History
    larger: Callable[[Sequence[int]], FrozenDesign]

    def next(self, design: FrozenDesign, progress: StudyProgress) -> Plan | None:
        """The plan of the next round; None when there is none."""
        ordinal = len(progress.rounds) + 1
        if ordinal > design_of(self.survey).max_rounds(self.survey):
            return None
        plan = _planned(design, self.survey, progress, ordinal, self.history)
        while self.survey.stop_at_goals and plan.exhausted:
            larger = self.larger(_pools_twice_as_large(design, plan.exhausted))
            if len(larger.candidates.items) == len(design.candidates.items):
                break
            design, plan = larger, _planned(larger, self.survey, progress, ordinal, self.history)
        return plan


@dataclass(frozen=True)
class SequentialRounds:
    """Rounds until every goal holds at the confidence that its look leaves, or until nothing is left to label.

    The first two are those of a cycle with two rounds; later ones let all strata grow alike, because to follow the
    labels of one period again and again biases what they say. `margins` are those that labels can reach; `larger` makes
    the same design with pools of at least these sizes.
    """

    survey: SurveySpec
    history: History
    margins: Mapping[tuple[str, str], float]
    larger: Callable[[Sequence[int]], FrozenDesign]

    def next(self, design: FrozenDesign, progress: StudyProgress) -> Plan | None:
        """The plan of the next round; None when the goals hold or cannot be brought nearer."""
        looks = len(progress.rounds)
        # Rounds after the second follow no labels, so these two are planned as a cycle's that has two.
        survey = replace(self.survey, confidence=look_confidence(self.survey.confidence, looks + 1), rounds=2)
        if looks == 0:
            return _planned(design, survey, progress, 1, self.history)
        if self._excess(design, progress, look_confidence(self.survey.confidence, looks)) <= 1:
            return None
        if looks == 1:
            plan = _planned(design, survey, progress, 2, self.history)
            if plan.labels >= len(progress.drawn) + _least(progress):
                return plan
        growth = min(self._excess(design, progress, survey.confidence) ** 2 - 1, _MOST_GROWTH)
        labels = max(_least(progress), ceil(growth * len(progress.drawn)))
        if self.survey.budget is not None:
            labels = min(labels, self.survey.budget - len(progress.asked))
        if labels <= 0:
            return None
        larger = self.larger([_POOL_FACTOR * total for total in progress.rounds[-1].plan.totals])
        return Plan(_grown(larger, progress, labels), {}, "all strata alike")

    def _excess(self, design: FrozenDesign, progress: StudyProgress, confidence: float) -> float:
        """How many times wider than its goal the widest interval is."""
        metrics = list(dict.fromkeys(metric for _, metric in self.margins))
        verdicts = VerdictsByItem(progress.verdicts)
        found = design.estimate(verdicts, progress.drawn, confidence=confidence, metrics=metrics)
        widths = {
            (one.classifier, one.metric): one.result.half_width
            for one in found
            if isinstance(one.result, IntervalEstimate)
        }
        return max((widths.get(name, inf) / margin for name, margin in self.margins.items()), default=0)


def _pools_twice_as_large(design: FrozenDesign, strata: Sequence[int]) -> list[int]:
    """The sizes of all pools, and twice that of these strata's."""
    pools = np.bincount(design.cells.strata[design.candidates.atoms], minlength=design.cells.stratum_count)
    pools[list(strata)] = np.maximum(2 * pools[list(strata)], 1)
    return [int(pool) for pool in pools]


def _least(progress: StudyProgress) -> int:
    return max(_LEAST_ADDED, ceil(_LEAST_GROWTH * len(progress.drawn)))


def _grown(design: FrozenDesign, progress: StudyProgress, labels: int) -> tuple[int, ...]:
    """Totals by stratum with this many more labels that cost something, every stratum grown by the same factor."""
    rows, strata = order_by_random_number(design.candidates, design.cells.strata)
    totals = np.array(progress.rounds[-1].plan.totals, dtype=np.int64)
    place = np.arange(len(strata)) - np.searchsorted(strata, strata)
    fresh = np.flatnonzero(place >= totals[strata])
    growth = (place[fresh] + 1) / np.maximum(totals[strata[fresh]], 1)
    fresh = fresh[np.argsort(growth, kind="stable")]
    costs = [design.candidates.items[row] not in progress.past_labels for row in rows[fresh].tolist()]
    kept = fresh[np.cumsum(costs) <= labels]
    added = np.bincount(strata[kept], minlength=len(totals))
    return tuple((totals + added).tolist())


def _planned(design: FrozenDesign, survey: SurveySpec, progress: StudyProgress, ordinal: int, history: History) -> Plan:
    return design.plan(
        survey,
        VerdictsByItem(progress.verdicts),
        progress.drawn,
        ordinal=ordinal,
        history=history,
        reused=progress.reused,
        earlier=[one.plan for one in progress.rounds],
    )
