"""The product in the row of its peers: one goal alone, and one set of labels for everything."""

from dataclasses import dataclass

import numpy as np

from benchmarks.labels.cycle import Cycle, Period, run_cycle
from benchmarks.labels.frames import Frame
from benchmarks.labels.peers.peer import Answer, Metric
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import Goal, SurveySpec


@dataclass(frozen=True)
class Alone:
    """All labels on one metric of one classifier, whose own score is all that the design knows."""

    frame: Frame
    classifier: str
    metric: Metric
    labels: int

    def __call__(self, rng: np.random.Generator) -> Answer:
        """One draw."""
        margin = 0.03 if self.metric == "precision" else 0.05
        survey = SurveySpec((Goal(self.metric, margin),), self.labels)
        period = self.frame.period(self.classifier)
        cycle = run_cycle(period, survey, rng.random(len(period.items)), metrics=(self.metric,))
        return answer(cycle, self.classifier, self.metric)


def jointly(period: Period, classifier: str, labels: int, rng: np.random.Generator) -> dict[Metric, Answer]:
    """One set of labels for precision and recall of every classifier; the answers about one of them."""
    cycle = run_cycle(period, SurveySpec(budget=labels), rng.random(len(period.items)))
    return {"precision": answer(cycle, classifier, "precision"), "recall": answer(cycle, classifier, "recall")}


def answer(cycle: Cycle, classifier: str, metric: Metric) -> Answer:
    """The estimate of a cycle; no information is the whole range from 0 to 1."""
    outcome = next(one.result for one in cycle.estimates if (one.classifier, one.metric) == (classifier, metric))
    if isinstance(outcome, IntervalEstimate):
        return Answer(outcome.value, outcome.low, outcome.high, cycle.labels_new)
    return Answer(0.5, 0.0, 1.0, cycle.labels_new)
