"""The values of a label, read alike from queue files and from files imported by hand."""

from collections.abc import Mapping
from typing import Any, Final

from stratawatch.answer_words import WORDS, yes_or_no
from stratawatch.engine.model.label_events import LabelValue

VALUES: Final[Mapping[str, LabelValue]] = {
    **{word: "yes" if is_yes else "no" for word, is_yes in WORDS.items()},
    "skip": "skip",
    "retract": "retract",
}
"""What each word says, in any case. Numbers are read as the words that they are written as."""


class InvalidError(ValueError):
    """Why a line is no label."""


def label_value(fields: Mapping[str, Any]) -> LabelValue:
    """The label of a line's 'value': yes, no, skip or retract, true or false, 1 or 0, or JSON's null."""
    if "value" not in fields:
        raise InvalidError("has no 'value'")
    value = fields["value"]
    if value is None:
        return "skip"
    found = yes_or_no(value)
    if found is not None:
        return "yes" if found else "no"
    label = VALUES.get(value.strip().casefold()) if isinstance(value, str) else None
    if label is None:
        raise InvalidError("'value' is none of yes, no, skip, retract, true, false, 1, 0, or JSON's null")
    return label
