"""Sets label events aside whose key cannot be one of ours, such as an item id: no draw would ever let them count."""

from collections.abc import Iterable
from typing import Final

from stratawatch.engine.model.idempotency_keys import is_item_key
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.quarantined_row import QuarantinedRow

NO_KEY: Final = "no key of a question; answers carry the `key` of the line that asked"


def split_by_key(events: Iterable[LabelEvent]) -> tuple[list[LabelEvent], list[QuarantinedRow]]:
    """The events whose key has the form of ours, known or not, and the others as rows with the reason."""
    kept, aside = [], []
    for event in events:
        if is_item_key(event.item_key):
            kept.append(event)
        else:
            aside.append(_row(event))
    return kept, aside


def reason_of(row: QuarantinedRow) -> str:
    """Why a row was set aside, with its key where that is what is wrong. Rows are counted by the reason alone."""
    return f"'{row.key}' is {NO_KEY}" if row.reason == NO_KEY else row.reason


def _row(event: LabelEvent) -> QuarantinedRow:
    file, line = event.place
    place = {"file": file, "line": line} if file else {"source": event.source}
    said = {"value": event.value, "annotator": event.annotator, "at": event.at.isoformat()}
    return QuarantinedRow("label", event.item_key, NO_KEY, {**place, **said})
