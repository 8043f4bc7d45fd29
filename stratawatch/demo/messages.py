"""Simulated messages of a marketplace: seven signals, a region, and whether each is a scam."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Regions = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Signals = NDArray[np.float32]

SIGNALS: Final = ("wording", "links", "sender_age", "payment", "images", "urgency", "tempo")
# How far, in standard deviations, an obvious scam stands out in each signal.
_STRENGTH: Final = np.array([2.0, 1.9, 1.8, 1.9, 1.8, 2.0, 1.6], dtype=np.float32)

REGIONS: Final = ("north", "west", "south")
# The north has half of the traffic, so half of what any classifier calls positive.
_REGION_ENDS: Final = (0.5, 0.8)

PREVALENCE: Final = 0.06
_SLY: Final = 0.15
_LOOKALIKE: Final = 0.03
# 15% of the scams, and 3% of the honest messages, show about half of the strength of an obvious scam.
_HALF_HIDDEN: Final = 0.45
_SHARED_NOISE: Final = 0.2

CAMPAIGN_LIFT: Final = 4.0
"""A flash-sale campaign of honest sellers in the north: messages that sound urgent, and nothing else."""


@dataclass(frozen=True)
class Messages:
    """Signals (n x 7), region (index into REGIONS) and truth, a row a message."""

    signals: Signals
    region: Regions
    is_scam: Booleans

    @property
    def north(self) -> Booleans:
        """The messages of the region with the campaign."""
        return in_region(self.region, "north")


def in_region(region: Regions, name: str) -> Booleans:
    """The items of the region with this name."""
    return np.equal(region, REGIONS.index(name))


def draw_messages(rng: np.random.Generator, number: int, campaign: float = 0.0) -> Messages:
    """Draw messages; `campaign` is the share of honest messages in the north that belong to the flash sale."""
    scam = rng.random(number) < PREVALENCE
    region = np.searchsorted(_REGION_ENDS, rng.random(number), side="right")
    kind = rng.random(number)
    noise = rng.standard_normal((number, len(SIGNALS)), dtype=np.float32)
    shared = rng.standard_normal((number, 1), dtype=np.float32) * np.float32(_SHARED_NOISE)
    messages = Messages(noise + shared + _scam_strength(scam, kind)[:, None] * _STRENGTH, region, scam)
    in_campaign = ~scam & messages.north & (rng.random(number) < campaign)
    return Messages(with_campaign_signal(messages.signals, in_campaign), region, scam)


def with_campaign_signal(signals: Signals, which: Booleans | slice) -> Signals:
    """A copy of the signals in which some messages sound as urgent as the flash sale."""
    changed = signals.copy()
    changed[which, SIGNALS.index("urgency")] += np.float32(CAMPAIGN_LIFT)
    return changed


def _scam_strength(scam: Booleans, kind: NDArray[np.float64]) -> Signals:
    """The part of an obvious scam's strength that each message shows."""
    of_scams = np.where(kind < _SLY, _HALF_HIDDEN, 1.0)
    of_honest = np.where(kind < _LOOKALIKE, _HALF_HIDDEN, 0.0)
    return np.where(scam, of_scams, of_honest).astype(np.float32)
