"""The states of a metric against its limit, with signs and urgency. Without NumPy, as `stratawatch status` reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

AlarmRule = Literal["evidence", "window"]
"""How windows page: by what they add up to, or each by itself."""


class AlarmState(StrEnum):
    """The state of a classifier x metric x segment against its limit."""

    OK = "OK"
    UNPROVEN = "UNPROVEN"
    AT_RISK = "AT RISK"
    BREACH = "BREACH"
    BLIND = "BLIND"


SYMBOLS: Final[Mapping[str, str]] = {"OK": "✓", "UNPROVEN": "○", "AT RISK": "▲", "BREACH": "✖", "BLIND": "?"}
"""A sign before the word of a state; the word always stands beside it."""
URGENCY: Final = ("BREACH", "BLIND", "AT RISK", "UNPROVEN", "OK")
"""The states by urgency, the most urgent first."""

MEANINGS: Final[Mapping[str, str]] = {
    "OK": "inside its limit",
    "UNPROVEN": "inside so far, not proven",
    "AT RISK": "outside so far, not proven",
    "BREACH": "outside, paged",
    "BLIND": "cannot see",
}
"""What a state means, in words that stand beside it."""


@dataclass(frozen=True)
class Judgement:
    """An alarm state and the sentence that explains it."""

    state: AlarmState
    reason: str
