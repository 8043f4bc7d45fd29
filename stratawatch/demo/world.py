"""Ten simulated weeks: healthy ones, then a campaign that fools one classifier in one region."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.demo.messages import Booleans, Messages, Regions, draw_messages, in_region, with_campaign_signal
from stratawatch.demo.models import CLASSIFIERS, SCORED_CLASSIFIERS, Scores, TrainedModels, train_models
from stratawatch.demo.true_values import TrueValues, true_values

WEEKS: Final = 10
BREAK_WEEK: Final = 7
ITEMS: Final = 100_000
DEGRADED_CLASSIFIER: Final = "logistic"
HEALTHY_CLASSIFIERS: Final = tuple(name for name in SCORED_CLASSIFIERS if name != DEGRADED_CLASSIFIER)
PRECISION_LOSS: Final = 0.25
"""Precision that the degraded classifier loses inside the north."""
LIMIT_MARGIN: Final = 0.05
"""Limits stand this far below the healthy values."""
LIMITED_METRICS: Final = ("precision", "recall")

_LABELLED, _TUNING, _REFERENCE = 20_000, 200_000, 200_000


@dataclass(frozen=True)
class SimulatedWeek:
    """One week of predictions, and its truth."""

    number: int
    region: Regions
    scores: Scores
    calls: Booleans
    truth: Booleans

    def true_values(self, region: str | None = None) -> TrueValues:
        """Every metric of every classifier, in all regions or in one."""
        return true_values(self.calls, self.truth, in_region(self.region, region) if region else None)


@dataclass(frozen=True)
class SimulatedWorld:
    """Trained classifiers, their healthy values, and the size of the campaign that costs `LOSS` of precision."""

    seed: int
    models: TrainedModels
    healthy: Mapping[tuple[str, str], float]
    campaign: float

    @property
    def floors(self) -> dict[tuple[str, str], float]:
        """The limits: 5 points below the healthy values of precision and recall."""
        return {
            (name, metric): round(self.healthy[name, metric] - LIMIT_MARGIN, 4)
            for name in CLASSIFIERS
            for metric in LIMITED_METRICS
        }

    def week(self, number: int, items: int = ITEMS) -> SimulatedWeek:
        """Week 1, 2, ...; the same world gives the same week."""
        share = self.campaign if number >= BREAK_WEEK else 0.0
        messages = draw_messages(np.random.default_rng([self.seed, number]), items, share)
        scores = self.models.scores(messages.signals)
        return SimulatedWeek(number, messages.region, scores, self.models.calls(scores), messages.is_scam)


def build_world(seed: int) -> SimulatedWorld:
    """Train, choose cut-offs and take the healthy values, each on a healthy period of its own before week 1."""
    labelled, tuning, reference = (
        draw_messages(np.random.default_rng([seed, 0, part]), number)
        for part, number in enumerate((_LABELLED, _TUNING, _REFERENCE))
    )
    models = train_models(labelled, tuning)
    calls = models.calls(models.scores(reference.signals))
    called = calls[:, CLASSIFIERS.index(DEGRADED_CLASSIFIER)]
    return SimulatedWorld(
        seed, models, true_values(calls, reference.is_scam), campaign_share(models, reference, called, PRECISION_LOSS)
    )


def campaign_share(models: TrainedModels, reference: Messages, called: Booleans, loss: float) -> float:
    """The share of honest messages in the north that costs the degraded classifier this much precision there.

    With T true and F false calls, and G honest messages that only the campaign makes it call:
    T / (T + F + share G) = T / (T + F) - loss.
    """
    unmistaken = with_campaign_signal(reference.signals[reference.north & ~reference.is_scam & ~called], slice(None))
    gained = int(models.call(DEGRADED_CLASSIFIER, unmistaken).sum())
    hits = int((called & reference.north & reference.is_scam).sum())
    calls = int((called & reference.north).sum())
    return (hits / (hits / calls - loss) - calls) / gained
