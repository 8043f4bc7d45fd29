"""Names streams in words: one, several, and how all of a panel's are."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from stratawatch.core.alarms.alarm_states import URGENCY, AlarmState
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.formatting import count_text

_SAID: Final[Mapping[AlarmState, str]] = {
    AlarmState.BREACH: "Broken",
    AlarmState.BLIND: "Cannot be seen",
    AlarmState.AT_RISK: "Looks bad, not proven",
    AlarmState.UNPROVEN: "Not proven either way",
    AlarmState.OK: "Fine, proven",
}
"""How metrics are, to people who do not know the states, which stand behind it."""
MOST_NAMES: Final = 4
"""Classifiers that are named one by one."""
MOST_PLACES: Final = 6
"""Metrics and segments that are named one by one."""


def metric_text(key: StreamKey) -> str:
    """A stream's metric, in words."""
    return key.metric.replace("_", " ")


def reason_text(key: StreamKey, reason: str) -> str:
    """The sentence of a judgement beside lines that count errors: with the metric that its number is of.

    >>> reason_text(StreamKey("spam", "rf", "recall"), "80.0% is proven at or above the floor of 70.0%; 90 labels")
    'recall 80.0% is proven at or above the floor of 70.0%; 90 labels'
    """
    return f"{metric_text(key)} {reason}" if reason[:1].isdigit() else reason


def where_text(key: StreamKey) -> str:
    """Where a stream is, in words; empty for the whole population."""
    return f" in {key.segment}" if key.segment else ""


def stream_text(key: StreamKey) -> str:
    """One stream, with its panel.

    >>> stream_text(StreamKey("spam", "rf", "recall", "country=DE"))
    'recall of rf in country=DE (spam)'
    """
    return f"{metric_text(key)} of {key.classifier}{where_text(key)} ({key.panel})"


def streams_text(keys: Iterable[StreamKey]) -> str:
    """Several streams of one panel, by metric and segment.

    >>> streams_text([StreamKey("spam", "lr", "recall"), StreamKey("spam", "rf", "recall", "country=DE")])
    'recall of lr; recall in country=DE of rf'
    """
    classifiers: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        classifiers[f"{metric_text(key)}{where_text(key)}"].append(key.classifier)
    named = [f"{what} of {_some(names)}" for what, names in list(classifiers.items())[:MOST_PLACES]]
    left = sum(len(names) for names in list(classifiers.values())[MOST_PLACES:])
    return "; ".join([*named, *([f"{left} more"] if left else [])])


def state_lines(
    states: Mapping[StreamKey, AlarmState], paged: StreamKey | None = None, when: str = ""
) -> Iterator[str]:
    """How a panel's metrics are over all items, the worst first, so that nobody looks where all is well.

    `when` says of which window that is, where it is another than the notification's.
    """
    for state in map(AlarmState, URGENCY):
        keys = [key for key, said in states.items() if said == state and key != paged and key.segment is None]
        if keys:
            yield f"{_SAID[state]} ({state}){when}: {streams_text(keys)}."


def _some(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= MOST_NAMES else count_text(len(names), "classifier")
