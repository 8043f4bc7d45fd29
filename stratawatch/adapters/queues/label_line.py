"""Parse one line of a label file into a label event, or into a bad row with the reason."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from stratawatch.adapters.queues.label_values import InvalidError, label_value
from stratawatch.engine.model.annotator_names import person
from stratawatch.engine.model.idempotency_keys import BY_TIME, TURN, issued_key
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.quarantined_row import QuarantinedRow

LONGEST_WORD: Final = 200
"""Characters of a key, an annotator's name or an event id."""
SHOWN: Final = 500
"""Characters of a bad line that are kept to look at."""
ANONYMOUS: Final = "anonymous"


@dataclass(frozen=True)
class Origin:
    """The place of a line; `at` is the time of lines that have none."""

    source: str
    file: str
    number: int
    at: datetime


def read_line(raw: bytes, origin: Origin) -> LabelEvent | QuarantinedRow:
    """Parse a line as a label event, or as a bad row with the reason.

    A line without an id of its own is the same answer wherever it stands: its id comes from item, annotator, value and
    time. Without a time either the id is left empty, for `turn_id`.
    """
    key: str | None = None
    try:
        fields = json_object(raw)
        key = issued_key(word(fields, "key"))
        said_at = time_of(fields)
        event = LabelEvent(
            source=origin.source,
            event_id=word(fields, "event_id", default=""),
            item_key=key,
            annotator=annotator_of(fields, ANONYMOUS),
            value=label_value(fields),
            at=(said_at or origin.at).astimezone(UTC),
            dated=said_at is not None,
            place=(origin.file, origin.number),
        )
        return event if event.event_id or not event.dated else replace(event, event_id=_time_id(event))
    except InvalidError as reason:
        return bad_line(raw, origin, str(reason), key)


def bad_line(raw: bytes, origin: Origin, reason: str, key: str | None = None) -> QuarantinedRow:
    """A line that was set aside, with what can be shown of it."""
    # A database refuses the NUL character even inside JSON.
    text = raw[: 4 * SHOWN].decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}").strip()[:SHOWN]
    content = {"file": origin.file, "line": origin.number, "text": text}
    return QuarantinedRow("label", key or f"{origin.file}:{origin.number}", reason, content)


def turn_id(item_key: str, annotator: str, value: str, turn: int) -> str:
    """The id of an answer without an id and a time: how many times that annotator gave it in its file up to there."""
    return f"{_hashed(item_key, annotator, value)}{TURN}{turn}"


def _time_id(event: LabelEvent) -> str:
    return f"{_hashed(event.item_key, event.annotator, event.value, event.at.isoformat())}{BY_TIME}"


def _hashed(*words: str) -> str:
    return sha256(json.dumps(words).encode()).hexdigest()[:32]


def json_object(raw: bytes) -> Mapping[str, Any]:
    """The fields of a line of JSON."""
    try:
        fields = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_without_duplicates)
    except UnicodeDecodeError:
        raise InvalidError("not UTF-8 text") from None
    except InvalidError:  # a ValueError too
        raise
    except (ValueError, RecursionError):
        raise InvalidError("not valid JSON") from None
    if not isinstance(fields, dict):
        raise InvalidError("not a JSON object")
    return fields


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object's fields; JSON lets a name come twice, and readers differ in which of the two they take."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise InvalidError("has a field twice")
    return fields


def word(fields: Mapping[str, Any], name: str, default: str | None = None, longest: int | None = LONGEST_WORD) -> str:
    """A text field that a store can keep; at most `longest` characters, if that is limited."""
    found = fields.get(name)
    if found is None and default is not None:
        return default
    if found is None:
        raise InvalidError(f"has no '{name}'")
    if not isinstance(found, str):
        raise InvalidError(f"'{name}' is not a text")
    if not found.strip():
        raise InvalidError(f"'{name}' is empty")
    if longest is not None and len(found) > longest:
        raise InvalidError(f"'{name}' is longer than {longest} characters")
    if "\0" in found or any("\ud800" <= sign <= "\udfff" for sign in found):
        raise InvalidError(f"'{name}' holds characters that no store can keep")
    return found


def annotator_of(fields: Mapping[str, Any], default: str) -> str:
    """The annotator's name as it is written; the default where there is none."""
    name = word(fields, "annotator", default=default)
    if not person(name):
        raise InvalidError("'annotator' is empty: nothing of it can be seen")
    return name


def time_of(fields: Mapping[str, Any]) -> datetime | None:
    """The time of a line, with its offset from UTC; None where it has none."""
    text = fields.get("at")
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        moment.astimezone(UTC)  # raises OverflowError at the ends of the calendar
    except (TypeError, ValueError, OverflowError):
        raise InvalidError("'at' is not a time like 2026-01-05T00:00:00+00:00") from None
    if moment.tzinfo is None:
        raise InvalidError("'at' has no offset from UTC; write 2026-01-05T00:00:00+00:00")
    return moment
