"""The words that a label may say, the same wherever labels come from."""

from collections.abc import Mapping
from typing import Any, Final

from stratawatch.engine.model.label_events import LabelValue

WORDS: Final[Mapping[str, LabelValue]] = {"yes": "yes", "no": "no", "skip": "skip", "retract": "retract"}


class InvalidError(ValueError):
    """Why a line is no label."""


def label_value(said: Mapping[str, Any]) -> LabelValue:
    """What a line says under 'value': a word, or JSON's own true, false and null."""
    if "value" not in said:
        raise InvalidError("has no 'value'")
    value = said["value"]
    if value is None:
        return "skip"
    if isinstance(value, bool):
        return "yes" if value else "no"
    word = WORDS.get(value.strip().casefold()) if isinstance(value, str) else None
    if word is None:
        raise InvalidError("'value' is none of yes, no, skip, retract, true, false, null")
    return word
