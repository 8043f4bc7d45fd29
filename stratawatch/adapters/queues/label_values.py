"""The values of a label, read alike from queue files and from files imported by hand."""

from collections.abc import Mapping
from typing import Any, Final

from stratawatch.engine.model.label_events import LabelValue

VALUES: Final[Mapping[str, LabelValue]] = {"yes": "yes", "no": "no", "skip": "skip", "retract": "retract"}


class InvalidError(ValueError):
    """Why a line is no label."""


def label_value(fields: Mapping[str, Any]) -> LabelValue:
    """The label of a line's 'value': yes, no, skip or retract, or JSON's true, false and null."""
    if "value" not in fields:
        raise InvalidError("has no 'value'")
    value = fields["value"]
    if value is None:
        return "skip"
    if isinstance(value, bool):
        return "yes" if value else "no"
    label = VALUES.get(value.strip().casefold()) if isinstance(value, str) else None
    if label is None:
        raise InvalidError("'value' is none of yes, no, skip, retract, true, false, null")
    return label
