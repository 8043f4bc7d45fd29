"""The states of a metric against its limit."""

from dataclasses import dataclass
from enum import StrEnum


class AlarmState(StrEnum):
    """Where a classifier x metric x segment stands against its limit."""

    OK = "OK"
    UNPROVEN = "UNPROVEN"
    AT_RISK = "AT RISK"
    BREACH = "BREACH"
    BLIND = "BLIND"


@dataclass(frozen=True)
class Judgement:
    """An alarm state and the sentence that explains it."""

    state: AlarmState
    reason: str
