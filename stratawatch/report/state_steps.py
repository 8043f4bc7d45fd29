"""What to do about each state, in a sentence or two, as the report's page says it; docs/runbook.md says more."""

from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Final

from stratawatch.core.alarms.alarm_states import URGENCY, AlarmState


@dataclass(frozen=True)
class StateSteps:
    """What a state claims, what to look at first, what to do, and when it ends. `first` are commands."""

    claims: str
    first: tuple[str, ...]
    do: str
    ends: str

    def of_panel(self, panel: str) -> "StateSteps":
        """With the panel's name in the commands."""
        return StateSteps(self.claims, tuple(one.format(panel=quote(panel)) for one in self.first), self.do, self.ends)


STEPS: Final[Mapping[AlarmState, StateSteps]] = {
    AlarmState.BREACH: StateSteps(
        "The metric is proven outside its limit; why is not said.",
        ("stratawatch alerts list", "stratawatch mistakes {panel} --classifier NAME"),
        "Acknowledge it; find what changed about the day that it names; mend it or roll it back.",
        "It ends by itself when the metric is proven inside its limit again.",
    ),
    AlarmState.BLIND: StateSteps(
        "Nobody can tell how the classifier is, and a loss would not be seen.",
        ("stratawatch status", "stratawatch doctor"),
        "See to the cause that stands beside it: input, labels, missing answers, or a baseline.",
        "It ends by itself with the first window in which the cause is gone.",
    ),
    AlarmState.AT_RISK: StateSteps(
        "The last windows together are outside the limit, which may be luck; nobody is paged.",
        ("stratawatch status",),
        "Nothing in a hurry, unless a release explains it: the next labels ask most about it.",
        "It ends as BREACH where it is proven, else as UNPROVEN or OK.",
    ),
    AlarmState.UNPROVEN: StateSteps(
        "The metric is inside its limit so far, and the labels do not prove it.",
        ("stratawatch plan {panel}",),
        "Wait for the windows that are named, or raise the budget to the labels that are named.",
        "It ends as OK, or in the other direction.",
    ),
    AlarmState.OK: StateSteps(
        "The metric is proven inside its limit, by this window or by the last 4 or 13 together.",
        (),
        "Nothing.",
        "It ends when a window says otherwise.",
    ),
}
"""By state."""


def steps_of(panel: str) -> tuple[tuple[AlarmState, StateSteps], ...]:
    """The steps about each state of a panel, the most urgent first."""
    return tuple((state, STEPS[state].of_panel(panel)) for state in map(AlarmState, URGENCY))
