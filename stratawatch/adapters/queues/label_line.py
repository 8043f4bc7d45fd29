"""Parse one line of a label file into a label event, or into a bad row with the reason."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from stratawatch.adapters.queues.label_values import InvalidError, label_value
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
    """Parse a line as a label event, or as a bad row with the reason."""
    key: str | None = None
    try:
        fields = _object(raw)
        key = _word(fields, "key")
        return LabelEvent(
            source=origin.source,
            event_id=_word(fields, "event_id", default=line_id(raw, origin)),
            item_key=key,
            annotator=_word(fields, "annotator", default=ANONYMOUS),
            value=label_value(fields),
            at=_time(fields, default=origin.at),
        )
    except InvalidError as reason:
        return bad_line(raw, origin, str(reason), key)


def bad_line(raw: bytes, origin: Origin, reason: str, key: str | None = None) -> QuarantinedRow:
    """A line that was set aside, with what can be shown of it."""
    # A database refuses the NUL character even inside JSON.
    text = raw[: 4 * SHOWN].decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}").strip()[:SHOWN]
    content = {"file": origin.file, "line": origin.number, "text": text}
    return QuarantinedRow("label", key or f"{origin.file}:{origin.number}", reason, content)


def line_id(raw: bytes, origin: Origin) -> str:
    """An id of a line that stays the same when the same line of the same file is read again."""
    origin_bytes = b"\0".join((origin.file.encode(errors="backslashreplace"), str(origin.number).encode(), raw.strip()))
    return sha256(origin_bytes).hexdigest()[:40]


def _object(raw: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidError("not UTF-8 text") from None
    except (ValueError, RecursionError):
        raise InvalidError("not valid JSON") from None
    if not isinstance(fields, dict):
        raise InvalidError("not a JSON object")
    return fields


def _word(fields: Mapping[str, Any], name: str, default: str | None = None) -> str:
    word = fields.get(name)
    if word is None and default is not None:
        return default
    if word is None:
        raise InvalidError(f"has no '{name}'")
    if not isinstance(word, str) or not word.strip():
        raise InvalidError(f"'{name}' is not a text")
    if len(word) > LONGEST_WORD:
        raise InvalidError(f"'{name}' is longer than {LONGEST_WORD} characters")
    if "\0" in word or any("\ud800" <= sign <= "\udfff" for sign in word):
        raise InvalidError(f"'{name}' holds characters that no store can keep")
    return word


def _time(fields: Mapping[str, Any], default: datetime) -> datetime:
    text = fields.get("at")
    if text is None:
        return default
    try:
        moment = datetime.fromisoformat(text)
        # astimezone would silently take a naive time for the machine's own.
        utc = moment.astimezone(UTC) if moment.tzinfo else None
    except (TypeError, ValueError, OverflowError):
        raise InvalidError("'at' is not a time like 2026-01-05T00:00:00+00:00") from None
    if utc is None:
        raise InvalidError("'at' has no offset from UTC; write 2026-01-05T00:00:00+00:00")
    return utc
