"""Ten weeks of production: healthy ones, then a campaign that fools one classifier in one region."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.demo.messages import Booleans, Messages, Regions, draw_messages, inside, lifted
from stratawatch.demo.models import CLASSIFIERS, SCORED, Models, Scores, train
from stratawatch.demo.truth import Values, true_values

WEEKS: Final = 10
BREAK_WEEK: Final = 7
ITEMS: Final = 100_000
DEGRADED: Final = "logistic"
HEALTHY: Final = tuple(name for name in SCORED if name != DEGRADED)
LOSS: Final = 0.25
"""Precision that the degraded classifier loses inside the north."""
LIMIT_MARGIN: Final = 0.05
"""Limits stand this far below the healthy values."""
LIMITED: Final = ("precision", "recall")

_LABELLED, _TUNING, _REFERENCE = 20_000, 200_000, 200_000


@dataclass(frozen=True)
class Week:
    """One week of predictions, and its truth."""

    number: int
    region: Regions
    scores: Scores
    calls: Booleans
    truth: Booleans

    def true_values(self, region: str | None = None) -> Values:
        """Every metric of every classifier, in all regions or in one."""
        return true_values(self.calls, self.truth, inside(self.region, region) if region else None)


@dataclass(frozen=True)
class World:
    """Trained classifiers, their healthy values, and how large the campaign must be to cost what it costs."""

    seed: int
    models: Models
    healthy: Mapping[tuple[str, str], float]
    campaign: float

    @property
    def floors(self) -> dict[tuple[str, str], float]:
        """The limits: 5 points below the healthy values of precision and recall."""
        return {
            (name, metric): round(self.healthy[name, metric] - LIMIT_MARGIN, 4)
            for name in CLASSIFIERS
            for metric in LIMITED
        }

    def week(self, number: int, items: int = ITEMS) -> Week:
        """Week 1, 2, ...; the same world gives the same week."""
        share = self.campaign if number >= BREAK_WEEK else 0.0
        messages = draw_messages(np.random.default_rng([self.seed, number]), items, share)
        scores = self.models.scores(messages.signals)
        return Week(number, messages.region, scores, self.models.calls(scores), messages.scam)


def build_world(seed: int) -> World:
    """Train, choose cut-offs and take the healthy values, each on a healthy period of its own before week 1."""
    labelled, tuning, reference = (
        draw_messages(np.random.default_rng([seed, 0, part]), number)
        for part, number in enumerate((_LABELLED, _TUNING, _REFERENCE))
    )
    models = train(labelled, tuning)
    calls = models.calls(models.scores(reference.signals))
    called = calls[:, CLASSIFIERS.index(DEGRADED)]
    return World(seed, models, true_values(calls, reference.scam), campaign_share(models, reference, called, LOSS))


def campaign_share(models: Models, reference: Messages, called: Booleans, loss: float) -> float:
    """The share of honest messages in the north that costs the degraded classifier this much precision there.

    With T true and F false calls, and G honest messages that only the campaign makes it call:
    T / (T + F + share G) = T / (T + F) - loss.
    """
    spared = lifted(reference.signals[reference.north & ~reference.scam & ~called], slice(None))
    gained = int(models.call(DEGRADED, spared).sum())
    hits = int((called & reference.north & reference.scam).sum())
    calls = int((called & reference.north).sum())
    return (hits / (hits / calls - loss) - calls) / gained
