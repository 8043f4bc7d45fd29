"""The states of a metric against its limit, with signs and urgency. Without NumPy, as `stratawatch status` reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from stratawatch.core.alarms.readings import Reading
    from stratawatch.core.goals import LimitEnd

AlarmRule = Literal["evidence", "window"]
"""How windows page: by what they add up to, or each by itself."""


class AlarmState(StrEnum):
    """The state of a classifier x metric x segment against its limit."""

    OK = "OK"
    UNPROVEN = "UNPROVEN"
    AT_RISK = "AT RISK"
    BREACH = "BREACH"
    BLIND = "BLIND"


class BlindCause(StrEnum):
    """Why nothing can be told of a metric: what one cause hides is told, and ends, together."""

    REFUSED = "refused"
    NO_LABELS = "no-labels"
    FEW_LABELS = "few-labels"
    MISSING_ANSWERS = "missing-answers"
    NO_BASELINE = "no-baseline"


CAUSES: Final[Mapping[BlindCause, str]] = {
    BlindCause.REFUSED: "the input was refused",
    BlindCause.NO_LABELS: "no label came",
    BlindCause.FEW_LABELS: "labels say too little",
    BlindCause.MISSING_ANSWERS: "answers are missing",
    BlindCause.NO_BASELINE: "baselines are missing",
}
"""The causes in words."""

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
class EndOutlook:
    """How a stream stands at one end of its limit by a `reading` of the last windows, and when it would be proven.

    `distance` is how far inside it lies, negative outside. `half_width` is what the interval of one window with the
    same value may have at most to prove it; None where no window's can. `windows_to_ok`: how many more windows like the
    newest one prove it at that value, 0 where it is proven; None where no number up to 13 does. `fell_lately`: it would
    be proven inside if the last two windows together were inside too.
    """

    end: "LimitEnd"
    reading: "Reading"
    distance: float
    half_width: float | None
    windows_to_ok: int | None
    fell_lately: bool = False


@dataclass(frozen=True)
class Judgement:
    """An alarm state and the sentence that explains it; BLIND has a cause too.

    `outlooks` are those at the ends of the limit of which something is known.
    """

    state: AlarmState
    reason: str
    cause: BlindCause | None = None
    outlooks: tuple[EndOutlook, ...] = ()

    def __post_init__(self) -> None:
        """Raise where BLIND has no cause, or another state has one."""
        if (self.state == AlarmState.BLIND) != (self.cause is not None):
            raise ValueError(f"BLIND has a cause, and no other state has: {self.state}, {self.cause}")
